"""How much probability a judge's first content token gives to each label, from the top log-probabilities."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence

from pak3h_tasks.backends.protocol import Position

# Everything around a word that is no letter or digit, and the space marks of SentencePiece and byte-level BPE.
_AROUND = re.compile("^[\\W_\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}]+|[\\W_]+$")


def bare(token: str) -> str:
    """A token without the spaces, markdown and quotes around it.

    Example:
        >>> bare(" **Yes"), bare("▁m"), bare("Ġno"), bare('"')
        ('Yes', 'm', 'no', '')
    """
    visible = token if token.isascii() else "".join(c for c in token if unicodedata.category(c) != "Cf")
    return _AROUND.sub("", visible)


def label_masses(
    positions: Sequence[Position] | None, label_of: Callable[[str], int | None], n_labels: int, text: str = ""
) -> tuple[float, ...] | None:
    """Mass of each label at the first content token.

    Args:
        positions: The first generated positions; decoration (spaces, quotes, markdown) before the label is skipped.
        label_of: Index of the label that a bare token spells; None: another word.
        n_labels: Number of labels.
        text: The whole reply; where it does not begin with the sampled tokens, the log-probabilities are not its own.

    Returns:
        (n_labels,) fractions in [0, 1]; None without usable log-probabilities.

    Example:
        >>> top = (("m", math.log(0.5)), (" m", math.log(0.25)), ("M", math.log(0.25)))
        >>> label_masses([Position("**", ()), Position("m", top)], {"m": 0, "M": 1}.get, 2)
        (0.75, 0.25)
    """
    said = ""
    for token, top in positions or ():
        said += token
        if not bare(token):
            continue
        if text and not bare(text).startswith(bare(said)):
            return None
        masses = [0.0] * n_labels
        for candidate, logprob in top:
            label = label_of(bare(candidate))
            if label is not None:
                masses[label] += math.exp(min(logprob, 0.0))
        return tuple(masses)
    return None
