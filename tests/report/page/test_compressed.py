"""Packed data comes back as it was, and is nothing but base64."""

import re

from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.report.page.compressed import compressed, decompressed
from support.texts import ANYTHING

# two lone surrogates that make a pair are one letter to JSON
texts = st.text(ANYTHING, max_size=40).map(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
)
content = st.recursive(st.none() | st.booleans() | st.integers() | texts, st.lists, max_leaves=10)


@given(content)
def test_there_and_back(value):
    text = compressed(value)
    assert decompressed(text) == value
    assert re.fullmatch("[A-Za-z0-9+/]*=*", text)


def test_lone_surrogates_stay_and_the_same_gives_the_same():
    assert decompressed(compressed(["\ud800", "a\udc00"])) == ["\ud800", "a\udc00"]
    assert compressed({"a": 1}) == compressed({"a": 1})
