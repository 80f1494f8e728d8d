"""What the wording of an answer says about a refusal: a small linear model beside the rules.

Rules hear what they were written for; refusals are worded in more ways than that. The model knows pieces of words
(2 to 4 characters) of the labelled refusals in English, Urdu and Roman Urdu, as many texts of each, and is a logistic
regression over their tf-idf. `python utils/train_refusals.py` makes it; docs/refusals.md has what it adds to the rules.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

WEIGHTS = Path(__file__).with_name("weights.json")
_SIZES = (2, 3, 4)


def pieces(text: str) -> Iterator[str]:
    """Two to four characters in a row, within words; a word's ends are blanks."""
    for word in text.split():
        padded = f" {word} "
        for size in _SIZES:
            for start in range(len(padded) - size + 1):
                yield padded[start : start + size]


def log_odds(text: str) -> float:
    """How likely an answer with these sentences is to be a refusal, as natural log-odds at equal shares of both.

    Args:
        text: The sentences that `own_sentences` gives, in lower case; Urdu as `respelled` writes it.
    """
    weights, intercept = _weights()
    total = squares = 0.0
    for piece, count in Counter(pieces(text)).items():
        if known := weights.get(piece):
            idf, weight = known
            value = (1 + math.log(count)) * idf
            total += value * weight
            squares += value * value
    return intercept + (total / math.sqrt(squares) if squares else 0.0)


@cache
def _weights() -> tuple[dict[str, tuple[float, float]], float]:
    """Piece -> its inverse document frequency and weight; and the intercept."""
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return {piece: (idf, weight) for piece, (idf, weight) in stored["pieces"].items()}, stored["intercept"]
