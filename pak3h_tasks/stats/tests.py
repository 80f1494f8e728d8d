"""Tests of differences: McNemar for paired yes/no outcomes, two-proportion z for unpaired rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# below it the chi-square approximation is poor and the exact test is cheap
_EXACT_BELOW = 25


@dataclass(frozen=True)
class Significance:
    """A test of no difference.

    Attributes:
        name: ``mcnemar`` or ``two-proportion z``.
        statistic: Chi-square with one degree of freedom, or z; None: exact test, nothing but the p-value.
        p_value: Two-sided.
        method: Which variant.
        only_first: Pairs with yes in the first only (McNemar).
        only_second: Pairs with yes in the second only (McNemar).
    """

    name: str
    statistic: float | None
    p_value: float
    method: str
    only_first: int | None = None
    only_second: int | None = None


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> Significance:
    """McNemar's test on pairs of yes/no outcomes.

    Exact under 25 discordant pairs, otherwise chi-square with continuity correction: max(0, |b - c| - 1)^2 / (b + c),
    so that the correction never turns equal counts into a difference. No discordant pair: p = 1.

    Args:
        first: (n,) outcomes.
        second: (n,) outcomes of the same items, in the same order.

    Raises:
        ValueError: Lengths differ, or no items.
    """
    x, y = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if x.shape != y.shape or not len(x):
        raise ValueError(f"{len(x)} and {len(y)} outcomes; give both of every item, and at least one item")
    only_first, only_second = int((x & ~y).sum()), int((~x & y).sum())
    discordant = only_first + only_second
    if not discordant:
        return Significance("mcnemar", None, 1.0, "no discordant pair", 0, 0)
    if discordant < _EXACT_BELOW:
        from scipy.stats import binomtest

        p_value = float(binomtest(only_first, discordant).pvalue)
        return Significance("mcnemar", None, p_value, "exact", only_first, only_second)
    from scipy.stats import chi2

    statistic = max(0, abs(only_first - only_second) - 1) ** 2 / discordant
    method = "chi-square with continuity correction"
    return Significance("mcnemar", statistic, float(chi2.sf(statistic, 1)), method, only_first, only_second)


def two_proportion_z(rate_first: float, n_first: int, rate_second: float, n_second: int) -> Significance | None:
    """Two-proportion z test with pooled variance; None where both rates are 0 or both are 1.

    Args:
        rate_first: In [0, 1].
        n_first: At least 1.
        rate_second: In [0, 1].
        n_second: At least 1.

    Raises:
        ValueError: A rate outside [0, 1], or no items.

    Example:
        >>> round(two_proportion_z(0.1986, 4445, 0.1319, 4445).statistic, 2)  # published
        8.47
    """
    if min(n_first, n_second) < 1 or not (0 <= rate_first <= 1 and 0 <= rate_second <= 1):
        raise ValueError(
            f"rates {rate_first} of {n_first} and {rate_second} of {n_second}; rates are in [0, 1], n >= 1"
        )
    pooled = (rate_first * n_first + rate_second * n_second) / (n_first + n_second)
    if pooled in (0.0, 1.0):
        return None
    from statsmodels.stats.proportion import proportions_ztest

    statistic, p_value = proportions_ztest([rate_first * n_first, rate_second * n_second], [n_first, n_second])
    return Significance("two-proportion z", float(statistic), float(p_value), "pooled variance, two-sided")
