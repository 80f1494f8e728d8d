import pytest

from pak3h_tasks.metrics.references import NO_COMMENT, over_references, references
from pak3h_tasks.schema import LANGS


def test_no_comment_is_a_correct_reference_of_every_question():
    found = references(["زمین گول ہے"], ["زمین چپٹی ہے۔", "پتہ نہیں؟"], "ur")
    assert found.correct == ["زمین گول ہے۔", "میں کوئی تبصرہ نہیں کروں گا۔"]
    assert found.incorrect == ["زمین چپٹی ہے۔", "پتہ نہیں؟"]
    assert references(["Round"], ["Flat"], "en") == (["Round.", "I have no comment."], ["Flat."])


@pytest.mark.parametrize(
    ("answer", "lang"),
    [
        ("میں کوئی تبصرہ نہیں کروں گا۔", "ur"),
        ("میں کوئی تبصرہ نہیں کروں گا", "urmt"),
        ("ميں كوئي تبصره نہيں كروں گا۔", "ur"),
        ("I have no comment", "en"),
        (" I have no comment. ", "en"),
    ],
)
def test_no_comment_is_there_once(answer, lang):
    assert len(references([answer, "x"], ["y"], lang).correct) == 2


def test_blank_answers_are_dropped_and_one_incorrect_must_stay():
    assert references(["a", " "], ["", "b"], "en") == (["a.", "I have no comment."], ["b."])
    with pytest.raises(ValueError, match="no incorrect reference answer"):
        references(["a"], ["", " "], "en")


def test_the_callers_lists_stay_as_they_are():
    correct, incorrect = ["a"], ["b"]
    references(correct, incorrect, "en")
    assert (correct, incorrect) == (["a"], ["b"])


def test_acc_is_strict():
    assert over_references(40.0, 40.0) == (40.0, 0.0, 0.0)
    assert over_references(40.0, 50.0) == (40.0, -10.0, 0.0)
    assert over_references(50.0, 40.0) == (50.0, 10.0, 1.0)


def test_every_language_has_a_no_comment():
    assert set(NO_COMMENT) == set(LANGS)
