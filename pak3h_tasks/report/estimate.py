"""Every number of a report: value, interval and counts of one set of answers, and the difference of two.

Scores, splits, topics, gaps between languages, comparisons of models, leaderboard and `pak3h moderate` call `estimate`
and `difference`, so that no two of them can print different figures of one quantity. An answer counts where every
column that the metric is made from has a value: TI, a product of two shares, is over the answers with both verdicts.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pak3h_tasks.metrics.registry import Metric, product_of_means
from pak3h_tasks.metrics.winrate import MIN_ITEMS_LENGTH_CONTROLLED, length_controlled_win_rate
from pak3h_tasks.results import Interval
from pak3h_tasks.stats.clustered import clustered_mean_difference, clustered_mean_interval
from pak3h_tasks.stats.intervals import mean_interval, product_interval, t_interval
from pak3h_tasks.stats.paired import mean_difference, product_difference
from pak3h_tasks.stats.tests import Significance, mcnemar, two_proportion_z

Values = npt.NDArray[np.float64]
Columns = Mapping[str, Values]
"""Name -> (n,) values of the same items in the same order; NaN: not scored."""


@dataclass(frozen=True)
class Estimate:
    """A number and what it rests on.

    Attributes:
        value: In the metric's own unit; None: nothing is scored, or too little (see `note`).
        interval: 95 %, which holds the value; None: none can be given.
        n: Items.
        n_scored: Items that the value is made from.
        note: Why there is no value.
    """

    value: float | None
    interval: Interval | None
    n: int
    n_scored: int
    note: str = ""


@dataclass(frozen=True)
class PairedEstimate:
    """First minus second over the items that are scored in both.

    Attributes:
        n: These items.
        first: Value of the first over them; None: there are none.
        second: Value of the second over them.
        value: First minus second.
        interval: 95 %; None with fewer than two items.
        mcnemar: Where every item's value is its own yes/no outcome, so that the test is of the same quantity.
        z: Two-proportion z of the same two rates, unpaired; where `mcnemar` is.
    """

    n: int
    first: float | None
    second: float | None
    value: float | None
    interval: Interval | None
    mcnemar: Significance | None = None
    z: Significance | None = None


def estimate(metric: Metric, columns: Columns, clusters: Sequence[Hashable] | None = None) -> Estimate:
    """One number of some items.

    Args:
        metric: The metric; with clusters, a mean of values in [0, 1].
        columns: At least `Metric.columns`.
        clusters: (n,) what each item belongs to, such as the prompt of a pair; None: items are independent.
    """
    parts = [columns[name] for name in metric.columns]
    scored: npt.NDArray[np.bool_] = np.asarray(np.isfinite(parts).all(axis=0))
    parts = [part[scored] for part in parts]
    n, n_scored = len(scored), int(scored.sum())
    if not n_scored:
        return Estimate(None, None, n, 0, _nothing(metric))
    if metric.aggregation == "length_controlled":
        if n_scored < MIN_ITEMS_LENGTH_CONTROLLED:
            return Estimate(None, None, n, n_scored, f"needs {MIN_ITEMS_LENGTH_CONTROLLED} scored items")
        preferences, chars, reference_chars = (part.tolist() for part in parts)
        found = length_controlled_win_rate(preferences, chars, reference_chars)
        return Estimate(found.value, found.interval, n, n_scored, found.reason or "")
    value = _value(metric, parts)
    if clusters is None:
        interval = _interval(metric, parts)
    else:
        interval = clustered_mean_interval(parts[0], _those(clusters, scored))
    return Estimate(value, _around(value, interval), n, n_scored)


def difference(
    metric: Metric, first: Columns, second: Columns, clusters: Sequence[Hashable] | None = None
) -> PairedEstimate:
    """Difference of one number between two sets of answers to the same items.

    Args:
        metric: The metric; a mean or a product; with clusters, a mean of values in [0, 1].
        first: At least `Metric.columns`.
        second: Of the same items in the same order.
        clusters: As in `estimate`; McNemar's and the z test take items as independent all the same.
    """
    columns = [[side[name] for name in metric.columns] for side in (first, second)]
    both: npt.NDArray[np.bool_] = np.asarray(np.isfinite([part for side in columns for part in side]).all(axis=0))
    one, other = ([part[both] for part in side] for side in columns)
    n = int(both.sum())
    if not n:
        return PairedEstimate(0, None, None, None, None)
    values = _value(metric, one), _value(metric, other)
    if metric.aggregation == "product":
        found = product_difference((one[0], one[1]), (other[0], other[1]))
    elif clusters is not None:
        found = clustered_mean_difference(one[0], other[0], _those(clusters, both))
    else:
        found = mean_difference(one[0], other[0], span=metric.scale)
    value = found.value
    outcomes = _outcomes(metric, one), _outcomes(metric, other)
    if outcomes[0] is None or outcomes[1] is None:
        return PairedEstimate(n, *values, value, _around(value, found.interval))
    return PairedEstimate(
        n,
        *values,
        value,
        _around(value, found.interval),
        mcnemar=mcnemar(outcomes[0].tolist(), outcomes[1].tolist()),
        z=two_proportion_z(values[0], n, values[1], n),
    )


def _value(metric: Metric, parts: list[Values]) -> float:
    if metric.aggregation == "product":
        return product_of_means(list(zip(*(part.tolist() for part in parts), strict=True)))
    return float(parts[0].mean())


def _interval(metric: Metric, parts: list[Values]) -> Interval | None:
    if metric.aggregation == "product":
        return product_interval(parts[0], parts[1])
    return t_interval(parts[0]) if metric.scale is None else mean_interval(parts[0], scale=metric.scale)


def _those(clusters: Sequence[Hashable], kept: npt.NDArray[np.bool_]) -> list[Hashable]:
    return [cluster for cluster, is_kept in zip(clusters, kept, strict=True) if is_kept]


def _around(value: float, interval: Interval | None) -> Interval | None:
    """The interval, stretched to the value where rounding left it a hair outside."""
    if interval is None or interval.low <= value <= interval.high:
        return interval
    return Interval(min(interval.low, value), max(interval.high, value), interval.method)


def _outcomes(metric: Metric, parts: list[Values]) -> npt.NDArray[np.bool_] | None:
    """(n,) yes/no outcomes; None where values are no outcomes: probabilities, halves for ties, products."""
    if metric.label is None:
        return None
    outcomes = metric.label(parts[0])
    return outcomes if np.array_equal(outcomes, parts[0]) else None


def _nothing(metric: Metric) -> str:
    return "no answer has both verdicts" if metric.aggregation == "product" else "nothing is scored"
