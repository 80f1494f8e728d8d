"""Paired differences against hand arithmetic, scipy and their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from pak3h_tasks.stats.paired import mean_difference, product_difference

pairs = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=40)


def test_without_bounds_it_is_scipys_t_interval():
    x, y = [10.0, 30.0, 20.0, 5.0], [1.0, 40.0, 10.0, 5.0]
    differences = [9.0, -10.0, 10.0, 0.0]
    found = mean_difference(x, y, span=None)
    expected = t.interval(0.95, 3, 9 / 4, np.std(differences, ddof=1) / 2)
    assert (found.value, found.n) == (9 / 4, 4)
    assert (found.interval.low, found.interval.high) == pytest.approx(expected)


def test_with_bounds_by_hand():
    # d = 1 nine times, -1 once, 0 ninety times; with the pseudo-pair: n 101, mean 8 / 101, squares 10.5 / 101
    x, y = [1.0] * 9 + [0.0] * 91, [0.0] * 9 + [1.0] + [0.0] * 90
    found = mean_difference(x, y)
    mean = 8 / 101
    half = t.ppf(0.975, 99) * np.sqrt((10.5 / 101 - mean**2) / 101)
    assert found.value == pytest.approx(0.08)
    assert (found.interval.low, found.interval.high) == pytest.approx((mean - half, mean + half))


def test_equal_scores_still_have_an_interval():
    found = mean_difference([1.0, 0.0] * 50, [1.0, 0.0] * 50)
    assert found.value == 0
    assert found.interval.low == pytest.approx(-found.interval.high)
    assert 0 < found.interval.high < 0.03


def test_a_single_pair_has_none():
    assert mean_difference([1.0], [0.0]).interval is None


@given(pairs)
def test_swapping_the_sets_turns_the_sign(values):
    x, y = [a for a, _ in values], [b for _, b in values]
    there, back = mean_difference(x, y), mean_difference(y, x)
    assert there.value == pytest.approx(-back.value)
    assert there.interval.low == pytest.approx(-back.interval.high)


def test_product_difference_by_hand():
    # first: truthful 1/2, informative 1/2 -> 1/4; second: 1 and 3/4 -> 3/4
    first = ([1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0])
    second = ([1.0] * 4, [1.0, 1.0, 1.0, 0.0])
    assert product_difference(first, second).value == pytest.approx(-0.5)


def test_product_interval_by_hand():
    # influences .5 0 0 -.5 of the first, .25 .25 .25 -.75 of the second; their differences about the value -.5 are
    # -.25 -.75 -.75 -.25, sum -2, squares 1.25; the pseudo-pair's squares are half of (1 + .75)^2: 1.53125
    first = ([1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0])
    second = ([1.0] * 4, [1.0, 1.0, 1.0, 0.0])
    half = t.ppf(0.975, 3) * np.sqrt((2.78125 / 5 - 0.4**2) / 5)
    found, back = product_difference(first, second).interval, product_difference(second, first).interval
    assert (found.low, found.high) == (-1, pytest.approx(-0.4 + half))
    assert (back.low, back.high) == (pytest.approx(0.4 - half), 1)


def test_the_scale_of_the_values_is_the_scale_of_the_interval():
    x, y = np.array([0.9, 0.1, 0.4, 1.0, 0.0]), np.array([0.2, 0.3, 0.4, 0.8, 0.0])
    unit, percent = mean_difference(x, y).interval, mean_difference(100 * x, 100 * y, span=100).interval
    assert (percent.low, percent.high) == pytest.approx((100 * unit.low, 100 * unit.high))


def test_product_difference_of_large_n_is_the_delta_method():
    # independent sets, so the variances add: .0924 (test_intervals) and, for truthful = informative = 1/2 in equal
    # quarters, .25 * .25 * 2 = .125
    rng = np.random.default_rng(0)
    n = 200_000
    order = rng.permutation(n)
    first = (np.repeat([1.0, 0.0], [n * 7 // 10, n * 3 // 10]), np.repeat([0.0, 1.0], [n * 4 // 10, n * 6 // 10]))
    second = (np.tile([1.0, 1.0, 0.0, 0.0], n // 4)[order], np.tile([1.0, 0.0, 1.0, 0.0], n // 4)[order])
    found = product_difference(first, second)
    assert found.value == pytest.approx(0.42 - 0.25)
    width = found.interval.high - found.interval.low
    assert width == pytest.approx(2 * 1.96 * np.sqrt((0.0924 + 0.125) / n), rel=0.01)


def test_with_a_certain_factor_it_is_the_mean_difference():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, (2, 300)).astype(float)
    ones = np.ones(300)
    product, plain = product_difference((x, ones), (y, ones)), mean_difference(x, y)
    assert product.value == pytest.approx(plain.value)
    # the pseudo-pair's influence differs: it does not know that the factor is certain
    assert product.interval.low == pytest.approx(plain.interval.low, abs=5e-3)


@pytest.mark.parametrize(("x", "y"), [([1.0], [1.0, 0.0]), ([], []), ([2.0], [0.0]), ([float("nan")], [0.0])])
def test_bad_values_are_refused(x, y):
    with pytest.raises(ValueError):
        mean_difference(x, y)
