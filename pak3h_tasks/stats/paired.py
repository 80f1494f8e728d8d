"""Differences between two sets of scores of the same items: two languages, two models, two versions of a text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pak3h_tasks.results import Interval
from pak3h_tasks.stats.intervals import Values, bounded


@dataclass(frozen=True)
class Difference:
    """First minus second over the items that have both. `interval` None: too few items."""

    value: float
    n: int
    interval: Interval | None


def mean_difference(first: Values, second: Values, *, span: float | None = 1.0) -> Difference:
    """Mean of the paired differences, with Student's interval.

    Where values have bounds, one pseudo-pair is spread evenly over the four extreme outcomes (half of Agresti and Min's
    2005 adjustment for paired proportions): with few discordant pairs the plain interval is too narrow.

    Args:
        first: (n,) scores, n at least 1.
        second: (n,) scores of the same items, in the same order.
        span: Largest possible value, the smallest being 0; None: no bounds, no adjustment.

    Raises:
        ValueError: Lengths differ, no values, one outside [0, span] or NaN.

    Example:
        >>> mean_difference([1, 1, 0, 1], [0, 1, 0, 0]).value
        0.5
    """
    x, y = _pair(first, second, span)
    difference = x - y
    weight, squares = (0.0, 0.0) if span is None else (1.0, 0.5 * span**2)
    return _difference(float(difference.mean()), difference, weight, squares, span)


def product_difference(first: tuple[Values, Values], second: tuple[Values, Values]) -> Difference:
    """Difference of two products of means (TI), each of two verdicts in [0, 1], over the same items.

    The interval is Student's on the items' influences on the difference (delta method with all four covariances), with
    the pseudo-pair of `mean_difference`.

    Args:
        first: Two (n,) verdicts of the first set.
        second: Two (n,) verdicts of the second, of the same items in the same order.

    Raises:
        ValueError: Lengths differ, no values, one outside [0, 1] or NaN.
    """
    a, b = _pair(*first, 1.0)
    c, d = _pair(*second, 1.0)
    if len(a) != len(c):
        raise ValueError(f"{len(a)} and {len(c)} items; give the same items in the same order")
    value = float(a.mean() * b.mean() - c.mean() * d.mean())
    influence = _influence(a, b) - _influence(c, d) + value
    # how far two answers' influences can be apart: (1, 1) against (0, 0)
    largest = max(float(a.mean() + b.mean()), float(c.mean() + d.mean()))
    return _difference(value, influence, 1.0, 0.5 * largest**2, 1.0)


def _influence(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(y.mean() * (x - x.mean()) + x.mean() * (y - y.mean()))


def _difference(
    value: float, difference: npt.NDArray[np.float64], weight: float, squares: float, span: float | None
) -> Difference:
    from scipy.stats import t

    n = len(difference)
    if n == 1:
        return Difference(value, n, None)
    total = n + weight
    mean = float(difference.sum()) / total
    if weight:
        variance = (float(np.square(difference).sum()) + squares) / total - mean**2
    else:
        variance = float(difference.var(ddof=1))
    half = float(t.ppf(0.975, n - 1) * np.sqrt(variance / total))
    low, high = mean - half, mean + half
    if span is not None:
        low, high = max(low, -span), min(high, span)
    return Difference(value, n, Interval(low, high, "paired t, one pseudo-pair" if weight else "paired t"))


def _pair(first: Values, second: Values, span: float | None) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    x, y = bounded(first, span), bounded(second, span)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} and {len(y)} values; give both of every item")
    return x, y
