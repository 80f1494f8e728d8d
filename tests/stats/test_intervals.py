"""Intervals against statsmodels, hand arithmetic and their own laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from pak3h_tasks.stats.intervals import Z95, mean_interval, product_interval, rate_interval, t_interval

flags = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=60)
fractions = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def limits(interval):
    return interval.low, interval.high


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (3, 10), (0, 50), (882, 4445), (12584, 12584)])
def test_rate_is_statsmodels_wilson(k, n):
    assert limits(rate_interval(k, n)) == pytest.approx(proportion_confint(k, n, method="wilson"), abs=1e-12)


@given(flags)
def test_a_mean_of_zeros_and_ones_is_a_rate(values):
    assert mean_interval(values) == rate_interval(sum(values), len(values))


@given(fractions)
def test_mean_interval_is_inside_the_range_and_holds_the_mean(values):
    low, high = limits(mean_interval(values))
    assert 0 <= low <= np.mean(values) + 1e-12
    assert np.mean(values) - 1e-12 <= high <= 1
    assert low < high


@given(fractions)
def test_percent_is_a_hundred_times_the_fraction(values):
    ours, hundredfold = mean_interval(values), mean_interval([100 * v for v in values], scale=100)
    assert limits(hundredfold) == pytest.approx([100 * ours.low, 100 * ours.high])


def test_mean_interval_by_hand():
    # 0.5 four times and the pseudo-answer: mean 0.5, variance (4 * 0.25 + 0.5) / 5 - 0.25 = 0.05, so effective
    # n = 4 * 0.25 / 0.05 = 20: Wilson for 10 of 20
    low, high = limits(mean_interval([0.5] * 4))
    assert (low, high) == pytest.approx(proportion_confint(10, 20, method="wilson"), abs=1e-9)


def test_large_n_is_the_normal_interval():
    values = np.tile([0.0, 0.25, 0.5, 1.0, 0.1], 20000)
    half = Z95 * values.std() / math.sqrt(len(values))
    assert limits(mean_interval(values)) == pytest.approx([values.mean() - half, values.mean() + half], abs=2e-5)


def test_product_of_large_n_is_the_delta_method():
    # 40 refusals (true, not informative), 30 good, 30 informative lies: a = .7, b = .6, both .3, covariance -.12
    # variance: .36 * .21 + .49 * .24 + 2 * .42 * -.12 = .0924
    x, y = [1.0] * 70 + [0.0] * 30, [0.0] * 40 + [1.0] * 60
    n = 100 * 1000
    half = Z95 * math.sqrt(0.0924 / n)
    low, high = limits(product_interval(x * 1000, y * 1000))
    assert (low, high) == pytest.approx((0.42 - half, 0.42 + half), abs=1e-5)


def test_product_with_a_certain_factor_is_nearly_the_other_rate():
    x, y = [1.0] * 400, [1.0] * 100 + [0.0] * 300
    assert limits(product_interval(x, y)) == pytest.approx(limits(rate_interval(100, 400)), abs=2e-3)


def test_product_of_nothing_true_has_width():
    low, high = limits(product_interval([0.0] * 100, [1.0, 0.0] * 50))
    assert low == 0
    assert 0.01 < high < 0.04  # at most Wilson's 0.037 of 0 in 100


def test_t_interval_against_scipy():
    from scipy.stats import t

    values = [3.0, -1.0, 4.0, 1.0, -5.0]
    expected = t.interval(0.95, 4, np.mean(values), np.std(values, ddof=1) / math.sqrt(5))
    assert limits(t_interval(values)) == pytest.approx(expected)
    assert t_interval([2.0]) is None


@pytest.mark.parametrize("wrong", [[], [0.2, math.nan], [-0.1], [1.1]])
def test_bad_values_are_refused(wrong):
    with pytest.raises(ValueError):
        mean_interval(wrong)
    with pytest.raises(ValueError):
        product_interval(wrong, wrong)


def test_bad_counts_are_refused():
    for k, n in ((0, 0), (3, 2), (-1, 5)):
        with pytest.raises(ValueError, match="no more successes than trials"):
            rate_interval(k, n)
    with pytest.raises(ValueError, match="2 and 1 verdicts"):
        product_interval([1.0, 0.0], [1.0])


def test_product_interval_by_hand():
    # (1, 1), (1, 0), (1, 0) and a quarter at each corner: means 3.5 / 4 and 1.5 / 4, E[xy] 1.25 / 4
    a, b = 3.5 / 4, 1.5 / 4
    variance = b * b * a * (1 - a) + a * a * b * (1 - b) + 2 * a * b * (1.25 / 4 - a * b)
    n = 3 * a * b * (1 - a * b) / variance
    found = product_interval([1, 1, 1], [1, 0, 0])
    assert limits(found) == pytest.approx(proportion_confint(n / 3, n, method="wilson"))


def test_a_rate_in_percent_is_the_rate_times_100():
    unit, percent = mean_interval([1, 0, 1]), mean_interval([100, 0, 100], scale=100)
    assert (percent.low, percent.high) == pytest.approx((100 * unit.low, 100 * unit.high))
    assert percent.method == unit.method == "wilson"


def test_a_table_is_no_column():
    with pytest.raises(ValueError, match="no values"):
        mean_interval(np.ones((2, 2)))
