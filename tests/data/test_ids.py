import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.data.faults import Faults
from pak3h_tasks.data.ids import content_ids, different_rows, partners_by_position, partners_by_text
from pak3h_tasks.errors import DataError
from pak3h_tasks.schema import HarmlessItem, HelpfulItem
from support.data_files import harmless, helpful


def test_value_is_sha256_of_the_content_alone():
    row = helpful(1, instruction="جمع کریں", input="1 2")
    digest = hashlib.sha256(json.dumps(["جمع کریں", "1 2"]).encode()).hexdigest()
    assert content_ids("alpaca", [row]) == ([f"alpaca-{digest[:16]}"], 0)
    corrected = {**row, "output": "another", "localization": "li"}
    assert content_ids("alpaca", [corrected]) == content_ids("alpaca", [row])


def test_a_missing_input_is_an_empty_one():
    assert content_ids("alpaca", [{"instruction": "x"}]) == content_ids("alpaca", [{"instruction": "x", "input": ""}])


@given(st.lists(st.sampled_from("abc"), max_size=12))
def test_ids_are_unique_and_repeats_are_counted(prompts):
    ids, repeated = content_ids("beavertails", [{"prompt": p, "response": ""} for p in prompts])
    assert len(set(ids)) == len(prompts)
    assert repeated == len(prompts) - len(set(prompts))


def pairs(*texts, **changes):
    return [HarmlessItem.model_validate(harmless(n, prompt=text, **changes)) for n, text in enumerate(texts, 1)]


def test_position_pairing_refuses_another_length():
    with pytest.raises(
        DataError, match=r"has 1 rows and en.jsonl 2, so they do not pair by position; pair by a column"
    ):
        partners_by_position([{}], pairs("a", "b"), "en.jsonl", Faults("ur.csv"))


def test_position_pairing_refuses_another_order():
    partner = pairs("a", "b", "c", "d")
    same = [{"is_safe": True}, {"is_safe": True}, {"is_safe": True}, {"is_safe": False}]
    assert partners_by_position(same, partner, "en.jsonl", Faults("ur.csv")) == partner
    other = [{"is_safe": False}, *same[1:]]
    with pytest.raises(DataError, match=r"in 2 of 4 rows \(first: row 1\), so the order is not the same"):
        partners_by_position(other, partner, "en.jsonl", Faults("ur.csv"))


def test_labels_that_the_source_does_not_have_say_nothing_about_order():
    partner = pairs("a", "b")
    assert partners_by_position([{}, {"is_safe": None}], partner, "en.jsonl", Faults("x")) == partner
    assert different_rows([{}, {"is_safe": None}], partner) == ([], 0)
    assert different_rows([{"is_safe": True}, {"is_safe": False}], partner) == ([2], 2)


def test_text_pairing_takes_equal_items_in_order_and_each_once():
    partner = [HelpfulItem.model_validate(helpful(n, instruction=text)) for n, text in enumerate(["x", "y", "x "], 1)]
    faults = Faults("ur.csv")
    texts = [{"instruction": text} for text in (" x", "x", "y", "x", "z")]
    found = partners_by_text(texts, partner, [2, 3, 4, 5, 6], "en.jsonl", faults)
    assert [item and item.id for item in found] == ["a1", "a3", "a2", None, None]
    beginnings = [text.split(";")[0] for text in faults.lines()]
    assert beginnings == [
        "ur.csv line 5: has no partner in en.jsonl for instruction 'x' (every item with it is paired already)",
        "ur.csv line 6: has no partner in en.jsonl for instruction 'z' (no item has it)",
    ]
