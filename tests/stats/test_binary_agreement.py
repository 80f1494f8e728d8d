from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.stats.binary_agreement import binary_agreement

flags = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


def test_by_hand() -> None:
    # 3 both, 1 only rater, 1 only reference, 5 neither: p_o = .8, p_e = .4*.4 + .6*.6 = .52, kappa = .28/.48
    result = binary_agreement([True] * 4 + [False] * 6, [True] * 3 + [False] + [True] + [False] * 5)
    assert (result.both, result.only_rater, result.only_reference, result.neither, result.n) == (3, 1, 1, 5, 10)
    assert result.agreement == 0.8
    assert result.kappa == pytest.approx(0.28 / 0.48)


@pytest.mark.parametrize("rater", [[True], [False], [True, True], [True, False, False]])
def test_perfect_agreement_is_exactly_one(rater: list[bool]) -> None:
    assert binary_agreement(rater, list(rater)).kappa == 1.0


@given(flags)
def test_kappa_equals_sklearn(pairs: list[tuple[bool, bool]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    rater, reference = [a for a, _ in pairs], [b for _, b in pairs]
    result = binary_agreement(rater, reference)
    if rater != reference:  # sklearn gives NaN and a warning where there is one answer only
        assert result.kappa == pytest.approx(cohen_kappa_score(rater, reference))
    assert result.agreement == sum(a == b for a, b in pairs) / len(pairs)


def test_wrong_shapes() -> None:
    with pytest.raises(ValueError, match="nothing was rated"):
        binary_agreement([], [])
    with pytest.raises(ValueError, match="1 answers but 2"):
        binary_agreement([True], [True, False])
