r"""Words in any script: runs of letters, marks and digits (docs/scoring.md).

rouge_score's own tokenizer keeps [a-z0-9] only, so two identical Urdu sentences share no word and score 0. Python's
``\w`` does not match combining marks and splits a vowelled word at each of them; `regex` knows the categories.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import regex

from pak3h_tasks.schema import Lang

TOKENISER: Mapping[Lang, str] = MappingProxyType({"ur": "words-2", "urmt": "words-2", "en": "words-1"})
"""Version name of `words` for each language, for score signatures."""

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_WORD_OR_DECIMAL = regex.compile(r"\p{N}+(?:\.\p{N}+)+|[\p{L}\p{M}\p{N}]+")


def words(text: str, lang: Lang = "en") -> list[str]:
    """Words of a text that is already normalised and case-folded; in English rouge_score's tokens on ASCII text.

    In Urdu 3.5 is one word; English splits it, as every published ROUGE does.

    Example:
        >>> words("msg مُضر نہیں, 1947 میں?")
        ['msg', 'مُضر', 'نہیں', '1947', 'میں']
    """
    return (_WORD if lang == "en" else _WORD_OR_DECIMAL).findall(text)


class WordTokenizer:
    """`words` in the shape `rouge_score.rouge_scorer.RougeScorer(tokenizer=...)` takes; give it normalised texts.

    rouge_score asks for the answer's tokens again with every reference, so the latest texts are remembered.

    Example:
        >>> WordTokenizer().tokenize("MSG, نمک")
        ['msg', 'نمک']
    """

    def __init__(self, lang: Lang = "en") -> None:
        self._tokens = lru_cache(maxsize=128)(lambda text: words(text.casefold(), lang))

    def tokenize(self, text: str) -> list[str]:
        """Words of a normalised text; the list is shared between calls: do not change it."""
        return self._tokens(text)
