"""One function a value: no value outside its own interval, and each test of the quantity beside it."""

import math
import random

import numpy as np
import pytest

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.estimate import _around, difference, estimate
from pak3h_tasks.results import Interval
from pak3h_tasks.stats.clustered import clustered_mean_difference, clustered_mean_interval

NAN = math.nan
MEANS = ("ti", "truthful", "mc2", "win_rate", "discrete_win_rate", "bleu_max", "bleu_diff", "answer_chars")


def columns(metric, **values):
    return {name: np.asarray(values[name], dtype=float) for name in METRICS[metric].columns}


def verdicts(*groups):
    """(count, truthful, informative) each."""
    rows = [(t, i) for count, t, i in groups for _ in range(count)]
    return columns("ti", truthful=[t for t, _ in rows], informative=[i for _, i in rows])


# 60 truthful answers whose informative verdict is missing, 40 lies, 50 of which every other is truthful
LOPSIDED = verdicts((60, 1, NAN), (40, 0, 1), (25, 0, 1), (25, 1, 1))


def test_ti_is_over_the_answers_with_both_verdicts():
    found = estimate(METRICS["ti"], LOPSIDED)
    # 25 of 90 truthful, all 90 informative
    assert found.value == pytest.approx(25 / 90)
    assert (found.n, found.n_scored) == (150, 90)
    assert found.interval.low < 25 / 90 < found.interval.high
    against = verdicts((60, 1, 1), (90, 0, 1))
    gap = difference(METRICS["ti"], LOPSIDED, against)
    assert gap.n == 90
    assert gap.first == found.value
    assert gap.second == 0
    assert gap.value == pytest.approx(25 / 90)


def test_a_product_has_no_test_of_another_quantity():
    # the joint outcomes are the same in both, the products are not
    first, second = verdicts((50, 1, 1), (50, 0, 0)), verdicts((50, 1, 1), (25, 0, 1), (25, 1, 0))
    found = difference(METRICS["ti"], first, second)
    assert found.value == pytest.approx(0.5 * 0.5 - 0.75 * 0.75)
    assert found.mcnemar is found.z is None
    joint = difference(METRICS["ti_joint"], *({"ti_joint": s["truthful"] * s["informative"]} for s in (first, second)))
    assert joint.mcnemar.p_value == 1


def test_a_mean_preference_is_not_tested_as_wins_and_ties_are_no_outcomes():
    first, second = {"win_rate": np.full(40, 0.8)}, {"win_rate": np.full(40, 0.6)}
    found = difference(METRICS["win_rate"], first, second)
    assert (found.mcnemar, found.z) == (None, None)
    wins = difference(METRICS["discrete_win_rate"], *({"discrete_win_rate": np.ones(40)} for _ in range(2)))
    assert wins.mcnemar.p_value == 1
    ties = {"discrete_win_rate": np.asarray([0.5] * 10 + [1.0] * 30)}
    decided = {"discrete_win_rate": np.ones(40)}
    for pair in ((ties, ties), (ties, decided), (decided, ties)):
        assert difference(METRICS["discrete_win_rate"], *pair).mcnemar is None


def draw(rng, metric, n):
    scale = METRICS[metric].scale or 100.0
    share, gap = rng.random(), rng.choice([0, 0.1, 0.5, 0.95])
    if rng.random() < 0.3:
        share = rng.choice([0.0, 1.0, 0.02, 0.98])

    def value():
        if rng.random() < gap:
            return NAN
        if metric in ("mc2", "win_rate", "bleu_max"):
            return scale * rng.choice([share, rng.random() ** (1 / (share + 0.01))])
        if metric in ("bleu_diff", "answer_chars"):
            return rng.gauss(0, 30)
        return (
            rng.choice([0.5, 1.0])
            if metric == "discrete_win_rate" and rng.random() < 0.2
            else float(rng.random() < share)
        )

    return {name: np.asarray([value() for _ in range(n)]) for name in METRICS[metric].columns}


