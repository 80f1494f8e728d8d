"""Win rates against AlpacaEval's recorded figures, arithmetic, and what theory says of the length control."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.metrics.winrate import (
    discrete_win_rate,
    length_controlled_win_rate,
    standard_error,
    win_rate,
)

probabilities = st.lists(st.floats(0, 1), min_size=2, max_size=30)


def test_by_hand():
    preferences = [1.0, 0.5, 0.25, 0.0]
    assert win_rate(preferences) == (1 + 0.5 + 0.25) / 4
    assert discrete_win_rate(preferences) == (1 + 0.5) / 4


@given(probabilities)
def test_standard_error_is_that_of_the_mean(preferences):
    assert standard_error(preferences) == pytest.approx(
        np.std(preferences, ddof=1) / math.sqrt(len(preferences)), abs=1e-12
    )


@given(probabilities)
def test_swapping_model_and_reference_mirrors_the_rates(preferences):
    swapped = [1 - p for p in preferences]
    assert win_rate(swapped) == pytest.approx(1 - win_rate(preferences))


def test_one_item_has_no_standard_error():
    assert standard_error([0.3]) is None


@pytest.mark.parametrize("bad", [[], [1.1], [-0.1], [math.nan]])
def test_refused(bad):
    with pytest.raises(ValueError, match="preference"):
        win_rate(bad)


def made_up(n, judge, seed=1):
    rng = random.Random(seed)
    model = [rng.randint(50, 1500) for _ in range(n)]
    reference = [rng.randint(50, 1500) for _ in range(n)]
    return [judge(m, r, rng) for m, r in zip(model, reference, strict=True)], model, reference


def test_a_pure_length_judge_is_brought_to_one_half():
    data = made_up(400, lambda m, r, rng: float(m > r))
    result = length_controlled_win_rate(*data, resamples=100)
    assert result.value == pytest.approx(0.5, abs=0.1)
    assert result.interval.low <= 0.5 <= result.interval.high


def test_a_judge_blind_to_length_keeps_its_win_rate():
    data = made_up(600, lambda m, r, rng: float(rng.random() < 0.7))
    result = length_controlled_win_rate(*data, resamples=100)
    assert result.value == pytest.approx(win_rate(data[0]), abs=0.02)


def test_a_longer_but_equal_model_is_not_rewarded():
    """P(win) = sigmoid(2 tanh(d / sd)): the value at d = 0 is 0.5, however much longer the model writes."""
    rng = random.Random(3)
    reference = [rng.randint(100, 900) for _ in range(3000)]
    model = [r + rng.randint(-200, 900) for r in reference]
    difference = np.array(model) - np.array(reference)
    p = 1 / (1 + np.exp(-2 * np.tanh(difference / difference.std(ddof=1))))
    plain = win_rate(list(p))
    result = length_controlled_win_rate(list(p), model, reference, resamples=20)
    assert plain > 0.65
    assert result.value == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(("value", "n"), [(1.0, 150), (0.0, 150)])
def test_all_won_or_all_lost(value, n):
    data = made_up(n, lambda m, r, rng: value)
    assert length_controlled_win_rate(*data, resamples=5).value == value


def test_refused_under_100_items_and_where_no_equal_length_was_seen():
    assert length_controlled_win_rate(*made_up(99, lambda m, r, rng: 0.5)).reason == "99 items; needs 100"
    assert length_controlled_win_rate(*made_up(100, lambda m, r, rng: 0.5), resamples=5).value == pytest.approx(0.5)
    for model, reference, why in ((10, 7, "longer"), (7, 10, "shorter"), (7, 7, "as long as")):
        refused = length_controlled_win_rate([0.5] * 120, [model] * 120, [reference] * 120)
        assert refused.value is None and why in refused.reason


@pytest.mark.parametrize("kind", ["noise", "length only", "rare wins", "nearly all won", "longer model"])
def test_the_fit_is_scikit_learns(kind):
    """Oracle: LogisticRegression(C=25), each fractional outcome as two weighted rows."""
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
    result = length_controlled_win_rate(list(preferences), list(lengths), [2000] * n, resamples=5)
    x = np.tanh((lengths - 2000) / (lengths - 2000).std(ddof=1))
    fit = LogisticRegression(C=25.0, tol=1e-12, max_iter=10_000).fit(
        np.concatenate([x, x])[:, None],
        np.concatenate([np.ones(n), np.zeros(n)]),
        sample_weight=np.concatenate([preferences, 1 - preferences]),
    )
    assert result.value == pytest.approx(1 / (1 + math.exp(-fit.intercept_[0])), abs=1e-6)


def test_the_interval_covers_the_truth():
    """95 % of 95 % intervals should; 160 of 200 is 9 standard errors below that, so only a wrong interval fails."""
    covered = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        x = np.tanh(rng.normal(0, 1, 120))
        won = rng.random(120) < 1 / (1 + np.exp(-(0.5 + x)))
        lengths = [int(1000 + 100 * math.atanh(value)) for value in x]
        interval = length_controlled_win_rate(list(won.astype(float)), lengths, [1000] * 120, resamples=100).interval
        covered += interval.low <= 1 / (1 + math.exp(-0.5)) <= interval.high
    assert 160 <= covered < 200


def test_seeded():
    data = made_up(200, lambda m, r, rng: rng.random())
    assert length_controlled_win_rate(*data, resamples=50) == length_controlled_win_rate(*data, resamples=50)
