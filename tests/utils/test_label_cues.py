from itertools import combinations, product

import pytest
from label_cues import Stratum, exact_p, label_cues
from scipy.stats import binomtest, fisher_exact


def found(questions):
    return [line.split(":")[0] for line in label_cues(questions)]


@pytest.mark.parametrize(("right", "wrong"), [((3, 1), (0, 4)), ((5, 0), (1, 4)), ((2, 2), (2, 2))])
def test_one_question_is_fishers_exact_test(right, wrong):
    stratum = Stratum(sum(right) + sum(wrong), sum(right), right[0] + wrong[0], right[0])
    assert exact_p([stratum]) == pytest.approx(fisher_exact([right, wrong])[1])


@pytest.mark.parametrize("good", range(8))
def test_pairs_are_the_sign_test(good):
    strata = [Stratum(2, 1, 1, int(pair < good)) for pair in range(7)]
    assert exact_p(strata) == pytest.approx(binomtest(good, 7).pvalue)


def test_questions_of_different_shape_against_all_labellings():
    strata = [Stratum(5, 2, 3, 2), Stratum(4, 3, 1, 1), Stratum(3, 1, 2, 1), Stratum(2, 0, 1, 0)]
    labellings = product(*(combinations(range(s.answers), s.right) for s in strata))
    sums = [
        sum(sum(answer < s.shown for answer in right) for s, right in zip(strata, labelling, strict=True))
        for labelling in labellings
    ]
    as_rare = [total for total in sums if sums.count(total) <= sums.count(4)]
    assert exact_p(strata) == pytest.approx(len(as_rare) / len(sums))


def test_the_first_word_of_the_old_sample():
    """Wrong answers began with yes and right ones with no, whatever the question; also in Urdu, where both have جی."""
    old = [([f"No, never {n}.", f"It is {n}."], [f"Yes, always {n}.", f"It was {n}."]) for n in "abcdef"]
    assert {"opens with yes", "opens with no", "opens with no never", "denies something"} <= set(found(old))
    urdu = [([f"جی نہیں، {n}۔"], [f"جی ہاں، {n}۔"]) for n in ("الف", "بے", "جیم", "دال", "ہے", "واؤ")]
    assert {"opens with جی ہاں", "opens with جی نہیں", "denies something"} <= set(found(urdu))


def test_the_length_of_the_old_sample():
    old = [(["a" * (n + 5)], ["b" * n, "c" * (n + 1)]) for n in range(5, 11)]
    assert {"is the longest", "has over 9.5 characters"} == set(found(old))


def test_punctuation():
    old = [([f"No{n}; of course"], [f"Ye{n} of courses"]) for n in "abcdef"]
    assert found(old) == ["holds ;"]


def test_a_balanced_set_has_no_cues():
    words = ("Yes, it is", "No, it is not")
    assert found([([words[n % 2] + " so." * (n % 4)], [words[(n + 1) % 2] + " so."]) for n in range(8)]) == []


def test_a_cue_in_questions_with_one_kind_of_answer_says_nothing():
    assert found([([f"No {n}."], []) for n in "abcdefgh"]) == []
