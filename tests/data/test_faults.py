import pytest

from pak3h_tasks.data.faults import MAX_LISTED, Faults
from pak3h_tasks.errors import DataError


def test_file_faults_come_first_then_lines_in_order():
    faults = Faults("alpaca/ur.jsonl")
    faults.add("b", 7)
    faults.add("a", 10)
    faults.add("whole file")
    assert faults.lines() == ["alpaca/ur.jsonl: whole file", "alpaca/ur.jsonl line 7: b", "alpaca/ur.jsonl line 10: a"]


def test_long_lists_are_cut_and_the_rest_counted():
    faults = Faults("x", unit="row")
    for number in range(MAX_LISTED + 7):
        faults.add(f"fault {number}", number)
    lines = faults.lines()
    assert len(lines) == MAX_LISTED + 1
    assert lines[-1] == "x: 7 more faults not listed; mend these first"


def test_exactly_the_limit_is_listed_in_full():
    faults = Faults("x")
    for number in range(MAX_LISTED):
        faults.add(f"fault {number}", number)
    assert len(faults.lines()) == MAX_LISTED


def test_a_fault_is_one_line_whatever_it_quotes():
    faults = Faults("x")
    with pytest.raises(DataError) as error:
        faults.raise_now("holds \x1b[31m", 1)
    assert str(error.value) == "x line 1: holds \\x1b[31m"
