"""Label cues: does the opening, the length, the punctuation or a negation of an answer tell whether it is right?

A cue is something that some answers show ("opens with yes", "is the longest"). If it had nothing to do with the labels,
the labels of one question's answers could be exchanged. The number of right answers among those with the cue would then
be hypergeometric within a question, and its sum over the questions has an exact distribution (Mantel and Haenszel 1959;
the exact form is R's ``mantelhaen.test(exact = TRUE)``). Questions are strata because answers to one question share
their words, and because a model chooses within a question.

A cue is reported where p is below `ALPHA`, not corrected for the number of cues: a missed cue is in every score, while
a false alarm costs the rewording of a sentence. With three right and three wrong answers a question, that is an opening
which six questions have on one side only, or two questions in all answers of one side.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import comb
from statistics import median
from typing import NamedTuple

ALPHA = 0.05
NEGATION = re.compile(
    r"\b(?:no|not|never|nothing|nobody|none|neither|cannot|without|\w+n't|نہیں|نہ|مت|بغیر)\b",
)


class Stratum(NamedTuple):
    """One question, seen by one cue: how many answers, how many of them right, with the cue, and both."""

    answers: int
    right: int
    shown: int
    shown_right: int


def exact_p(strata: Sequence[Stratum]) -> float:
    """Two-sided p that the cue is unrelated to the labels: labellings at most as likely as the one observed.

    Example:
        >>> exact_p([Stratum(2, 1, 1, 1)] * 6)  # six pairs, the cue always on the right answer: 2 / 2**6
        0.03125
    """
    ways = [1]  # ways[n]: labellings that put the cue on n right answers
    for answers, right, shown, _ in strata:
        here = [comb(shown, n) * comb(answers - shown, right - n) if n <= right else 0 for n in range(shown + 1)]
        ways = [
            sum(ways[k] * here[n - k] for k in range(len(ways)) if 0 <= n - k < len(here))
            for n in range(len(ways) + len(here) - 1)
        ]
    observed = ways[sum(stratum.shown_right for stratum in strata)]
    return sum(count for count in ways if count <= observed) / sum(ways)


def cues_of(answer: str, others: Sequence[str], usual: float) -> set[str]:
    """What an answer shows among the answers to its question (itself included); `usual`: the median length of all."""
    lengths = [len(other) for other in others]
    words = re.findall(r"\w+", answer.casefold())
    found = (
        {f"opens with {words[0]}", f"opens with {words[0]} {words[1]}"}
        if len(words) > 1
        else {f"opens with {words[0]}"}
    )
    found |= {f"holds {mark}" for mark in answer if unicodedata.category(mark).startswith("P")}
    found |= {"denies something"} if NEGATION.search(answer.casefold()) else set()
    found |= {"is the longest"} if len(answer) == max(lengths) else set()
    found |= {"is the shortest"} if len(answer) == min(lengths) else set()
    found |= {f"has over {usual:g} characters"} if len(answer) > usual else set()
    return found


def label_cues(questions: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Iterator[str]:
    """The cues of a set, one line each.

    Args:
        questions: Right and wrong answers of each question.
    """
    usual = median(len(answer) for sides in questions for side in sides for answer in side)
    strata: dict[str, list[Stratum]] = defaultdict(list)
    for right, wrong in questions:
        everything = [*right, *wrong]
        among_right, among_all = (
            Counter(cue for answer in side for cue in cues_of(answer, everything, usual))
            for side in (right, everything)
        )
        for cue, shown in among_all.items():
            strata[cue].append(Stratum(len(everything), len(right), shown, among_right[cue]))
    for cue, seen in sorted(strata.items()):
        p = exact_p(seen)
        if p < ALPHA:
            shown, good = (sum(column) for column in list(zip(*seen, strict=True))[2:])
            expected = sum(stratum.shown * stratum.right / stratum.answers for stratum in seen)
            yield f"{cue}: {good} of {shown} are right, {expected:.1f} would be by chance (p {p:.2g}): reword some"
