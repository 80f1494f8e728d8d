"""Intervals by prompt: against exact limits, hand arithmetic, their laws, and the truth in simulations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t
from statsmodels.stats.proportion import proportion_confint

from pak3h_tasks.stats.clustered import cluster_numbers, clustered_mean_difference, clustered_mean_interval
from pak3h_tasks.stats.paired import mean_difference

Z = 1.959963984540054
answers = st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0, 1)), min_size=1, max_size=40)


def limits(interval):
    return interval.low, interval.high


def test_independent_rate_by_hand():
    # 7 of 10 and the pseudo-prompt: mean 7.5 / 11, squares 7 (3.5 / 11)^2 + 3 (7.5 / 11)^2 + ((7.5 / 11)^2 + (3.5 /
    # 11)^2) / 2, times 11 / 10 over 11^2; n_eff = mean (1 - mean) / variance, at most n, then (z / t)^2
    mean = 7.5 / 11
    squares = 7 * (3.5 / 11) ** 2 + 3 * (7.5 / 11) ** 2 + 0.5 * (mean**2 + (1 - mean) ** 2)
    between = squares * 11 / 10 / 121
    effective = min(mean * (1 - mean) / between, 10) * (Z / t.ppf(0.975, 9)) ** 2
    expected = proportion_confint(0.7 * effective, effective, method="beta")
    found = clustered_mean_interval([1] * 7 + [0] * 3, range(10))
    assert limits(found) == pytest.approx(expected)
    assert found.method == "effective n 8, by 10 prompts"


def test_unequal_prompts_by_hand():
    # prompts (1, 1, 0), (0), (1): sizes 3, 1, 1, root mean square sqrt(11 / 3)
    size = math.sqrt(11 / 3)
    mean = (3 + size / 2) / (5 + size)
    squares = (2 - 3 * mean) ** 2 + mean**2 + (1 - mean) ** 2 + 11 / 3 / 2 * (mean**2 + (1 - mean) ** 2)
    effective = mean * (1 - mean) / (squares * 4 / 3 / (5 + size) ** 2)
    alone = 5 * (3.5 / 6 * 2.5 / 6) / (3.5 / 6 - (3.5 / 6) ** 2)
    effective = min(effective, alone) * (Z / t.ppf(0.975, 2)) ** 2
    found = clustered_mean_interval([1, 1, 0, 0, 1], "aaabc")
    assert limits(found) == pytest.approx(proportion_confint(0.6 * effective, effective, method="beta"))


def test_copies_of_one_answer_add_nothing():
    flags, prompts = [1, 0, 1, 1, 0, 1], list("abcdef")
    once = clustered_mean_interval(flags, prompts)
    fourfold = clustered_mean_interval(np.repeat(flags, 4), np.repeat(prompts, 4))
    assert limits(fourfold) == pytest.approx(limits(once))


@pytest.mark.parametrize("flag", [0, 1])
def test_at_0_and_1_prompts_count_and_not_pairs(flag):
    # with 57 prompts of 3 pairs, Clopper and Pearson's limit of 0 in 57 is .0627; of 171, .0213
    low, high = limits(clustered_mean_interval([flag] * 171, [i // 3 for i in range(171)]))
    width = high - low
    assert (low == 0, high == 1) == (flag == 0, flag == 1)
    assert width == pytest.approx(proportion_confint(0, 57, method="beta")[1], rel=0.06)
    assert width >= proportion_confint(0, 57, method="beta")[1]


def test_values_that_vary_little_are_known_better_than_a_rate():
    values = np.tile([0.45, 0.5, 0.55], 40)
    narrow = clustered_mean_interval(values, range(120))
    wide = clustered_mean_interval(np.tile([0, 1], 60), range(120))
    assert narrow.high - narrow.low < 0.5 * (wide.high - wide.low)


def test_one_prompt_says_as_much_as_one_answer():
    assert limits(clustered_mean_interval([0, 0, 0], "aaa")) == pytest.approx((0, 0.975))
    assert limits(clustered_mean_interval([1], "a")) == pytest.approx((0.025, 1))


@given(answers)
def test_inside_the_range_around_the_mean_and_mirrored(drawn):
    prompts, values = zip(*drawn, strict=True)
    low, high = limits(clustered_mean_interval(values, prompts))
    assert 0 <= low <= np.mean(values) <= high <= 1
    mirrored = limits(clustered_mean_interval([1 - v for v in values], prompts))
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-6)


@given(answers, st.randoms())
def test_the_order_of_the_answers_does_not_matter(drawn, rng):
    mixed = rng.sample(drawn, len(drawn))
    one, other = (
        limits(clustered_mean_interval([v for _, v in part], [p for p, _ in part])) for part in (drawn, mixed)
    )
    assert one == pytest.approx(other)


def test_difference_without_repeats_is_the_paired_one():
    x, y = [1, 1, 0, 1, 1, 0, 1, 1], [0, 1, 0, 0, 1, 1, 0, 1]
    found, plain = clustered_mean_difference(x, y, range(8)), mean_difference(x, y)
    assert (found.value, found.n) == (plain.value, plain.n) == (0.25, 8)
    # the same centre; prompts are a sample of prompts, so that the variance has (prompts + 1) / prompts on top
    ours, theirs = ([(i.low + i.high) / 2, i.high - i.low] for i in (found.interval, plain.interval))
    assert ours == pytest.approx([theirs[0], theirs[1] * math.sqrt(9 / 8)])


def test_difference_by_hand():
    # prompts (1 - 0, 1 - 1), (0 - 0): size sqrt(5 / 2); sums of differences 1 and 0
    size = math.sqrt(5 / 2)
    centre = 1 / (3 + size)
    squares = (1 - 2 * centre) ** 2 + centre**2 + 5 / 2 * (0.5 + centre**2)
    half = t.ppf(0.975, 1) * math.sqrt(squares * 3 / 2) / (3 + size)
    found = clustered_mean_difference([1, 1, 0], [0, 1, 0], "aab")
    assert found.value == pytest.approx(1 / 3)
    assert limits(found.interval) == pytest.approx((max(-1, centre - half), min(1, centre + half)))
    assert found.interval.method == "paired t, by 2 prompts"


def test_difference_of_many_prompts_by_hand():
    # 5 prompts whose both pairs differ by 1, 5 with one, 20 with none: sums 2, 1, 0; size 2
    first = [1, 1] * 5 + [1, 0] * 5 + [0, 0] * 20
    centre = 15 / 62
    squares = 5 * (2 - 2 * centre) ** 2 + 5 * (1 - 2 * centre) ** 2 + 20 * (2 * centre) ** 2 + 4 * (0.5 + centre**2)
    half = t.ppf(0.975, 29) * math.sqrt(squares * 31 / 30) / 62
    found = clustered_mean_difference(first, [0] * 60, [n // 2 for n in range(60)])
    assert limits(found.interval) == pytest.approx((centre - half, centre + half))


def test_equal_prompts_still_have_a_width_and_one_prompt_has_none():
    found = clustered_mean_difference([1.0] * 60, [0.0] * 60, [i // 3 for i in range(60)])
    assert found.value == 1
    assert found.interval.low < 0.97
    assert found.interval.high == 1
    assert clustered_mean_difference([1, 0], [0, 0], "aa").interval is None


def test_wrong_shapes_and_values():
    for values, prompts in (([], []), ([0.1, 0.2], ["a"]), ([1.2], ["a"]), ([math.nan], ["a"])):
        with pytest.raises(ValueError, match=r"clusters|no values|outside|NaN"):
            clustered_mean_interval(values, prompts)
        with pytest.raises(ValueError, match=r"clusters|no values|outside|NaN"):
            clustered_mean_difference(values, values, prompts)
    with pytest.raises(ValueError, match="2 and 1 values"):
        clustered_mean_difference([1, 0], [1], "ab")
    assert list(cluster_numbers("baab", 4)) == [0, 1, 1, 0]
