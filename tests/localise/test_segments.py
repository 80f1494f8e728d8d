import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.localise.segments import segments


def count(text):
    return len(text.split())


def texts(text, limit):
    return [piece for piece, to_translate in segments(text, count, limit) if to_translate]


@given(st.text(alphabet="ab. \n!?\t\u200c1É", max_size=80), st.integers(1, 6))
def test_the_pieces_are_the_text(text, limit):
    pieces = segments(text, count, limit)
    assert "".join(piece for piece, _ in pieces) == text
    for piece, to_translate in pieces:
        if to_translate:
            assert piece == piece.strip()
            assert count(piece) <= limit
            assert any(char.isalpha() for char in piece)


@pytest.mark.parametrize(
    ("text", "limit", "wanted"),
    [
        ("One two. Three four.", 9, ["One two. Three four."]),
        ("One two. Three four.", 3, ["One two.", "Three four."]),
        ('He said "no." Then he left!', 4, ['He said "no."', "Then he left!"]),
        ("Mr. Khan met J. Smith. They spoke.", 5, ["Mr. Khan met J. Smith.", "They spoke."]),
        ("Ask e.g. your doctor now. Or wait.", 5, ["Ask e.g. your doctor now.", "Or wait."]),
        ("a b c d e f", 3, ["a b c", "d e f"]),
        ("- first\n- second\n\n42", 9, ["- first", "- second"]),
        ("   ", 1, []),
    ],
)
def test_where_texts_are_split(text, limit, wanted):
    assert texts(text, limit) == wanted


def test_a_single_word_over_the_limit_is_left_alone():
    assert segments("x" * 50, len, 10) == [("x" * 50, False)]
