r"""Words in any script: runs of letters, marks and digits (scoring.md, section 2).

rouge_score's own tokenizer keeps [a-z0-9] only, so two identical Urdu sentences share no word and score 0. Python's
``\w`` does not match combining marks and splits a vowelled word at each of them; `regex` knows the categories.
"""

from __future__ import annotations

from functools import lru_cache

import regex

TOKENISER = "words-1"
"""Version name of `words`, the same for every language, for score signatures."""

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")


def words(text: str) -> list[str]:
    """Words of a text that is already normalised and case-folded; equals rouge_score's tokens on ASCII text.

    Example:
        >>> words("msg مُضر نہیں, 1947 میں?")
        ['msg', 'مُضر', 'نہیں', '1947', 'میں']
    """
    return _WORD.findall(text)


class WordTokenizer:
    """`words` in the shape `rouge_score.rouge_scorer.RougeScorer(tokenizer=...)` takes; give it normalised texts.

    rouge_score asks for the answer's tokens again with every reference, so the latest texts are remembered.

    Example:
        >>> WordTokenizer().tokenize("MSG, نمک")
        ['msg', 'نمک']
    """

    def __init__(self) -> None:
        self._tokens = lru_cache(maxsize=128)(lambda text: words(text.casefold()))

    def tokenize(self, text: str) -> list[str]:
        """Words of a normalised text; the list is shared between calls: do not change it."""
        return self._tokens(text)
