"""Spellings of one word, and pairs that one letter tells apart (spellings.jsonl)."""

import json
from pathlib import Path

import pytest
from hypothesis import given

from pak3h_tasks.text.normalise import normalise
from pak3h_tasks.text.spelling import _INFLECTED, _TOGETHER, one_spelling
from pak3h_tasks.text.tokenise import words
from support.texts import any_text

PAIRS = [json.loads(line) for line in (Path(__file__).parent / "spellings.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("one", "other"), [(row["one"], row["other"]) for row in PAIRS if row["same"]])
def test_spellings_of_one_text_are_one(one, other):
    assert normalise(one, "ur") == normalise(other, "ur")


@pytest.mark.parametrize(("one", "other"), [(row["one"], row["other"]) for row in PAIRS if not row["same"]])
def test_what_tells_words_apart_stays(one, other):
    assert normalise(one, "ur") != normalise(other, "ur")


def test_numbers_are_words_of_their_own():
    assert words(normalise("14اگست 1947کو 3.5 اور 1,250", "ur"), "ur") == [
        "14",
        "اگست",
        "1947",
        "کو",
        "3.5",
        "اور",
        "1250",
    ]


@given(any_text)
def test_once_is_enough(text):
    assert one_spelling(one_spelling(text)) == one_spelling(text)


@pytest.mark.parametrize("ending", ["ی", "یاں", "یوں", "وں", "انہ"])
@pytest.mark.parametrize(("apart", "together"), [pair.split("=") for pair in _TOGETHER.split("|")])
def test_words_written_apart_may_have_an_ending(apart, together, ending):
    assert one_spelling(apart) == one_spelling(together)
    if apart.endswith(_INFLECTED):
        assert one_spelling(apart + ending) == one_spelling(together + ending)


def test_responsibility_is_a_word_like_others():
    assert normalise("غیر ذمہ داری", "ur") == normalise("غیر ذمہداری", "ur")
