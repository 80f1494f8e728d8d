"""Agreement of a judge's or classifier's verdicts with human labels: the one place it is computed, by prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from pak3h_tasks.data.human_labels import QUESTIONS
from pak3h_tasks.stats.agreement import fleiss_kappa
from pak3h_tasks.stats.kappa import TwoRaters, two_raters

Verdicts = Mapping[str, str | None]
"""Item id -> label; None: not scored."""
Votes = Mapping[str, Sequence[str]]
"""Item id -> labels that humans gave it, at least one."""


@dataclass(frozen=True)
class Agreement:
    """A judge against humans, on one question, model and language.

    Attributes:
        system: Label of the model whose answers were judged, or the data's own pairs.
        lang: Language.
        question: truthful, informative, preference or unsafe.
        labelled: Items of this log that have a human label.
        unscored: Of these, without a verdict.
        tied: Of these, with as many human votes for one label as for another; left out.
        result: Agreement and kappa over the rest; None: nothing left.
        made_by: What made the verdicts.
        human_raters: Most human raters of an item.
        human_kappa: Fleiss' kappa among the humans; None with fewer than two.
    """

    system: str
    lang: str
    question: str
    labelled: int
    unscored: int
    tied: int
    result: TwoRaters | None
    made_by: tuple[str, ...]
    human_raters: int
    human_kappa: float | None


def rater_agreement(
    system: str,
    lang: str,
    question: str,
    verdicts: Verdicts,
    votes: Votes,
    prompts: Mapping[str, Hashable],
    made_by: tuple[str, ...],
) -> Agreement:
    """Compare the verdicts with the humans' majority, item by item.

    Args:
        system: Label of what was judged.
        lang: Language.
        question: One of `QUESTIONS`.
        verdicts: Of at least the items in `votes`.
        votes: Human labels, at least one item.
        prompts: Item id -> its prompt, where several items may share one; an item that is not there is its own.
        made_by: What made the verdicts.
    """
    names = QUESTIONS[question]
    judge, human, clusters = [], [], []
    unscored = tied = 0
    for identifier, given in votes.items():
        verdict, majority = verdicts[identifier], _majority(given)
        unscored += verdict is None
        tied += majority is None
        if verdict is not None and majority is not None:
            judge.append(verdict)
            human.append(majority)
            clusters.append(prompts.get(identifier, identifier))
    counts = [[list(given).count(name) for name in names] for given in votes.values()]
    raters = max(map(len, votes.values()))
    return Agreement(
        system=system,
        lang=lang,
        question=question,
        labelled=len(votes),
        unscored=unscored,
        tied=tied,
        result=two_raters(judge, human, names, clusters) if judge else None,
        made_by=made_by,
        human_raters=raters,
        human_kappa=fleiss_kappa(counts) if raters > 1 else None,
    )


def _majority(votes: Sequence[str]) -> str | None:
    ranked = Counter(votes).most_common(2)
    return None if len(ranked) == 2 and ranked[0][1] == ranked[1][1] else ranked[0][0]
