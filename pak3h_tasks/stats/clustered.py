"""95 % intervals for rates and means where answers to one prompt are alike (12,584 pairs over 3,500 prompts)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from pak3h_tasks.results import Interval


def clustered_mean_interval(values: Sequence[float], clusters: Sequence[Hashable]) -> Interval | None:
    """Interval for a mean, by the cluster-robust standard error and Student's t; ordinary t where no cluster repeats.

    Args:
        values: (n,) numbers.
        clusters: (n,) what each belongs to, such as its prompt.

    Returns:
        The interval, not cut to any range; None with fewer than two clusters.

    Raises:
        ValueError: Lengths differ.
    """
    error, mean, degrees = _standard_error(values, clusters)
    if error is None:
        return None
    from scipy.stats import t

    half = float(t.ppf(0.975, degrees)) * error
    name = "t" if degrees + 1 == len(values) else f"t, by {degrees + 1} prompts"
    return Interval(mean - half, mean + half, name)


def wilson_interval(flags: Sequence[bool], clusters: Sequence[Hashable]) -> Interval | None:
    """Wilson's interval for a rate; on the effective number of answers where those of one cluster resemble each other.

    Args:
        flags: (n,) whether the event happened.
        clusters: (n,) what each belongs to.

    Returns:
        The interval in [0, 1]; None when there is nothing.

    Raises:
        ValueError: Lengths differ.
    """
    if not flags:
        return None
    from statsmodels.stats.proportion import proportion_confint

    n, rate = len(flags), sum(flags) / len(flags)
    effective, name = float(n), "wilson"
    error, _, _ = _standard_error([float(flag) for flag in flags], clusters)
    if error is not None and 0 < rate < 1 and len(set(clusters)) < n:
        # Kish's design effect: how many times larger the variance is than that of independent answers.
        effect = error**2 / (rate * (1 - rate) / (n - 1))
        if effect > 1:
            effective = n / effect
            name = f"wilson, effective n {effective:.0f}"
    low, high = proportion_confint(rate * effective, effective, alpha=0.05, method="wilson")
    return Interval(float(low), float(high), name)


def _standard_error(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[float | None, float, int]:
    """Cluster-robust standard error of the mean (None with fewer than two clusters), the mean, degrees of freedom."""
    import numpy as np

    if len(values) != len(clusters):
        raise ValueError(f"{len(values)} values but {len(clusters)} clusters")
    numbers = {name: index for index, name in enumerate(dict.fromkeys(clusters))}
    mean = float(np.mean(values)) if values else 0.0
    groups = len(numbers)
    if groups < 2:
        return None, mean, 0
    residuals = np.asarray(values, dtype=float) - mean
    sums = np.bincount([numbers[name] for name in clusters], weights=residuals)
    # statsmodels' OLS on a constant with cov_type="cluster" gives the same, 1.5 s of imports later.
    error = float(np.sqrt(groups / (groups - 1) * np.sum(sums**2)) / len(values))
    return error, mean, groups - 1
