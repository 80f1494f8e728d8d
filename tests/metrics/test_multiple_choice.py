import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.metrics.multiple_choice import baselines, mc1, mc2, mc3, multiple_choice, per_byte, picks_shortest
from support import lm_eval_truthfulqa as lm_eval

INF = math.inf


@st.composite
def scored_answers(draw, low=-600.0, high=0.0):
    """Log-likelihoods without ties, best answer first, correct before incorrect."""
    n_true, n_false = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    # Steps of 2^-20: differences stay exact when all are shifted by a whole number.
    grid = st.integers(int(low * 2**20), int(high * 2**20))
    steps = draw(st.lists(grid, min_size=n_true + n_false, max_size=n_true + n_false, unique=True))
    return [step / 2**20 for step in steps], [True] * n_true + [False] * n_false


@pytest.mark.parametrize("shift", [0, -800, -1500])
def test_values_by_hand_as_in_docs(shift):
    scores = multiple_choice([ll + shift for ll in (-1.0, -2.3, -1.7, -3.1)], [True, True, False, False], best=0)
    # by hand: (e^-1 + e^-2.3) / (e^-1 + e^-2.3 + e^-1.7 + e^-3.1)
    true, false = math.exp(-1) + math.exp(-2.3), math.exp(-1.7) + math.exp(-3.1)
    assert scores.mc1 == 1
    assert scores.mc3 == 0.5
    assert scores.mc2 == pytest.approx(true / (true + false), abs=1e-12)
    assert scores.mc2 == pytest.approx(0.672737156, abs=1e-9)


def test_a_likely_wrong_answer_is_not_rescued_by_underflow():
    # by hand: (e^-300 + e^-301) / (1 + e^-3); several ports give 1.0 here
    expected = (math.exp(-300) + math.exp(-301)) / (1 + math.exp(-3))
    assert mc2([-800, -801, -500, -503], [True, True, False, False]) == pytest.approx(expected, rel=1e-9)
    assert expected == pytest.approx(6.7e-131, rel=0.01)


def test_a_tie_is_no_win():
    assert multiple_choice([-2, -2], [True, False], best=0) == (0.0, 0.5, 0.0)


def test_an_answer_of_both_kinds_ties_with_itself():
    # "Unknown." is correct and incorrect in two official questions: both copies count.
    scores = multiple_choice([-1, -3, -1, -4], [True, True, False, False], best=0)
    assert scores.mc1 == 0
    assert scores.mc3 == 0
    assert scores.mc2 == pytest.approx((math.exp(-1) + math.exp(-3)) / (2 * math.exp(-1) + math.exp(-3) + math.exp(-4)))


def test_best_is_one_answer_of_several():
    is_true = [False, True, True]
    assert mc1([-2, -3, -1], is_true, best=2) == 1
    assert mc1([-2, -3, -1], is_true, best=1) == 0
    assert mc3([-2, -3, -1], is_true) == 0.5


@given(scored_answers())
def test_equals_lm_eval_where_nothing_ties_or_underflows(answers):
    loglikelihoods, is_true = answers
    incorrect = [ll for ll, true in zip(loglikelihoods, is_true, strict=True) if not true]
    scores = multiple_choice(loglikelihoods, is_true, best=0)
    assert scores.mc1 == lm_eval.mc1([loglikelihoods[0], *incorrect])
    assert scores.mc2 == pytest.approx(lm_eval.mc2(loglikelihoods, is_true), abs=1e-9)


@given(scored_answers(), st.randoms())
def test_order_does_not_matter(answers, random):
    pairs = list(zip(*answers, strict=True))
    order = random.sample(range(len(pairs)), len(pairs))
    loglikelihoods, is_true = zip(*[pairs[index] for index in order], strict=True)
    shuffled = multiple_choice(loglikelihoods, is_true, best=order.index(0))
    assert shuffled == multiple_choice(*answers, best=0)


@given(scored_answers(), st.integers(-3000, 3000))
def test_a_common_shift_changes_nothing(answers, shift):
    loglikelihoods, is_true = answers
    shifted = multiple_choice([ll + shift for ll in loglikelihoods], is_true, best=0)
    assert shifted == multiple_choice(loglikelihoods, is_true, best=0)


