from __future__ import annotations

import math
import random

import pytest

from pak3h_tasks.stats.clustered import clustered_mean_interval, wilson_interval


def test_wilson_by_hand_when_nothing_repeats() -> None:
    # by hand: centre (p + z2/2n)/(1 + z2/n), half z/(1 + z2/n) sqrt(p(1-p)/n + z2/4n2), z = 1.959964, 7 of 10
    z, p, n = 1.959963984540054, 0.7, 10
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    interval = wilson_interval([True] * 7 + [False] * 3, range(10))
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((centre - half, centre + half))
    assert interval.method == "wilson"


def test_copies_of_one_answer_add_nothing() -> None:
    flags, prompts = [True, False, True, True, False, True], list("abcdef")
    once = wilson_interval(flags, prompts)
    fourfold = wilson_interval([flag for flag in flags for _ in range(4)], [p for p in prompts for _ in range(4)])
    assert once is not None
    assert fourfold is not None
    # 24 answers that are 6 in truth: as wide as with 6, up to the n - 1 of the variance
    assert fourfold.high - fourfold.low == pytest.approx(once.high - once.low, rel=0.05)
    assert fourfold.method.startswith("wilson, effective n ")


@pytest.mark.parametrize("flag", [True, False])
def test_wilson_at_the_ends_stays_in_range(flag: bool) -> None:
    interval = wilson_interval([flag] * 8, [1, 1, 2, 2, 3, 3, 4, 4])
    assert interval is not None
    assert 0 <= interval.low < interval.high <= 1
    assert wilson_interval([flag], ["a"]) is not None
    assert wilson_interval([], []) is None


def test_mean_equals_statsmodels_cluster_robust_ols() -> None:
    from statsmodels.regression.linear_model import OLS

    rng = random.Random(5)
    clusters = [rng.randrange(9) for _ in range(60)]
    values = [rng.random() + 0.1 * cluster for cluster in clusters]
    model = OLS(values, [1.0] * 60).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    low, high = model.conf_int()[0]
    interval = clustered_mean_interval(values, clusters)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((low, high), rel=1e-9)
    assert interval.method == "t, by 9 prompts"


def test_mean_equals_scipys_t_interval_when_nothing_repeats() -> None:
    from scipy import stats

    values = [0.2, 0.9, 0.4, 0.7, 0.75]
    expected = stats.t.interval(0.95, 4, loc=sum(values) / 5, scale=stats.sem(values))
    interval = clustered_mean_interval(values, list("abcde"))
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx(expected)
    assert interval.method == "t"


def test_too_little_for_an_interval_and_wrong_shapes() -> None:
    assert clustered_mean_interval([], []) is None
    assert clustered_mean_interval([0.5, 0.6], ["a", "a"]) is None
    with pytest.raises(ValueError, match="2 values but 1 clusters"):
        clustered_mean_interval([0.1, 0.2], ["a"])
