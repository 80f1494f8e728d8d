"""The length-controlled win rate against scikit-learn, its own laws and the truth (real figures: tests/judges)."""

import math
import random
import statistics

import numpy as np
import pytest

from pak3h_tasks.metrics.winrate import RIDGE, discrete, length_controlled_win_rate


@pytest.mark.parametrize("bad", [[], [1.1], [-0.1], [math.nan]])
def test_refused(bad):
    with pytest.raises(ValueError, match=r"preference 1 is|no preferences"):
        length_controlled_win_rate(bad, [1] * len(bad), [1] * len(bad))


def test_lengths_must_pair_up():
    with pytest.raises(ValueError, match="got 2, 1 and 2 values"):
        length_controlled_win_rate([0.5, 0.5], [10], [10, 12])


def made_up(n, judge, seed=1):
    rng = random.Random(seed)
    model = [rng.randint(50, 1500) for _ in range(n)]
    reference = [rng.randint(50, 1500) for _ in range(n)]
    return [judge(m, r, rng) for m, r in zip(model, reference, strict=True)], model, reference


def test_a_pure_length_judge_is_brought_to_one_half():
    data = made_up(400, lambda m, r, rng: float(m > r))
    result = length_controlled_win_rate(*data)
    assert result.value == pytest.approx(0.5, abs=0.05)
    assert result.interval.low <= 0.5 <= result.interval.high


def test_a_judge_blind_to_length_keeps_its_win_rate():
    data = made_up(600, lambda m, r, rng: float(rng.random() < 0.7))
    result = length_controlled_win_rate(*data)
    assert result.value == pytest.approx(statistics.fmean(data[0]), abs=0.02)


def test_a_longer_but_equal_model_is_not_rewarded():
    """P(win) = sigmoid(2 tanh(d / sd)): the value at d = 0 is 0.5; the ridge leaves a fifth of the reward."""
    rng = random.Random(3)
    reference = [rng.randint(100, 900) for _ in range(3000)]
    model = [r + rng.randint(-200, 900) for r in reference]
    difference = np.array(model) - np.array(reference)
    p = 1 / (1 + np.exp(-2 * np.tanh(difference / difference.std(ddof=1))))
    plain = p.mean()
    result = length_controlled_win_rate(list(p), model, reference)
    assert plain > 0.65
    assert 0.5 < result.value < 0.5 + (plain - 0.5) / 3


@pytest.mark.parametrize(("value", "n"), [(1.0, 150), (0.0, 150)])
def test_all_won_or_all_lost(value, n):
    data = made_up(n, lambda m, r, rng: value)
    found = length_controlled_win_rate(*data)
    assert found.value == value
    # rule of three: 0 of 150 says at most 2 %; the lengths cost a little more
    assert 0.01 < found.interval.high - found.interval.low < 0.15
    assert 0 <= found.interval.low <= value <= found.interval.high <= 1


def test_refused_under_100_items_and_where_no_equal_length_was_seen():
    assert length_controlled_win_rate(*made_up(99, lambda m, r, rng: 0.5)).reason == "99 items; needs 100"
    assert length_controlled_win_rate(*made_up(100, lambda m, r, rng: 0.5)).value == pytest.approx(0.5)
    for model, reference, why in ((10, 7, "longer"), (7, 10, "shorter"), (7, 7, "as long as")):
        refused = length_controlled_win_rate([0.5] * 120, [model] * 120, [reference] * 120)
        assert refused.value is None and why in refused.reason


@pytest.mark.parametrize("kind", ["noise", "length only", "rare wins", "nearly all won", "longer model"])
def test_the_fit_is_scikit_learns(kind):
    """Oracle: LogisticRegression, each fractional outcome as two weighted rows.

    It minimises C * sum of log-losses + slope^2 / 2, so C = 1 / (2 n RIDGE).
    """
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(5)
    n = 150
    difference = rng.normal(1.5 if kind == "longer model" else 0.1, 1, n) * 300
    preferences = {
        "noise": rng.random(n),
        "length only": (difference > 0).astype(float),
        "rare wins": (rng.random(n) < 0.03).astype(float),
        "nearly all won": np.clip(rng.normal(0.999, 0.01, n), 0, 1),
        "longer model": np.where(difference > 0, rng.random(n), 0.2),
    }[kind]
    lengths = np.round(difference).astype(int) + 2000
    result = length_controlled_win_rate(list(preferences), list(lengths), [2000] * n)
    x = np.tanh((lengths - 2000) / (lengths - 2000).std(ddof=1))
    fit = LogisticRegression(C=1 / (2 * n * RIDGE), tol=1e-12, max_iter=10_000).fit(
        np.concatenate([x, x])[:, None],
        np.concatenate([np.ones(n), np.zeros(n)]),
        sample_weight=np.concatenate([preferences, 1 - preferences]),
    )
    assert result.value == pytest.approx(1 / (1 + math.exp(-fit.intercept_[0])), abs=1e-6)


@pytest.mark.parametrize(("intercept", "slope", "shift"), [(0.5, 1.0, 0.0), (-2.0, 2.0, -0.7)])
def test_the_interval_covers_what_the_fit_estimates(intercept, slope, shift):
    """95 % of 95 % intervals should; 92.4 % is three standard errors of 800 draws below."""

    def draw(rng, n):
        lengths = np.round(np.exp(rng.normal(7 + shift, 0.5, n))), np.round(np.exp(rng.normal(7, 0.5, n)))
        chance = 1 / (1 + np.exp(-(intercept + slope * np.tanh((lengths[0] - lengths[1]) / 800))))
        return (rng.random(n) < chance).astype(float), *lengths

    rng = np.random.default_rng(1)
    truth = length_controlled_win_rate(*draw(rng, 300_000)).value
    found = [length_controlled_win_rate(*draw(rng, 120)).interval for _ in range(800)]
    covered = sum(interval.low <= truth <= interval.high for interval in found)
    assert 0.924 * 800 <= covered <= 0.985 * 800
    # and it is not wide for nothing: the estimates' own spread
    spread = np.std([length_controlled_win_rate(*draw(rng, 120)).value for _ in range(300)])
    assert np.mean([interval.high - interval.low for interval in found]) == pytest.approx(3.92 * spread, rel=0.2)


@pytest.mark.parametrize(("preference", "wins"), [(0.0, 0), (0.4999, 0), (0.5, 0.5), (0.5001, 1), (1.0, 1)])
def test_an_exact_tie_is_half_a_win(preference, wins):
    assert discrete(preference) == wins
