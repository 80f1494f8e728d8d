"""Texts for tests: hypothesis strategies and hostile strings."""

from __future__ import annotations

from hypothesis import strategies as st

ARABIC_BLOCK = st.characters(min_codepoint=0x0600, max_codepoint=0x06FF)
ODD = st.sampled_from("\u200c\u200d\u200f\u202e\ufeff\ufefb\ufdfa\ufdf2\u0654\u0653\u0655 \n.:*<>/AQ?\"'()")
# No category left out: lone surrogates and unassigned code points are strings too.
ANYTHING = st.characters(exclude_categories=())

any_text = st.text(st.one_of(ARABIC_BLOCK, ODD, ANYTHING), max_size=60)

HOSTILE = {
    "empty": "",
    "spaces": " \t\n\u00a0",
    "nul": "a\x00b جواب\x00",
    "lone surrogate": "جواب \ud83d یہ ہے",
    "lone low surrogate": "\udc00",
    "right-to-left override": "\u202eجواب\u202c answer \u2067x",
    "signs only": "∞ ؟ !!! —",
    "unclosed thinking": "<think>" * 2000,
    "format fields": "{answer} %s \\N{BULLET}",
    "100,000 Urdu characters": "یہ ایک لمبا جواب ہے۔ " * 5000,
    "100,000 characters, one word": "ا" * 100_000,
    "100,000 line breaks": "\n" * 100_000,
    "many labels": "A: جواب: " * 5000,
    "open emphasis": "**A: " * 5000,
    "a long run of spaces": "x" + " " * 100_000 + "y",
}
