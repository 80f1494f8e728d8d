"""Cohen's kappa against textbook and hand-worked cases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    # large-sample variance: (Fleiss, Cohen, Everitt 1969), by hand in exact fractions: 0.1270...
    assert found.kappa_interval.low < 0.4 < found.kappa_interval.high


def test_three_labels_one_unused():
    found = two_raters("wwlt", "wwlw", "wlt")
    # agreement 3/4; chance 2/4 * 3/4 + 1/4 * 1/4 + 1/4 * 0 = 7/16; kappa (12 - 7) / (16 - 7)
    assert found.kappa == pytest.approx(5 / 9)


@pytest.mark.parametrize("labels", ["yyyy", "ynyn", "y"])
def test_perfect_agreement_is_exactly_one(labels):
    found = two_raters(labels, labels, "yn")
    assert (found.kappa, found.agreement, found.kappa_interval) == (1.0, 1.0, None)


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
