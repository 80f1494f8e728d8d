"""McNemar and two-proportion z against the paper's figure, hand arithmetic and scipy."""

import pytest
from scipy.stats import binomtest, chi2

from pak3h_tasks.stats.tests import mcnemar, two_proportion_z


def outcomes(both, first, second, neither):
    return (
        [True] * (both + first) + [False] * (second + neither),
        [True] * both + [False] * first + [True] * second + [False] * neither,
    )


def test_published_z():
    # win rates of GPT-4o-mini in English and Urdu, n = 4,445 each
    assert round(two_proportion_z(0.1986, 4445, 0.1319, 4445).statistic, 2) == 8.47


def test_z_by_hand():
    # pooled .3, variance .3 * .7 * (1/50 + 1/50), z = .2 / .09165
    found = two_proportion_z(0.4, 50, 0.2, 50)
    assert found.statistic == pytest.approx(0.2 / (0.3 * 0.7 * 2 / 50) ** 0.5)
    assert found.p_value == pytest.approx(0.02909633)


def test_z_of_single_items_at_the_bounds():
    # pooled .5, variance .5 * .5 * 2
    assert two_proportion_z(1.0, 1, 0.0, 1).statistic == pytest.approx(2**0.5)
    assert two_proportion_z(0.0, 1, 1.0, 1).statistic == pytest.approx(-(2**0.5))


@pytest.mark.parametrize("wrong", [(0.5, 0, 0.5, 9), (0.5, 9, 0.5, 0), (-0.1, 9, 0.5, 9), (0.5, 9, 1.1, 9),
                                   (1.1, 9, 0.5, 9), (0.5, 9, -0.1, 9)])  # fmt: skip
def test_rates_outside_their_range_are_refused(wrong):
    with pytest.raises(ValueError, match="rates are in"):
        two_proportion_z(*wrong)


def test_z_of_equal_certainties_is_no_number():
    assert two_proportion_z(0.0, 10, 0.0, 5) is None
    assert two_proportion_z(1.0, 10, 1.0, 5) is None


def test_mcnemar_with_many_discordant_pairs():
    found = mcnemar(*outcomes(10, 30, 10, 5))
    # (|30 - 10| - 1)^2 / 40
    assert found.statistic == pytest.approx(19**2 / 40)
    assert found.p_value == pytest.approx(chi2.sf(19**2 / 40, 1))
    assert (found.only_first, found.only_second) == (30, 10)


@pytest.mark.parametrize(("more", "statistic"), [(0, 0.0), (1, 0.0), (2, 1 / 42), (3, 4 / 43)])
def test_the_correction_never_makes_a_difference_of_its_own(more, statistic):
    # 20 against 20 is no difference at all: chi2 0, p 1; (max(0, |b - c| - 1))^2 / (b + c)
    found = mcnemar(*outcomes(5, 20 + more, 20, 5))
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(chi2.sf(statistic, 1))
    assert (found.p_value == 1) == (more < 2)
    back = mcnemar(*reversed(outcomes(5, 20 + more, 20, 5)))
    assert (back.statistic, back.p_value) == (found.statistic, found.p_value)


@pytest.mark.parametrize(("first", "second", "exact"), [(12, 12, True), (12, 13, False)])
def test_exact_under_25_discordant_pairs(first, second, exact):
    assert (mcnemar(*outcomes(1, first, second, 1)).method == "exact") == exact


def test_no_discordant_pair():
    found = mcnemar(*outcomes(3, 0, 0, 4))
    assert (found.p_value, found.statistic, found.only_first, found.only_second) == (1.0, None, 0, 0)


def test_equal_counts_are_p_1_when_exact_too():
    assert mcnemar(*outcomes(0, 4, 4, 0)).p_value == pytest.approx(1)


def test_mcnemar_equals_statsmodels():
    from statsmodels.stats.contingency_tables import mcnemar as oracle

    for first, second in ((40, 11), (9, 3), (0, 7), (26, 60)):
        expected = oracle([[3, first], [second, 8]], exact=first + second < 25, correction=True)
        assert mcnemar(*outcomes(3, first, second, 8)).p_value == pytest.approx(expected.pvalue)


def test_mcnemar_with_few_is_exact():
    found = mcnemar(*outcomes(500, 8, 1, 300))
    assert found.statistic is None
    assert found.p_value == pytest.approx(binomtest(1, 9, 0.5).pvalue)
    assert found.method == "exact"


def test_mcnemar_of_equal_outcomes():
    found = mcnemar([True, False], [True, False])
    assert (found.p_value, found.statistic) == (1.0, None)


@pytest.mark.parametrize(("x", "y"), [([], []), ([True], [True, False])])
def test_mcnemar_refuses(x, y):
    with pytest.raises(ValueError, match="at least one item"):
        mcnemar(x, y)


@pytest.mark.parametrize("arguments", [(0.5, 0, 0.5, 10), (1.2, 10, 0.5, 10)])
def test_z_refuses(arguments):
    with pytest.raises(ValueError, match="rates are in"):
        two_proportion_z(*arguments)
