"""Cohen's kappa against textbook and hand-worked cases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t
from statsmodels.stats.proportion import proportion_confint

from pak3h_tasks.stats.kappa import two_raters


def pairs(table, labels):
    first, second = [], []
    for row, a in zip(table, labels, strict=True):
        for count, b in zip(row, labels, strict=True):
            first += [a] * count
            second += [b] * count
    return first, second


def test_by_hand():
    # agreement 35/50 = .7; chance .5 * .6 + .5 * .4 = .5; kappa .4
    found = two_raters(*pairs([[20, 5], [10, 15]], "yn"), "yn")
    assert (found.n, found.agreement, found.kappa) == (50, pytest.approx(0.7), pytest.approx(0.4))
    assert found.counts == ((20, 5), (10, 15))
    # Wilson's and the like are for independent answers; here they are, so the limits are near Clopper and Pearson's
    assert found.agreement_interval.low == pytest.approx(proportion_confint(35, 50, method="beta")[0], abs=0.01)


def test_three_labels_one_unused():
    found = two_raters("wwlt", "wwlw", "wlt")
    # agreement 3/4; chance 2/4 * 3/4 + 1/4 * 1/4 + 1/4 * 0 = 7/16; kappa (12 - 7) / (16 - 7)
    assert found.kappa == pytest.approx(5 / 9)


@pytest.mark.parametrize("labels", ["yyyy", "ynyn", "y"])
def test_perfect_agreement_is_exactly_one(labels):
    found = two_raters(labels, labels, "yn")
    assert (found.kappa, found.agreement) == (1.0, 1.0)
    # perfect agreement on a few items is no certainty
    assert (found.kappa_interval is None) == (found.n == 1)
    if found.kappa_interval is not None:
        assert found.kappa_interval.low < 1 == found.kappa_interval.high


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_equals_sklearn(pairs):
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    found = two_raters(first, second, (True, False))
    if first != second:  # sklearn gives NaN and a warning where there is one answer only
        assert found.kappa == pytest.approx(cohen_kappa_score(first, second))
    assert found.counts == tuple(tuple(pairs.count((a, b)) for b in (True, False)) for a in (True, False))


def test_no_agreement_at_all_is_below_chance():
    assert two_raters("yn", "ny", "yn").kappa == pytest.approx(-1.0)


def test_one_rater_constant_is_zero():
    assert two_raters("yyyy", "yynn", "yn").kappa == pytest.approx(0.0)


@pytest.mark.parametrize(("a", "b"), [("", ""), ("y", "yn"), ("x", "y")])
def test_refuses(a, b):
    with pytest.raises(ValueError):
        two_raters(a, b, "yn")


def test_of_many_independent_items_it_is_the_large_sample_interval():
    """Fleiss, Cohen and Everitt (1969), by statsmodels; the pseudo-prompt weighs 1 in 5,000."""
    from statsmodels.stats.inter_rater import cohens_kappa

    for table in ([[2000, 500], [1000, 1500]], [[4300, 200], [100, 400]]):
        found = two_raters(*pairs(table, "yn"), "yn")
        expected = cohens_kappa(np.array(table))
        half = 1.96 * expected.std_kappa
        assert found.kappa == pytest.approx(expected.kappa)
        assert found.kappa_interval.low == pytest.approx(expected.kappa - half, abs=1e-3)
        assert found.kappa_interval.high == pytest.approx(expected.kappa + half, abs=1e-3)


def test_three_labels_against_statsmodels():
    from statsmodels.stats.inter_rater import cohens_kappa

    table = [[700, 100, 50], [30, 400, 20], [60, 40, 600]]
    found = two_raters(*pairs(table, "wlt"), "wlt")
    expected = cohens_kappa(np.array(table))
    half = 1.96 * expected.std_kappa
    assert found.kappa_interval.low == pytest.approx(expected.kappa - half, abs=2e-3)
    assert found.kappa_interval.high == pytest.approx(expected.kappa + half, abs=2e-3)


def test_by_hand_with_two_prompts():
    # prompts: a says yy, b says yn and nn; pseudo-prompt of size sqrt(5/2), a quarter at each pair of labels
    size = math.sqrt(5 / 2)
    total = 3 + size
    shares = {"yy": (1 + size / 4) / total, "yn": (1 + size / 4) / total, "ny": size / 4 / total}
    shares["nn"] = 1 - sum(shares.values())
    agreed, a, b = shares["yy"] + shares["nn"], shares["yy"] + shares["yn"], shares["yy"] + shares["ny"]
    chance = a * b + (1 - a) * (1 - b)
    centre = (agreed - chance) / (1 - chance)

    def influence(first, second):
        moved = (b if first == "y" else 1 - b) + (a if second == "y" else 1 - a) - 2 * chance
        return (((first == second) - agreed) * (1 - chance) - (1 - agreed) * moved) / (1 - chance) ** 2

    squares = influence("y", "y") ** 2 + (influence("y", "n") + influence("n", "n")) ** 2
    squares += 5 / 2 * sum(influence(*pair) ** 2 for pair in shares) / 4
    half = t.ppf(0.975, 1) * math.sqrt(squares * 3 / 2) / total
    found = two_raters("yyn", "ynn", "yn", "abb")
    assert found.kappa_interval.low == pytest.approx(max(-1, centre - half))
    assert found.kappa_interval.high == pytest.approx(min(1, centre + half))


def test_repeated_prompts_widen_both_intervals():
    first, second = pairs([[20, 5], [10, 15]], "yn")
    prompts = range(50)
    once = two_raters(first, second, "yn", prompts)
    fourfold = two_raters(first * 4, second * 4, "yn", [*prompts] * 4)
    apart = two_raters(first * 4, second * 4, "yn")
    for name in ("agreement_interval", "kappa_interval"):
        one, four, many = (getattr(found, name) for found in (once, fourfold, apart))
        assert (four.low, four.high) == pytest.approx((one.low, one.high))
        assert many.high - many.low < 0.6 * (four.high - four.low)


def test_kappa_intervals_cover_by_prompt():
    """60 labelled pairs of 12 prompts and 300 of 100, verdicts alike within a prompt: at least 92 % of 600 draws.

    That is three standard errors below the 95 % in 600 draws.
    """
    for prompts, size in ((12, 5), (100, 3)):
        rng = np.random.default_rng(prompts)

        def draw(groups, rng=rng, size=size):
            members = np.repeat(np.arange(groups), size)
            alike = rng.random(len(members)) < 0.7
            human = np.where(alike, (rng.random(groups) < 0.7)[members], rng.random(len(members)) < 0.7)
            wrong = np.where(alike, (rng.random(groups) < 0.15)[members], rng.random(len(members)) < 0.15)
            return (human != wrong).tolist(), human.tolist(), members.tolist()

        truth = two_raters(*draw(30_000)[:2], (True, False)).kappa
        held = 0
        for _ in range(600):
            judge, human, members = draw(prompts)
            found = two_raters(judge, human, (True, False), members).kappa_interval
            held += found.low <= truth <= found.high
        assert held >= 0.92 * 600


@given(st.lists(st.tuples(st.sampled_from("yn"), st.sampled_from("yn"), st.sampled_from("abcd")), min_size=1))
def test_values_are_inside_their_intervals(rows):
    found = two_raters(*([row[i] for row in rows] for i in (0, 1)), "yn", [row[2] for row in rows])
    assert 0 <= found.agreement_interval.low <= found.agreement <= found.agreement_interval.high <= 1
    if found.kappa_interval is not None:
        assert -1 <= found.kappa_interval.low <= found.kappa <= found.kappa_interval.high <= 1


def test_kappa_interval_of_independent_items_by_hand():
    # 40 items with labels yy 20, yn 5, ny 5, nn 10; one pseudo-item, a quarter of it at each pair
    counts = {"yy": 20, "yn": 5, "ny": 5, "nn": 10}
    shares = {pair: (count + 0.25) / 41 for pair, count in counts.items()}
    a, b = shares["yy"] + shares["yn"], shares["yy"] + shares["ny"]
    agreed, chance = shares["yy"] + shares["nn"], a * b + (1 - a) * (1 - b)

    def influence(first, second):
        moved = (b if first == "y" else 1 - b) + (a if second == "y" else 1 - a) - 2 * chance
        return (((first == second) - agreed) * (1 - chance) - (1 - agreed) * moved) / (1 - chance) ** 2

    squares = sum(count * influence(*pair) ** 2 for pair, count in counts.items())
    squares += sum(influence(*pair) ** 2 for pair in counts) / 4
    half = t.ppf(0.975, 39) * math.sqrt(squares * 41 / 40) / 41
    centre = (agreed - chance) / (1 - chance)
    found = two_raters(*pairs([[20, 5], [5, 10]], "yn"), "yn").kappa_interval
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half))
