"""Reading answers made elsewhere: layouts people have, and what is wrong with a file in one line."""

import gzip
import json
from datetime import date

import openpyxl
import pytest

from pak3h_tasks.data.outputs import read_outputs
from pak3h_tasks.errors import DataError
from support.data_files import line

ROW = {"instruction": "نظم لکھیں۔", "output": "جواب"}


def read(folder, content, name="answers.json", dataset="alpaca"):
    path = folder / name
    path.write_bytes(
        content if isinstance(content, bytes) else (content if isinstance(content, str) else line(content)).encode()
    )
    return read_outputs(path, dataset)


def test_alpaca_evals_model_outputs(tmp_path):
    layout = {"dataset": "helpful_base", "datasplit": "eval", "generator": "my-model"}
    outputs = read(tmp_path, [{**layout, **ROW}, {**layout, "instruction": "b", "output": ""}])
    assert [(row.position, row.id, row.text, row.input, row.answer) for row in outputs.rows] == [
        (1, None, "نظم لکھیں۔", "", "جواب"),
        (2, None, "b", "", ""),
    ]
    assert (outputs.generator, outputs.unit, outputs.name) == ("my-model", "row", "answers.json")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_a_table_from_a_spreadsheet(tmp_path, encoding):
    text = 'sep=؛\r\n\u200fId؛ Output ؛Generator\r\n7؛"پہلی، سطر\r\nدوسری"؛m\r\n8؛؛m\r\n؛؛\r\n'
    outputs = read(tmp_path, text.encode(encoding), "answers.csv")
    assert [(row.position, row.id, row.answer) for row in outputs.rows] == [
        (3, "7", "پہلی، سطر\r\nدوسری"),
        (5, "8", ""),
    ]
    assert outputs.generator == "m"


def test_a_formula_that_nobody_computed_is_no_empty_answer(tmp_path):
    book = openpyxl.Workbook()
    for row in (["id", "output", "when"], ["1", "=A2", date(2026, 3, 4)]):
        book.active.append(row)
    book.save(tmp_path / "answers.xlsx")
    with pytest.raises(DataError, match=r"answers.xlsx row 2: 'output' holds a formula without its value"):
        read_outputs(tmp_path / "answers.xlsx", "alpaca")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", line([ROW, ROW])),
        ("a.json", "\ufeff" + line([ROW, ROW])),
        ("a.json", line({"outputs": [ROW, ROW]})),
        ("a.jsonl", f"{line(ROW)}\n\n{line(ROW)}\n"),
        ("a.jsonl.gz", gzip.compress(f"{line(ROW)}\n{line(ROW)}".encode(), mtime=0)),
        ("a.csv", 'instruction,output\r\nنظم لکھیں۔,جواب\r\n"نظم لکھیں۔",جواب\r\n'),
    ],
)
def test_formats(tmp_path, name, content):
    outputs = read(tmp_path, content, name)
    assert [(row.text, row.answer) for row in outputs.rows] == [("نظم لکھیں۔", "جواب")] * 2


def test_a_line_separator_inside_a_text_is_no_line_end(tmp_path):
    outputs = read(tmp_path, '{"id": "a", "output": "one\u2028two\x85three"}', "a.jsonl")
    assert outputs.rows[0].answer == "one\u2028two\x85three"


@pytest.mark.parametrize(("given", "read_as"), [("a1", "a1"), (7, "7"), (7.0, "7"), (" a1 ", "a1"), (None, None)])
def test_ids(tmp_path, given, read_as):
    assert read(tmp_path, [{**ROW, "id": given}]).rows[0].id == read_as


@pytest.mark.parametrize("name", ["output", "answer", "response"])
def test_names_of_the_answer(tmp_path, name):
    assert read(tmp_path, [{"id": "a", name: "x"}]).rows[0].answer == "x"


@pytest.mark.parametrize(
    ("dataset", "name"), [("truthfulqa", "question"), ("beavertails", "prompt"), ("beavertails", "instruction")]
)
def test_the_text_goes_by_the_datasets_own_name(tmp_path, dataset, name):
    assert read(tmp_path, [{name: "x", "output": "y"}], dataset=dataset).rows[0].text == "x"


def test_lone_surrogates_never_get_further(tmp_path):
    outputs = read(tmp_path, '[{"instruction": "\\ud83d?", "output": "half \\ud83d, whole \\ud83d\\ude42, \\u0000"}]')
    assert outputs.rows[0].answer == "half \ufffd, whole 🙂, \0"
    outputs.fingerprint.encode()
    json.dumps([outputs.rows[0].text], ensure_ascii=False).encode()


def test_the_fingerprint_is_that_of_the_answers(tmp_path):
    one, same, other = (
        read(tmp_path, rows).fingerprint for rows in ([ROW], [{**ROW, "extra": 1}], [{**ROW, "output": "y"}])
    )
    assert one == same != other
    assert len(one) == 8


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not JSON"),
        ("[]", "has no rows"),
        ("{oops", "line 1"),
        ("[1, 2]", "row 2: is 2, not an object"),
        ([{"instruction": "a", "completion": "b"}], "row 1: has no 'output' (it has 'instruction', 'completion')"),
        ([{"instruction": " ", "output": "b"}], "row 1: names no item (it has 'instruction', 'output'); give its 'id'"),
        ([ROW, {**ROW, "output": None}], "row 2: has a null 'output'; write \"\" for an empty answer"),
        ([{**ROW, "output": ["x"]}], "row 1: has ['x'] as 'output'; give a text"),
        # the data file with the model's answers added: judging the reference against itself would look like a draw
        ([{**ROW, "response": "mine"}], "row 1: has both 'output' and 'response'"),
        ([{**ROW, "generator": "a"}, {**ROW, "generator": "b"}], "holds answers of 2 models ('a', 'b'...)"),
        ("جواب".encode("utf-16"), "is not JSON"),
        ('[{"id": "a", "output": "caf\xe9"}]'.encode("latin-1"), "is not UTF-8"),
        (b"PK\x03\x04....", "is a damaged zip archive or Excel workbook"),
    ],
)  # fmt: skip
def test_faults_are_lines(tmp_path, content, message):
    with pytest.raises(DataError) as error:
        read(tmp_path, content)
    assert message in str(error.value)
    assert str(error.value).startswith("answers.json")


def test_a_fault_of_every_row_is_one_line(tmp_path):
    with pytest.raises(DataError) as error:
        read(tmp_path, [{"instruction": "a"}] * 5000)
    assert str(error.value).count("\n") == 0
    assert "and 4997 more" in str(error.value)


def test_no_such_file(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_outputs(tmp_path / "nothing.json", "alpaca")
