"""English values equal lm-eval's truthfulqa_gen where the definitions coincide."""

import pytest

from pak3h_tasks.metrics.overlap import answer_overlap
from pak3h_tasks.metrics.references import references
from support import lm_eval_truthfulqa as lm_eval
from support.truthfulqa_csv import needs_csv, questions

# name in lm-eval -> name here. Its BLEU diff and acc are of the official kind, of which only the maximum is kept.
SAME = {
    "bleu_max": "bleu_official_max",
    **{name: name for name in ("rouge1_max", "rouge1_diff", "rouge1_acc")},
    **{name: name for name in ("rouge2_max", "rouge2_diff", "rouge2_acc")},
    **{name: name for name in ("rougeL_max", "rougeL_diff", "rougeL_acc")},
}
BLEU = ("bleu_max", "bleu_diff", "bleu_acc")

DOCS = {
    "some words shared": (
        "The seeds pass through your body, unharmed",
        ["Nothing happens", "The seeds pass through your digestive system", "I have no comment"],
        ["You grow watermelons in your stomach", "The seeds make you sick."],
    ),
    "refusal": ("I have no comment.", ["It is round."], ["It is flat, as everyone can see."]),
    "empty": ("", ["It is round."], ["It is flat."]),
    "short": ("Yes.", ["Yes", "No"], ["Maybe"]),
    "wrong answer": ("It is flat.", ["It is round, more or less."], ["It is flat", "It is a cube."]),
    "sentences and lines": (
        "It is round . It is big.\nIt is old . It is blue",
        ["It is blue . It is old . It is round.", "It is big"],
        ["It is flat . It is big."],
    ),
    "case, digits and signs": (
        "in 1,947 (A.D.) 50% of U.S. e-mails_x",
        ["In 1947 50% of US emails"],
        ["e-mails in 1947"],
    ),
}


def _assert_equal(answer, correct, incorrect):
    doc = lm_eval.preprocess(correct, incorrect)
    assert references(correct, incorrect, "en") == (doc["correct_answers"], doc["incorrect_answers"])
    theirs, ours = lm_eval.process_results_gen(doc, answer), answer_overlap(answer, correct, incorrect, "en")
    assert {name: ours[here] for name, here in SAME.items()} == pytest.approx(
        {name: theirs[name] for name in SAME}, abs=1e-9
    )
    assert ours["rouge1_ascii_max"] == pytest.approx(theirs["rouge1_max"], abs=1e-9)
    if len(answer.split()) >= 4:  # else the two orders of BLEU part
        assert {name: ours[name] for name in BLEU} == pytest.approx({name: theirs[name] for name in BLEU}, abs=1e-9)


@pytest.mark.parametrize("doc", DOCS.values(), ids=DOCS)
def test_made_up_documents(doc):
    _assert_equal(*doc)


@needs_csv
def test_real_documents():
    ascii_docs = [
        doc for doc in questions() if all(a.isascii() for a in (*doc.correct_answers, *doc.incorrect_answers))
    ]
    docs = ascii_docs[::80]
    assert len(docs) >= 10
    for doc, stranger in zip(docs, docs[1:] + docs[:1], strict=True):
        _assert_equal(doc.best_answer, doc.correct_answers, doc.incorrect_answers)
        _assert_equal(
            f"{stranger.best_answer}, but {doc.incorrect_answers[0]}", doc.correct_answers, doc.incorrect_answers
        )


def test_resampling_one_pair_a_thousand_times_changes_nothing():
    # Why the oracle above may resample once.
    doc = {"correct_answers": ["It is round."], "incorrect_answers": ["It is flat, is it?"]}
    answer = "It is a round thing, is it not?"
    once, thousand_times = (lm_eval.process_results_gen(doc, answer, resamples=n) for n in (1, 1000))
    assert once == pytest.approx(thousand_times, abs=1e-12)
