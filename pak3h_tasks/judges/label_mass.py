"""How much probability a judge gives to each of its two labels, from the top log-probabilities where a label stands.

Constrained decoding changes log-probabilities on some servers (vLLM gives those after the mask) and not on others
(llama.cpp gives those before it): measured in docs/judges.md. The mask divides both labels by the same number, so that
their share of each other, which is all that is read here, is the same either way.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pak3h_tasks.backends.protocol import Position, Reply

# Everything around a word that is no letter or digit, and the space marks of SentencePiece and byte-level BPE.
_AROUND = re.compile("^[\\W_\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}]+|[\\W_]+$")

# A free reply whose labels hold less than this together is about something else.
_LEAST_MASS = 0.5
# A label that is not in the list has at most the mass of the list's last token. Where that could move the probability
# by more than this, it is not known.
_OPEN = 0.01


class Share(NamedTuple):
    """Probability of the first label against the second, and what both hold together."""

    first: float
    mass: float


def label_share(
    reply: Reply, choices: tuple[str, str], label_of: Callable[[str], int | None], *, both: bool = False
) -> Share | None:
    """Probability of the first of two labels, from a reply's log-probabilities; None: they do not tell.

    A free reply counts every spelling of a label at its first content token, and only where the labels hold half of
    the mass there: a model that was going to say something else has not decided between them. A constrained reply
    counts the labels as they were offered, at the place where they stand, whatever they hold.

    Args:
        reply: What the judge said.
        choices: The two labels.
        label_of: Index of the label that a bare token of a free reply spells; None: another word.
        both: In a free reply both labels must be listed; else the list may show that the other has next to nothing.

    Example:
        >>> top = (("The", -1.7), ("M", -1.83), ("m", -2.83))
        >>> label_share(Reply("M", (Position("M", top),)), ("m", "M"), {"m": 0, "M": 1}.get) is None
        True
        >>> share = label_share(Reply("M", (Position("M", top),), constrained="grammar"), ("m", "M"), {}.get)
        >>> round(share.first, 3)  # e^-2.83 / (e^-1.83 + e^-2.83)
        0.269
    """
    if reply.constrained is None:
        masses = label_masses(reply.logprobs, label_of, 2, reply.text)
        if masses is None or math.fsum(masses) < _LEAST_MASS:
            return None
        # the last position looked at is the first with content
        position = next((p for p in reply.logprobs or () if bare(p.token)), None)
    else:
        position = reply.logprobs[0] if reply.logprobs else None
        masses = None if position is None else _offered_masses(position, choices)
    if position is None or masses is None or not (mass := math.fsum(masses)):
        return None
    if not min(masses):
        if both and reply.constrained is None:
            return None
        listed = [math.exp(min(logprob, 0.0)) for _, logprob in position.top]
        unlisted = min(min(listed), max(0.0, 1.0 - math.fsum(listed)))
        if unlisted > _OPEN * (mass + unlisted):
            return None
    return Share(masses[0] / mass, mass)


def _offered_masses(position: Position, choices: Sequence[str]) -> tuple[float, ...]:
    """Mass of each label; of its beginnings, where the tokenizer cut the label that was said into several tokens."""
    said_whole = position.token in choices
    masses = [0.0] * len(choices)
    for token, logprob in position.top:
        begun = [
            index
            for index, choice in enumerate(choices)
            if (token == choice if said_whole else choice.startswith(token))
        ]
        if token and len(begun) == 1:
            masses[begun[0]] += math.exp(min(logprob, 0.0))
    return tuple(masses)


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
