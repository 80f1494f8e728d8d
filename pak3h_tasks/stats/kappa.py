"""Agreement of two raters on nominal labels: raw agreement and Cohen's kappa (statsmodels), both with intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from pak3h_tasks.results import Interval
from pak3h_tasks.stats.intervals import Z95, rate_interval


@dataclass(frozen=True)
class TwoRaters:
    """How far two raters agree.

    Attributes:
        n: Items rated by both.
        agreement: Share of them with the same label, in [0, 1].
        agreement_interval: Wilson's.
        kappa: At most 1; exactly 1 for perfect agreement, also where only one label occurs.
        kappa_interval: Large-sample (Fleiss, Cohen and Everitt 1969); None where its variance is 0: perfect agreement,
            or a rater with one label only.
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


def two_raters(first: Sequence[Hashable], second: Sequence[Hashable], labels: Sequence[Hashable]) -> TwoRaters:
    """Compare two raters.

    Args:
        first: (n,) labels, n at least 1.
        second: (n,) labels of the same items, in the same order.
        labels: Every label there is.

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
    counts = [[0] * len(place) for _ in place]
    for a, b in zip(first, second, strict=True):
        counts[place[a]][place[b]] += 1
    n = len(first)
    same = sum(counts[i][i] for i in range(len(place)))
    kappa, interval = 1.0, None
    if same < n:
        from statsmodels.stats.inter_rater import cohens_kappa

        with np.errstate(invalid="ignore"):  # 0 / 0 in its z value where a rater has one label only
            found = cohens_kappa(counts)
        kappa, half = float(found.kappa), Z95 * float(found.std_kappa)
        if half > 0:
            interval = Interval(max(-1.0, kappa - half), min(1.0, kappa + half), "large-sample")
    names = tuple(str(label) for label in labels)
    return TwoRaters(n, same / n, rate_interval(same, n), kappa, interval, names, tuple(map(tuple, counts)))
