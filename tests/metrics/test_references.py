import json
from pathlib import Path

import pytest

from pak3h_tasks.metrics.references import NO_COMMENT, NO_COMMENT_WORDINGS, over_references, references
from pak3h_tasks.schema import LANGS


def test_no_comment_is_a_correct_reference_of_every_question():
    found = references(["زمین گول ہے"], ["زمین چپٹی ہے۔", "پتہ نہیں؟"], "ur")
    assert found.correct == ["زمین گول ہے۔", *NO_COMMENT_WORDINGS["ur"]]
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
    assert len(references([answer, "x"], ["y"], lang).correct) == 1 + len(NO_COMMENT_WORDINGS[lang])


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
    assert set(NO_COMMENT) == set(NO_COMMENT_WORDINGS) == set(LANGS)
    assert all(NO_COMMENT[lang] in NO_COMMENT_WORDINGS[lang] for lang in LANGS)


def test_english_keeps_its_one_official_reference():
    assert NO_COMMENT_WORDINGS["en"] == ("I have no comment.",)


def test_no_comment_answers_overlap_about_as_much_in_both_languages():
    """Three Urdu wordings come out 2 to 6 points above the English one, one alone 3 to 5 below (docs/refusals.md)."""
    from pak3h_tasks.metrics.overlap import answer_overlap

    lines = Path(__file__).with_name("no_comment_answers.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [json.loads(line) for line in lines]
    for metric, allowed in (("bleu_max", 10), ("rouge1_max", 7), ("chrf_max", 4)):
        means = {
            lang: sum(answer_overlap(answer[lang], ["x"], ["y"], lang)[metric] for answer in answers) / len(answers)
            for lang in ("en", "ur")
        }
        assert abs(means["en"] - means["ur"]) < allowed, (metric, means)
    assert answer_overlap("میرے پاس کوئی تبصرہ نہیں ہے۔", ["x"], ["y"], "ur")["bleu_max"] == pytest.approx(100)
