"""Agreement of two raters on nominal labels: raw agreement and Cohen's kappa, with intervals by prompt."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pak3h_tasks.results import Interval
from pak3h_tasks.stats.clustered import cluster_numbers, clustered_mean_interval, ordinary_size

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TwoRaters:
    """How far two raters agree.

    Attributes:
        n: Items rated by both.
        agreement: Share of them with the same label, in [0, 1].
        agreement_interval: By prompt (`clustered_mean_interval`).
        kappa: At most 1; exactly 1 for perfect agreement, also where only one label occurs.
        kappa_interval: By prompt, in [-1, 1]; None with one prompt.
        labels: Labels in order of `counts`.
        counts: (n_labels, n_labels) first rater's label by second rater's.
    """

    n: int
    agreement: float
    agreement_interval: Interval
    kappa: float
    kappa_interval: Interval | None
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


def two_raters(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    labels: Sequence[Hashable],
    clusters: Sequence[Hashable] | None = None,
) -> TwoRaters:
    """Compare two raters.

    Args:
        first: (n,) labels, n at least 1.
        second: (n,) labels of the same items, in the same order.
        labels: Every label there is.
        clusters: (n,) what each item belongs to, such as its prompt; None: items are independent.

    Raises:
        ValueError: Lengths differ, nothing to compare, or an unknown label.

    Example:
        >>> found = two_raters("yyyn", "yynn", "yn")
        >>> found.agreement, found.kappa
        (0.75, 0.5)
    """
    if len(first) != len(second) or not len(first):
        raise ValueError(f"{len(first)} and {len(second)} labels; give both of every item, and at least one item")
    place = {label: index for index, label in enumerate(labels)}
    unknown = sorted({str(label) for label in (*first, *second) if label not in place})
    if unknown:
        raise ValueError(f"unknown labels {', '.join(unknown)}")
    ours, theirs = (np.array([place[label] for label in part]) for part in (first, second))
    belonging = range(len(first)) if clusters is None else clusters
    counts = np.zeros((len(place), len(place)))
    np.add.at(counts, (ours, theirs), 1)
    same = ours == theirs
    kappa = _kappa(counts)
    return TwoRaters(
        n=len(first),
        agreement=float(same.mean()),
        agreement_interval=clustered_mean_interval(same, belonging),
        kappa=kappa,
        kappa_interval=_kappa_interval(kappa, counts, ours, theirs, cluster_numbers(belonging, len(first))),
        labels=tuple(str(label) for label in labels),
        counts=tuple(tuple(int(count) for count in row) for row in counts),
    )


def _kappa(counts: FloatArray) -> float:
    if np.trace(counts) == counts.sum():
        return 1.0
    from statsmodels.stats.inter_rater import cohens_kappa

    return float(cohens_kappa(counts, return_results=False))


def _kappa_interval(
    kappa: float, counts: FloatArray, ours: npt.NDArray[np.intp], theirs: npt.NDArray[np.intp],
    members: npt.NDArray[np.intp],
) -> Interval | None:  # fmt: skip
    """Student's on the prompts' influences on kappa (delta method).

    One pseudo-prompt of ordinary size is spread evenly over the pairs of labels: with few disagreements, the plain
    interval is too narrow, and with none there would be none.
    """
    from scipy.stats import t

    groups = int(members.max()) + 1
    if groups == 1:
        return None
    size = ordinary_size(members)
    spread = counts + size / counts.size
    total = float(spread.sum())
    shares = spread / total
    agreed = float(np.trace(shares))
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    chance = float(rows @ columns)
    centre = (agreed - chance) / (1 - chance)
    # of an item with label i by the first rater and j by the second
    chance_influence = columns[:, None] + rows[None, :] - 2 * chance
    influence = ((np.eye(len(rows)) - agreed) * (1 - chance) - (1 - agreed) * chance_influence) / (1 - chance) ** 2
    squares = float(np.square(np.bincount(members, weights=influence[ours, theirs])).sum())
    squares += size**2 * float(np.square(influence).mean())
    half = float(t.ppf(0.975, groups - 1)) * float(np.sqrt(squares * (groups + 1) / groups)) / total
    low, high = max(-1.0, centre - half), min(1.0, centre + half)
    return Interval(min(low, kappa), max(high, kappa), f"delta method, by {groups} prompts")
