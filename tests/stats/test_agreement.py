import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as oracle

from pak3h_tasks.stats.agreement import fleiss_kappa, majority_agreement, mean_pairwise_agreement

# Fleiss (1971) as worked on Wikipedia, "Fleiss' kappa": 10 subjects, 14 raters, 5 categories; P = 0.378, P_e = 0.213.
WORKED = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
rows = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=8)


def test_the_published_worked_example():
    assert fleiss_kappa(WORKED) == pytest.approx(0.210, abs=5e-4)
    assert mean_pairwise_agreement(WORKED) == pytest.approx(0.378, abs=5e-4)


def test_three_raters_by_hand():
    counts = [[3, 0, 0], [2, 1, 0], [1, 1, 1], [0, 3, 0]]
    # pairs that agree: 3/3, 1/3, 0/3, 3/3; label shares 6/12, 5/12, 1/12
    observed, chance = (1 + 1 / 3 + 0 + 1) / 4, (36 + 25 + 1) / 144
    assert mean_pairwise_agreement(counts) == pytest.approx(observed)
    assert fleiss_kappa(counts) == pytest.approx((observed - chance) / (1 - chance))
    assert majority_agreement(counts) == 3 / 4


def test_unequal_numbers_of_raters_by_hand():
    counts = [[3, 0], [1, 1], [0, 1]]
    # items with two ratings or more: 3/3 and 0/1 pairs agree; label shares per item (1, 0), (1/2, 1/2), (0, 1)
    observed, chance = 1 / 2, (1 / 2) ** 2 + (1 / 2) ** 2
    assert fleiss_kappa(counts) == pytest.approx((observed - chance) / (1 - chance))
    assert fleiss_kappa(counts) == 0


def test_a_generalisation_and_not_the_pooled_one():
    counts = [[4, 0], [1, 1]]
    # shares per item (1, 0) and (1/2, 1/2), so 3/4 and 1/4, where pooling the ratings would give 5/6 and 1/6
    assert fleiss_kappa(counts) == pytest.approx((1 / 2 - 10 / 16) / (1 - 10 / 16))


@pytest.mark.parametrize(
    "counts", [[[3, 0, 0], [0, 3, 0]], [[2, 0, 0], [2, 0, 0]], [[7, 0]], [[2, 0], [0, 5], [1, 0]], [[0, 2, 0]]]
)
def test_perfect_agreement_is_exactly_one(counts):
    assert fleiss_kappa(counts) == mean_pairwise_agreement(counts) == majority_agreement(counts) == 1


@pytest.mark.parametrize("counts", [[], [[]], [[0, 0]], [[1, 0], [0, 1]]])
def test_no_pair_of_ratings_is_no_number(counts):
    assert fleiss_kappa(counts) is mean_pairwise_agreement(counts) is majority_agreement(counts) is None


@given(st.lists(st.permutations([0, 1, 1, 2]), min_size=2, max_size=10), st.integers(0, 9))
def test_equal_raters_equal_statsmodels(table, certain):
    table[certain % len(table)] = [4, 0, 0, 0]  # fewer raters in a row than the oracle needs would divide by zero
    assert fleiss_kappa(table) == pytest.approx(oracle(table), abs=1e-12)


@given(rows)
def test_an_item_nobody_rated_changes_nothing(counts):
    assert fleiss_kappa([[0, 0, 0], *counts]) == fleiss_kappa(counts)
    assert majority_agreement([[0, 0, 0], *counts]) == majority_agreement(counts)


@given(rows | st.lists(st.permutations([0, 1, 2]), min_size=2, max_size=6))
def test_kappa_is_excess_over_chance_by_enumeration(counts):
    """Law: draw an item, then a rating of it: chance is that two such draws agree; observed is within one item."""
    assume(any(sum(row) > 1 for row in counts))
    rated = [[label for label, k in enumerate(row) for _ in range(k)] for row in counts if sum(row)]
    draws = [(label, 1 / len(rated) / len(row)) for row in rated for label in row]
    chance = sum(p * q for a, p in draws for b, q in draws if a == b)
    within = [
        sum(a == b for i, a in enumerate(row) for j, b in enumerate(row) if i != j) / (len(row) * (len(row) - 1))
        for row in rated
        if len(row) > 1
    ]
    observed = sum(within) / len(within)
    assume(observed < 1)
    assert fleiss_kappa(counts) == pytest.approx((observed - chance) / (1 - chance), abs=1e-9)


@given(rows, st.permutations(range(3)))
def test_names_of_labels_do_not_matter(counts, order):
    assume(any(sum(row) > 1 for row in counts))
    renamed = [[row[i] for i in order] for row in counts]
    assert fleiss_kappa(counts) == pytest.approx(fleiss_kappa(renamed), abs=1e-9)


def test_a_tie_is_no_majority():
    # 2 of 4 is not more than half; 3 of 5 is
    assert majority_agreement([[2, 2, 0], [2, 1, 1], [3, 1, 1]]) == 1 / 3


@pytest.mark.parametrize("counts", [[[1, 2], [3]], [[-1, 3]], [[1.5, 0.5]]])
def test_bad_counts_are_refused(counts):
    with pytest.raises(ValueError, match=r"row"):
        fleiss_kappa(counts)
