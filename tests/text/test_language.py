import json
from pathlib import Path

import pytest
from hypothesis import given

from pak3h_tasks.text.language import UNDETERMINED, language_of
from pak3h_tasks.text.script import in_language
from support.texts import HOSTILE, any_text

ROWS = [json.loads(line) for line in Path(__file__).with_name("languages.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("half", "n", "at_most"), [("tune", 105, 0), ("held_out", 102, 4), ("third", 95, 3), ("fourth", 32, 1)]
)
def test_error_on_labelled_texts_is_what_the_docs_say(half, n, at_most):
    rows = [row for row in ROWS if row["half"] == half]
    wrong = [(row["text"], language_of(row["text"])) for row in rows if language_of(row["text"]) != row["language"]]
    assert len(rows) == n
    assert len(wrong) <= at_most, wrong


@pytest.mark.parametrize(
    ("half", "lang", "at_most"),
    [
        ("held_out", "ur", 0),
        ("held_out", "en", 2),
        ("third", "ur", 2),
        ("third", "en", 0),
        ("fourth", "ur", 1),
        ("fourth", "en", 0),
    ],
)
def test_error_of_in_language(half, lang, at_most):
    rows = [row for row in ROWS if row["half"] == half]
    expected = [None if row["language"] is None else row["language"] == lang for row in rows]
    found = [in_language(row["text"], lang) for row in rows]
    assert sum(a is not b for a, b in zip(found, expected, strict=True)) <= at_most


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("آپ laptop کو restart کریں، پھر Wi-Fi on کریں۔", "ur"),
        ("السلام علیکم", "ur"),
        ("لاہور", "ur"),
        ("لا أعرف", "ar"),
        ("القاهرة", "ar"),
        ("نمی‌دانم، ولی فکر می‌کنم درست است", "fa"),
        ("اسیں کل لاہور جاواں گے", "pnb"),
        ("زما نوم احمد دی", "ps"),
        ("توهان ڪيئن آهيو", "sd"),
        ("main jawab nahi de sakta", "ur-Latn"),
        ("The main road is closed", "en"),
        ("Yes.", "en"),
        ("Das ist ein Buch", "de"),
        ("你好", "zh"),
        ("اب ab", UNDETERMINED),
        ("23", None),
        ("E = mc²", None),
        (r"\frac{a}{b}", None),
        ("`x = 1`", None),
        ("https://example.org/a", None),
        ("", None),
    ],
)
def test_language(text, language):
    assert language_of(text) == language


def test_a_long_text_of_code_points_nobody_writes_in_is_answered():
    assert language_of("\U000e0100" * 10_000) is None


@given(any_text)
def test_any_text_has_an_answer(text):
    assert language_of(text) is None or language_of(text)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts(text):
    assert language_of(text) is None or language_of(text)