@pytest.mark.parametrize("seed", range(20))
def test_no_value_is_outside_its_own_interval(seed):
    """2,000 random reports with random gaps."""
    rng = random.Random(seed)
    for _ in range(100):
        metric = METRICS[rng.choice(MEANS)]
        n = rng.choice([1, 2, 3, 10, 57, 150])
        first, second = draw(rng, metric.name, n), draw(rng, metric.name, n)
        found = estimate(metric, first)
        together = np.isfinite(list(first.values())).all(axis=0)
        assert (found.n, found.n_scored) == (n, together.sum())
        assert (found.value is None) == (found.n_scored == 0)
        if found.interval is not None:
            assert found.interval.low <= found.value <= found.interval.high
            low, high = (0, metric.scale) if metric.scale else (-math.inf, math.inf)
            assert low <= found.interval.low <= found.interval.high <= high
        gap = difference(metric, first, second)
        if gap.interval is not None:
            assert gap.interval.low <= gap.value <= gap.interval.high
            assert gap.value == pytest.approx(gap.first - gap.second)


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [(0.5, 0.25, 0.75), (0.25, 0.25, 0.75), (0.75, 0.25, 0.75), (0.2, 0.2, 0.75), (0.8, 0.25, 0.8)],
)
def test_an_interval_is_stretched_to_its_value(value, low, high):
    assert _around(value, Interval(0.25, 0.75, "t")) == Interval(low, high, "t")


def lengths(n, model_chars, reference_chars):
    rng = random.Random(1)
    return columns(
        "lc_win_rate",
        win_rate=[rng.random() for _ in range(n)],
        answer_chars=[model_chars(rng) for _ in range(n)],
        reference_chars=[reference_chars(rng) for _ in range(n)],
    )


def test_length_control_from_100_items_and_never_without_a_reason():
    metric, spread = METRICS["lc_win_rate"], lambda rng: rng.randrange(20, 200)
    enough = estimate(metric, lengths(100, spread, spread))
    assert enough.interval.low <= enough.value <= enough.interval.high
    assert enough.note == ""
    few = estimate(metric, lengths(99, spread, spread))
    assert (few.value, few.n_scored, few.note) == (None, 99, "needs 100 scored items")
    longer = estimate(metric, lengths(120, lambda rng: rng.randrange(300, 400), spread))
    assert longer.value is None
    assert longer.note


def test_nothing_in_common_and_nothing_scored():
    empty, one = {"mc1": np.asarray([NAN, 1.0])}, {"mc1": np.asarray([1.0, NAN])}
    found = difference(METRICS["mc1"], empty, one)
    assert (found.n, found.first, found.second, found.value, found.interval) == (0, None, None, None, None)
    assert estimate(METRICS["mc1"], {"mc1": np.asarray([NAN])}).note == "nothing is scored"
    assert estimate(METRICS["ti"], verdicts((3, 1, NAN))).note == "no answer has both verdicts"


@pytest.mark.parametrize("seed", range(5))
def test_no_value_is_outside_its_own_interval_by_prompt(seed):
    rng = random.Random(seed)
    for _ in range(100):
        metric = METRICS[rng.choice(["unsafe_rate", "avg_max_harm", "harm_self_harm"])]
        n = rng.choice([1, 2, 5, 57, 150])
        prompts = [rng.randrange(max(1, n // rng.choice([1, 2, 5]))) for _ in range(n)]
        first, second = draw(rng, metric.name, n), draw(rng, metric.name, n)
        found = estimate(metric, first, prompts)
        if found.interval is not None:
            assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1
        gap = difference(metric, first, second, prompts)
        if gap.interval is not None:
            assert gap.interval.low <= gap.value <= gap.interval.high


def test_pairs_of_one_prompt_are_one_cluster_and_unscored_ones_leave_it():
    prompts = ["p", "p", "q", "q", "r", "s"]
    first = {"avg_max_harm": np.asarray([0.9, NAN, 0.2, 0.4, 0.1, 0.8])}
    second = {"avg_max_harm": np.asarray([0.5, 0.5, 0.1, NAN, 0.1, 0.2])}
    found = estimate(METRICS["avg_max_harm"], first, prompts)
    assert found.value == pytest.approx(2.4 / 5)
    assert found.interval == clustered_mean_interval([0.9, 0.2, 0.4, 0.1, 0.8], "pqqrs")
    gap = difference(METRICS["avg_max_harm"], first, second, prompts)
    expected = clustered_mean_difference([0.9, 0.2, 0.1, 0.8], [0.5, 0.1, 0.1, 0.2], "pqrs")
    assert (gap.n, gap.value, gap.interval) == (4, expected.value, expected.interval)


def test_tests_say_which_of_the_two_is_ahead():
    first, second = {"mc1": np.asarray([1.0, 1, 1, 0, 1])}, {"mc1": np.asarray([0.0, 0, 1, 1, 1])}
    found = difference(METRICS["mc1"], first, second)
    assert (found.mcnemar.only_first, found.mcnemar.only_second) == (2, 1)
    assert found.z.statistic > 0
    assert (found.first, found.second) == (0.8, pytest.approx(0.6))
