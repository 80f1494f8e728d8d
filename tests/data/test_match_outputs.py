"""Which item an answer belongs to; a wrong match is worse than none, and none is never silent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.data.match_outputs import match
from pak3h_tasks.data.outputs import AnswerRow, Outputs
from pak3h_tasks.schema import HelpfulItem
from support.data_files import helpful


def items(*changes):
    return [HelpfulItem(**helpful(number, **change)) for number, change in enumerate(changes, 1)]


def outputs(*rows):
    made = (
        AnswerRow(n, row.get("output", f"answer {n}"), row.get("id"), row.get("instruction", ""), row.get("input", ""))
        for n, row in enumerate(rows, 1)
    )
    return Outputs("answers.json", "row", tuple(made), None)


def matched(rows, data, **more):
    return match(outputs(*rows), data, "alpaca", "ur", **more)


POEM, SUM = {"instruction": "نظم لکھیں۔"}, {"instruction": "جمع کریں۔", "input": "۲ + ۲"}


def test_by_id_and_by_text_in_any_order():
    data = items(POEM, SUM, {})
    found = matched([{"id": "a3"}, SUM, POEM], data)
    assert dict(found.answers) == {"a1": "answer 3", "a2": "answer 2", "a3": "answer 1"}
    assert list(found.answers) == ["a1", "a2", "a3"]
    assert not (found.unmatched or found.duplicates or found.without_answer or found.doubtful)


@pytest.mark.parametrize(
    "row",
    [
        SUM,
        {"instruction": "جمع کریں۔\n\n۲ + ۲"},
        {"instruction": " جمع کریں۔\n\n۲ + ۲\n"},
        {"instruction": "جمع کریں۔\n\n۲ + ۲", "input": "۲ + ۲"},
        {"instruction": "جمع کریں۔"},  # its input left out, but no other item has this instruction
    ],
)
def test_an_input_beside_or_inside_the_instruction(row):
    assert dict(matched([row], items(POEM, SUM)).answers) == {"a2": "answer 1"}


@pytest.mark.parametrize(
    "text",
    ["جمع كريں۔", "جمع\r\nکریں۔", "جمع  کریں۔", "جمع\u200c کریں۔", "جَمع کریں۔"],
    ids=["Arabic kaf", "CRLF", "two spaces", "joiner", "vowel sign"],
)
def test_another_spelling_of_the_text_matches_and_is_said(text):
    found = matched([POEM, {**SUM, "instruction": text}], items(POEM, SUM))
    assert list(found.answers) == ["a1", "a2"]
    assert found.doubtful == ("row 2 matched by text in another spelling (Arabic letters, spaces)",)


def test_the_exact_spelling_wins_and_two_respelled_ones_are_not_guessed():
    data = items({"instruction": "یہ ۵ لکھیں"}, {"instruction": "یہ 5 لکھیں"})
    assert dict(matched([{"instruction": "یہ 5 لکھیں"}], data).answers) == {"a2": "answer 1"}
    found = matched([{"instruction": "يہ 5 لکھیں"}], data)
    assert not found.answers
    assert "matches 2 items" in found.unmatched[0]


def test_one_instruction_with_two_inputs_needs_the_input():
    data = items({**SUM, "input": "1"}, {**SUM, "input": "2"})
    assert dict(matched([{**SUM, "input": "2"}, {"instruction": "جمع کریں۔\n\n1"}], data).answers) == {
        "a1": "answer 2",
        "a2": "answer 1",
    }
    found = matched([{"instruction": "جمع کریں۔"}], data)
    assert found.unmatched == (
        "row 1 ('جمع کریں۔') matches 2 items that differ in input or spelling; add 'input' or 'id'",
    )
    # an item without input is meant by a row without input
    assert dict(
        matched([{"instruction": "جمع کریں۔"}], [*data, *items(POEM, POEM, {**SUM, "input": ""})[2:]]).answers
    ) == {"a3": "answer 1"}


def test_items_with_one_and_the_same_text_take_rows_in_order():
    data = items(POEM, SUM, POEM)
    found = matched([POEM, SUM, POEM, POEM], data)
    assert dict(found.answers) == {"a1": "answer 1", "a2": "answer 2", "a3": "answer 3"}
    assert found.duplicates == ("row 4 ('نظم لکھیں۔') answers 'a1' a second time; the first answer counts",)
    found = matched([POEM], data)
    assert found.without_answer == ("a2", "a3")


def test_unmatched_and_duplicate_rows_are_listed():
    found = matched([POEM, {"id": "a1"}, {"id": "b9"}, {"instruction": "کچھ اور"}], items(POEM, SUM))
    assert found.duplicates == ("row 2 ('a1') answers 'a1' a second time; the first answer counts",)
    assert found.unmatched == ("row 3 ('b9') matches no item", "row 4 ('کچھ اور') matches no item")
    assert found.without_answer == ("a2",)


def test_an_id_with_the_text_of_another_item_matches_nothing():
    """Rows numbered by whoever made the file: their 1 is not ours."""
    found = matched([{"id": "a2", **POEM}, {"id": "a1", **SUM}], items(POEM, SUM))
    assert not found.answers
    assert found.unmatched[0] == "row 1 ('a2') has the text of 'a1', not of its id; remove one of the two"


def test_an_unknown_id_leaves_it_to_the_text_and_an_unknown_text_to_the_id():
    found = matched([{"id": "0", **POEM}, {"id": "a2", "instruction": "Add up."}], items(POEM, SUM))
    assert dict(found.answers) == {"a1": "answer 1", "a2": "answer 2"}
    assert found.doubtful == ("row 2 matched by id, though the text is none of the data's; see that it belongs",)


def test_further_ids_stand_for_an_item():
    data = items(POEM)
    assert dict(matched([{"id": "other"}], data, same={"other": data[0]}).answers) == {"a1": "answer 1"}


texts = st.sampled_from(["a", "b", "c\n\nd", "c"])
inputs = st.sampled_from(["", "d", "e"])


@given(st.lists(st.tuples(texts, inputs), max_size=8), st.lists(st.tuples(texts, inputs), max_size=12))
def test_every_row_and_every_item_is_accounted_for(data, rows):
    made = items(*({"instruction": text, "input": extra} for text, extra in data))
    found = match(outputs(*({"instruction": t, "input": e} for t, e in rows)), made, "alpaca", "en")
    assert len(found.answers) + len(found.unmatched) + len(found.duplicates) == len(rows)
    assert {*found.answers, *found.without_answer} == {item.id for item in made}
    assert len(found.answers) + len(found.without_answer) == len(made)


@given(st.lists(st.tuples(texts, inputs), max_size=8), st.randoms())
def test_rows_of_all_items_match_all_items_in_any_order(data, random):
    made = items(*({"instruction": text, "input": extra} for text, extra in data))
    rows = [{"instruction": item.instruction, "input": item.input} for item in made]
    random.shuffle(rows)
    found = match(outputs(*rows), made, "alpaca", "en")
    assert not found.without_answer