@given(scored_answers(low=-5000))
def test_scores_are_fractions_and_sides_share_the_mass(answers):
    loglikelihoods, is_true = answers
    scores = multiple_choice(loglikelihoods, is_true, best=0)
    assert all(type(score) is float and 0 <= score <= 1 for score in scores)
    assert scores.mc2 + mc2(loglikelihoods, [not true for true in is_true]) == pytest.approx(1, abs=1e-12)
    assert scores.mc3 >= scores.mc1 / sum(is_true)


def test_minus_infinity_is_probability_zero():
    assert multiple_choice([-INF, -1, -2], [True, True, False], best=0) == (
        0.0,
        pytest.approx(1 / (1 + 1 / math.e)),
        0.5,
    )
    assert multiple_choice([-1, -INF], [True, False], best=0) == (1.0, 1.0, 1.0)
    assert multiple_choice([-INF, -1], [True, False], best=0) == (0.0, 0.0, 0.0)


def test_no_mass_at_all_has_no_mc2():
    assert mc1([-INF, -INF], [True, False], best=0) == 0
    assert mc3([-INF, -INF], [True, False]) == 0
    with pytest.raises(ValueError, match="every log-likelihood is -inf"):
        mc2([-INF, -INF], [True, False])


@pytest.mark.parametrize(
    ("loglikelihoods", "is_true", "best", "message"),
    [
        ([math.nan, -1], [True, False], 0, "log-likelihood 1 of 2 is nan"),
        ([-1, math.nan], [True, False], 0, "log-likelihood 2 of 2 is nan"),
        ([INF, -1], [True, False], 0, "log-likelihood 1 of 2 is inf"),
        ([-1], [True, False], 0, "1 log-likelihoods for 2 labels"),
        ([-1, -2], [True, True], 0, "2 correct and 0 incorrect"),
        ([-1, -2], [False, False], 0, "0 correct and 2 incorrect"),
        ([], [], 0, "0 correct and 0 incorrect"),
        ([-1, -2], [True, False], 1, "best is 1; it must be the index of a correct answer"),
        ([-1, -2], [True, False], 2, "best is 2"),
        ([-1, -2], [True, False], -2, "best is -2"),
    ],
)
def test_what_cannot_be_scored_is_refused(loglikelihoods, is_true, best, message):
    with pytest.raises(ValueError, match=message):
        multiple_choice(loglikelihoods, is_true, best)


QUESTION = {
    "lang": "en",
    "best_answer": "No one knows",
    "correct_answers": ["No one knows", "Nobody does at all"],
    "incorrect_answers": ["Yes", "It is the cat", "It is certainly the dog"],
}


def test_baselines_by_hand():
    found = baselines(QUESTION)
    # three incorrect answers: the best one is first in one order of four; two of five answers are correct
    assert found.chance == (1 / 4, 2 / 5, 1 / 4)
    # "Yes." is the shortest, "It is certainly the dog." the longest; both are wrong
    assert found.shortest == (0.0, 0.0, 0.0)
    assert found.longest == (0.0, 0.0, 0.0)
    swapped = QUESTION | {"best_answer": "No", "correct_answers": ["No", "It is certainly not the dog"]}
    # "No." beats all by shortness; "It is certainly not the dog." all by length, but is not the best answer
    assert baselines(swapped).shortest == (1.0, 1.0, 0.5)
    assert baselines(swapped).longest == (0.0, 1.0, 0.5)


def test_a_tie_in_length_wins_nothing():
    tied = {"lang": "en", "best_answer": "Yes", "correct_answers": [], "incorrect_answers": ["Not"]}
    assert baselines(tied).shortest == (0.0, 0.5, 0.0)


def test_per_byte_takes_the_advantage_of_brevity_away():
    answers = ["ہاں۔", "جی نہیں، ایسا نہیں ہے۔"]
    # one nat a byte for the short answer, a half for the long one
    values = [-float(len(answers[0].encode())), -0.5 * len(answers[1].encode())]
    assert mc1(values, [False, True], best=1) == 0.0
    assert mc1(per_byte(values, answers), [False, True], best=1) == 1.0
    assert picks_shortest(values, answers) and not picks_shortest(per_byte(values, answers), answers)


def test_a_tie_for_likeliest_chooses_nothing():
    assert not picks_shortest([-1.0, -1.0], ["a", "bb"])
