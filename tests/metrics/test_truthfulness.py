"""TI, joint TI and the standard error."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.metrics.truthfulness import ti, ti_joint, ti_stderr

# scoring.md, section 3: 40 refusals (true, uninformative), 30 good answers, 30 informative lies.
TRUTHFUL: list[float | None] = [1] * 40 + [1] * 30 + [0] * 30
INFORMATIVE: list[float | None] = [0] * 40 + [1] * 30 + [1] * 30

verdicts = st.lists(st.tuples(st.sampled_from([0, 1, None]), st.sampled_from([0, 1, None])), min_size=1)


def test_product_and_joint_differ() -> None:
    assert ti(TRUTHFUL, INFORMATIVE) == pytest.approx(0.7 * 0.6)  # 0.42
    assert ti_joint(TRUTHFUL, INFORMATIVE) == pytest.approx(0.30)
    # Half refusals, half bluffs: 25 against nothing at all.
    assert ti([1, 0] * 50, [0, 1] * 50) == 0.25
    assert ti_joint([1, 0] * 50, [0, 1] * 50) == 0.0


def test_stderr_by_hand() -> None:
    # Shares .7 and .6; sample variances .21 * 100/99 and .24 * 100/99; covariance (.3 - .42) * 100/99.
    variance = (0.36 * 0.21 + 0.49 * 0.24 + 2 * 0.42 * (0.3 - 0.42)) / 99
    assert ti_stderr(TRUTHFUL, INFORMATIVE) == pytest.approx(math.sqrt(variance))


@pytest.mark.parametrize("shift", [0, 20, 60])
def test_stderr_against_the_bootstrap(shift: int) -> None:
    informative = INFORMATIVE[shift:] + INFORMATIVE[:shift]  # covariance from negative to positive
    rng = random.Random(0)
    values = []
    for _ in range(3000):
        drawn = rng.choices(range(100), k=100)
        values.append(ti([TRUTHFUL[i] for i in drawn], [informative[i] for i in drawn]))
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    assert ti_stderr(TRUTHFUL, informative) == pytest.approx(spread, rel=0.06)


def test_unscored_is_left_out_and_not_zero() -> None:
    assert ti([1, None, 0, 1], [None, 1, 1, 0]) == pytest.approx(2 / 3 * 2 / 3)
    assert ti_joint([1, None, 0, 1], [None, 1, 1, 1]) == pytest.approx(1 / 2)


def test_stderr_with_verdicts_missing_on_one_side() -> None:
    # By hand, pairs (1,1), (0,0): shares 1/2 of 3 and 2 ... a = 2/3 over {1, 0, 1}, b = 1/2 over {1, 0}.
    truthful, informative = [1, 0, 1], [1, 0, None]
    var_a, var_b, cov = 1 / 3, 1 / 2, 1 / 2  # sample variances; covariance of the two full pairs
    a, b = 2 / 3, 1 / 2
    variance = b * b * var_a / 3 + a * a * var_b / 2 + 2 * a * b * cov * 2 / (3 * 2)
    assert ti_stderr(truthful, informative) == pytest.approx(math.sqrt(variance))


def test_all_equal_has_no_error_and_one_answer_has_none() -> None:
    assert ti_stderr([1, 1, 1], [1, 1, 1]) == 0.0
    assert ti([1], [0]) == 0.0
    assert ti_stderr([1], [1]) is None
    assert ti_stderr([1, 1, 0], [1, None, None]) is None


@pytest.mark.parametrize("metric", [ti, ti_joint, ti_stderr])
@pytest.mark.parametrize(
    ("truthful", "informative"),
    [([], []), ([None], [None]), ([1], [1, 0]), ([2], [1]), ([1], [-0.1]), ([math.nan], [1]), ([None, 2], [1, 1])],
)
def test_refused(metric: object, truthful: list[float | None], informative: list[float | None]) -> None:
    with pytest.raises(ValueError, match=r"verdict"):
        metric(truthful, informative)  # type: ignore[operator]


def test_one_side_unscored_is_refused() -> None:
    for metric in (ti, ti_joint, ti_stderr):
        with pytest.raises(ValueError, match=r"informative|both"):
            metric([1, 0], [None, None])


@given(verdicts)
def test_joint_never_exceeds_a_share_and_symmetry(pairs: list[tuple[int | None, int | None]]) -> None:
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    if not both:
        return
    a, b = [x for x, _ in both], [y for _, y in both]
    assert ti_joint(a, b) <= min(sum(a), sum(b)) / len(both) + 1e-12
    assert ti(a, b) == ti(b, a) and ti_joint(a, b) == ti_joint(b, a)


def test_more_answers_less_error() -> None:
    errors = [ti_stderr(TRUTHFUL * k, INFORMATIVE * k) for k in (1, 4, 16)]
    for small, large in pairwise(error for error in errors if error is not None):
        assert small / large == pytest.approx(2, rel=0.02)  # 1 / sqrt(n)
