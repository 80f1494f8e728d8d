from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.text.escape import latex, printable, quoted

any_text = st.text(st.characters(exclude_categories=()))


@given(any_text)
def test_nothing_invisible_reaches_the_terminal(text):
    assert all(char.isprintable() or char in "\n\t" for char in printable(text))
    assert quoted(text).isprintable()
    assert quoted([text, {text: None}]).isprintable()


@given(st.text(st.characters(categories=["L", "N", "P"])))
def test_visible_text_is_left_alone(text):
    assert printable(text) == text


def test_escape_sequences_and_bidi_overrides_are_spelt_out():
    assert printable("\x1b[2J\u202eabc\u2066") == "\\x1b[2J\\u202eabc\\u2066"


def test_long_texts_are_cut_before_they_are_quoted():
    assert quoted("\u202e" * 500, limit=3) == "'\\u202e\\u202e\\u202e'..."


def test_the_arrow_between_generator_and_judge_needs_no_font_in_latex():
    assert latex("a → b_1") == r"a $\rightarrow$ b\_1"
