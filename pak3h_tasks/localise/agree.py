"""From labels to one label an item: majority, a second round by fresh annotators, and how far the annotators agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.pseudonyms import same_person
from pak3h_tasks.localise.ratings import Ratings
from pak3h_tasks.schema import SPLITS, Localization
from pak3h_tasks.stats.agreement import fleiss_kappa, majority_agreement, mean_pairwise_agreement
from pak3h_tasks.text.escape import quoted


@dataclass(frozen=True)
class Decision:
    """The label of one item, or why it has none.

    Attributes:
        label: None: conflicted in its last round.
        round: 1 or 2, the round that decided.
        reason: How the votes went, for people.
    """

    label: Localization | None
    round: int
    reason: str


@dataclass(frozen=True)
class LabelAgreement:
    """How far the annotators of one dataset agreed in one round.

    Attributes:
        kappa: Fleiss' kappa (generalised where `unequal`); None: no item has two labels.
        majority: Share of items with two labels or more on which more than half agree.
        pairwise: Mean over items of the share of annotator pairs that agree.
        unequal: Whether items have different numbers of labels.
        boundaries: Pairs of annotators by the two labels they gave one item, such as ``{"DT-LC": 14}``.
        most_disputed: The boundary with most disagreeing pairs; None: nobody disagreed.
        annotators: For each one: items labelled and skipped, and the share of decided items on which they are with the
            majority (None: no such item).
    """

    dataset: str
    round: int
    items: int
    labels: int
    skipped: int
    kappa: float | None
    majority: float | None
    pairwise: float | None
    unequal: bool
    boundaries: dict[str, int]
    most_disputed: str | None
    annotators: dict[str, dict[str, float | int | None]]

    def to_json(self) -> dict[str, Any]:
        """Plain dict of JSON values."""
        return asdict(self)


def majority(votes: Mapping[Localization, int]) -> Localization | None:
    """The label more than half of at least two annotators gave.

    Example:
        >>> majority({"dt": 2, "lc": 1}), majority({"dt": 1, "lc": 1}), majority({"dt": 1})
        ('dt', None, None)
    """
    total = sum(votes.values())
    return next((label for label, count in votes.items() if total > 1 and 2 * count > total), None)


def decide(first: Ratings, second: Ratings | None = None) -> dict[str, Decision]:
    """One decision an item: by the first round's majority, else by the second round's alone.

    Args:
        first: The first round.
        second: Fresh annotators' labels of exactly the items the first round left conflicted.

    Raises:
        DataError: `second` holds other items, or an annotator of the first round.
    """
    decisions = {item_id: _decision(first, item_id, 1) for item_id in first.labels}
    if second is None:
        return decisions
    conflicted = {item_id for item_id, decision in decisions.items() if decision.label is None}
    if again := [name for name in second.annotators if any(same_person(name, other) for other in first.annotators)]:
        raise DataError(
            f"{first.dataset}: {', '.join(map(quoted, again))} labelled in round 1 already; "
            "round 2 needs fresh annotators"
        )
    for what, odd in (
        ("leaves out conflicted items", conflicted - set(second.labels)),
        ("holds items that are not conflicted", set(second.labels) - conflicted),
    ):
        if odd:
            raise DataError(
                f"{first.dataset}: round 2 {what}: {len(odd):,}, such as {quoted(min(odd))}; "
                "use the sheets that round 1 wrote"
            )
    return decisions | {item_id: _decision(second, item_id, 2) for item_id in second.labels}


def agreement(ratings: Ratings, round_number: int = 1) -> LabelAgreement:
    """The figures of one round of one dataset."""
    counts = ratings.counts()
    boundaries = {
        f"{a.upper()}-{b.upper()}": sum(row[SPLITS.index(a)] * row[SPLITS.index(b)] for row in counts)
        for a, b in combinations(SPLITS, 2)
    }
    agreeing = {
        f"{label.upper()}-{label.upper()}": sum(row[i] * (row[i] - 1) // 2 for row in counts)
        for i, label in enumerate(SPLITS)
    }
    return LabelAgreement(
        dataset=ratings.dataset,
        round=round_number,
        items=len(counts),
        labels=sum(map(sum, counts)),
        skipped=sum(label is None for given in ratings.labels.values() for label in given.values()),
        kappa=fleiss_kappa(counts),
        majority=majority_agreement(counts),
        pairwise=mean_pairwise_agreement(counts),
        unequal=len({sum(row) for row in counts}) > 1,
        boundaries=agreeing | boundaries,
        most_disputed=max(boundaries, key=boundaries.__getitem__) if any(boundaries.values()) else None,
        annotators={name: _record(ratings, name) for name in ratings.annotators},
    )


def _decision(ratings: Ratings, item_id: str, round_number: int) -> Decision:
    votes = ratings.votes(item_id)
    label = majority(votes)
    told = ", ".join(f"{name.upper()} {votes[name]}" for name in SPLITS if votes[name]) or "no labels"
    return Decision(label, round_number, f"{'majority' if label else 'no majority'} in round {round_number} ({told})")


def _record(ratings: Ratings, annotator: str) -> dict[str, float | int | None]:
    given = [(item_id, labels[annotator]) for item_id, labels in ratings.labels.items() if annotator in labels]
    labelled = [(item_id, label) for item_id, label in given if label is not None]
    verdicts = [
        majority(ratings.votes(item_id)) == label for item_id, label in labelled if majority(ratings.votes(item_id))
    ]
    tally = Counter(label for _, label in labelled)
    return {
        "labelled": len(labelled),
        "skipped": len(given) - len(labelled),
        **{name.upper(): tally[name] for name in SPLITS},
        "with_majority": sum(verdicts) / len(verdicts) if verdicts else None,
    }
