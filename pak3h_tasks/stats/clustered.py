"""95 % intervals where answers to one prompt are alike (12,584 pairs over 3,500 prompts): prompts are what was sampled.

A mean's variance between prompts gives the number of independent yes/no answers that would know as much, n_eff, and
Clopper and Pearson's limits are taken of that many (Korn and Graubard, Survey Methodology 1998):

- one pseudo-prompt of ordinary size, half at 0 and half at 1, stands beside the real ones, so that prompts which are
  all alike, as at a rate of 0, do not claim certainty: there each prompt counts once, however many answers it has;
- answers never count for more than independent ones would: n_eff has that ceiling;
- the variance is estimated from few prompts: n_eff shrinks by (z / t)^2 with Student's t of the prompts less one.

Simulated coverage: utils/sim_clustered.py, docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from pak3h_tasks.results import Interval
from pak3h_tasks.stats.intervals import Z95, Values, bounded
from pak3h_tasks.stats.paired import Difference

FloatArray = npt.NDArray[np.float64]


def clustered_mean_interval(values: Values, clusters: Sequence[Hashable]) -> Interval:
    """Interval of the mean of values in [0, 1], rates included.

    Args:
        values: (n,) in [0, 1], n at least 1.
        clusters: (n,) what each belongs to, such as its prompt.

    Returns:
        Inside [0, 1], around the mean.

    Raises:
        ValueError: Lengths differ, no values, or one outside the range or NaN.

    Example:
        >>> found = clustered_mean_interval([1, 1, 0, 0, 1, 1], "aabbcc")
        >>> round(found.low, 2), round(found.high, 2), found.method
        (0.0, 1.0, 'effective n 1, by 3 prompts')
    """
    x = bounded(values)
    members = cluster_numbers(clusters, len(x))
    groups = int(members.max()) + 1
    effective = _effective_n(x, members, groups)
    low, high = _exact_limits(float(x.mean()), effective)
    return Interval(low, high, f"effective n {effective:.0f}, by {groups} prompts")


def clustered_mean_difference(first: Values, second: Values, clusters: Sequence[Hashable]) -> Difference:
    """Mean of paired differences of values in [0, 1], with Student's interval on the prompts' sums.

    One pseudo-prompt of ordinary size is spread evenly over the four extreme outcomes, as the pseudo-pair of
    `paired.mean_difference`.

    Args:
        first: (n,) values, n at least 1.
        second: (n,) values of the same items, in the same order.
        clusters: (n,) what each item belongs to.

    Returns:
        First minus second; `interval` None with one cluster.

    Raises:
        ValueError: Lengths differ, no values, or one outside the range or NaN.
    """
    from scipy.stats import t

    x, y = bounded(first), bounded(second)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} and {len(y)} values; give both of every item")
    members = cluster_numbers(clusters, len(x))
    groups = int(members.max()) + 1
    difference = x - y
    value = float(difference.mean())
    if groups == 1:
        return Difference(value, len(x), None)
    size = ordinary_size(members)
    total = len(x) + size
    centre = float(difference.sum()) / total
    squares = float(np.square(np.bincount(members, weights=difference - centre)).sum())
    squares += size**2 * (0.5 + centre**2)
    half = float(t.ppf(0.975, groups - 1)) * float(np.sqrt(squares * (groups + 1) / groups)) / total
    interval = Interval(max(-1.0, centre - half), min(1.0, centre + half), f"paired t, by {groups} prompts")
    return Difference(value, len(x), interval)


def cluster_numbers(clusters: Sequence[Hashable], n: int) -> npt.NDArray[np.intp]:
    """Clusters as numbers from 0, in order of first appearance.

    Raises:
        ValueError: There are not `n`.
    """
    if len(clusters) != n:
        raise ValueError(f"{n} values but {len(clusters)} clusters")
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters], dtype=np.intp)


def _effective_n(x: FloatArray, members: npt.NDArray[np.intp], groups: int) -> float:
    from scipy.stats import t

    if groups == 1:  # one prompt, whatever its answers, says as much of other prompts as one answer
        return 1.0
    size = ordinary_size(members)
    total = len(x) + size
    mean = (float(x.sum()) + 0.5 * size) / total
    squares = float(np.square(np.bincount(members, weights=x - mean)).sum())
    squares += size**2 * 0.5 * (mean**2 + (1 - mean) ** 2)
    between = squares * (groups + 1) / groups / total**2
    mean_alone = (float(x.sum()) + 0.5) / (len(x) + 1)
    alone = (float(np.square(x).sum()) + 0.5) / (len(x) + 1) - mean_alone**2
    effective = min(mean * (1 - mean) / between, len(x) * mean_alone * (1 - mean_alone) / alone)
    return effective * float(Z95 / t.ppf(0.975, groups - 1)) ** 2


def ordinary_size(members: npt.NDArray[np.intp]) -> float:
    """Root mean square of the cluster sizes."""
    return float(np.sqrt(np.square(np.bincount(members)).mean()))


def _exact_limits(p: float, n: float) -> tuple[float, float]:
    """Clopper and Pearson's limits of `p` out of `n`, which need not be whole."""
    from scipy.special import betaincinv

    successes, failures = p * n, (1 - p) * n
    low = float(betaincinv(successes, failures + 1, 0.025)) if p > 0 else 0.0
    high = float(betaincinv(successes + 1, failures, 0.975)) if p < 1 else 1.0
    return min(low, p), max(high, p)
