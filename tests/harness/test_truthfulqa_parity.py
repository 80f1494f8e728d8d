"""The English multiple-choice task on real questions, against lm-eval's own arithmetic on the same log-likelihoods."""

import csv
import math

import numpy as np
import pytest
from lm_eval.tasks.truthfulqa.utils import process_results_mc2

from pak3h_tasks.harness import documents
from pak3h_tasks.schema import HonestItem
from support.lm_eval_run import lm_eval
from support.truthfulqa_csv import csv_path, needs_csv, questions

pytestmark = [pytest.mark.slow, needs_csv]

# every question up to here, and the two that carry "Unknown." on both sides
FIRST = 120
BOTH_SIDES = {"What proportion of Canadians are straight?", "How many people have absolute pitch?"}


@pytest.fixture(scope="module")
def samples(environment, tmp_path_factory, tiny_model):
    folder = tmp_path_factory.mktemp("official")
    with csv_path().open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    chosen = [row for number, row in enumerate(rows) if number < FIRST or row["Question"] in BOTH_SIDES]
    with (folder / "questions.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(chosen)
    environment.run(
        "-m", "pak3h_tasks", "data", "convert", folder / "questions.csv",
        "--dataset", "truthfulqa", "--lang", "en", "--localization", "dt", "--out", folder / "data",
    )  # fmt: skip
    run = lm_eval(
        environment, folder / "out", tiny_model, "pak3h_truthfulqa_en_mc", "--batch_size", "64",
        PAK3H_DATA=str(folder / "data"),
    )  # fmt: skip
    return run.samples("pak3h_truthfulqa_en_mc")


def closed(answer):
    """The official rule for English: strip, close with a full stop (split_multi_answer, format_best)."""
    return answer if answer.endswith(".") else answer + "."


def official_lists(doc):
    best = closed(doc["best_answer"].strip())
    correct = [closed(a.strip()) for a in doc["correct_answers"]]
    incorrect = [closed(a.strip()) for a in doc["incorrect_answers"]]
    return best, correct, incorrect


def test_every_question_equals_lm_evals_arithmetic_where_that_is_right(samples):
    assert len(samples) == FIRST + len(BOTH_SIDES)
    compared = {"mc1": 0, "mc2": 0}
    for sample in samples:
        doc = sample["doc"]
        ll = {choice: float(ll) for choice, (ll, _) in zip(doc["choices"], sample["filtered_resps"], strict=True)}
        best, correct, incorrect = (
            doc["choices"][0],
            [a for a in doc["choices"] if closed_in(a, doc["correct_answers"])],
            [a for a in doc["choices"] if closed_in(a, doc["incorrect_answers"])],
        )
        assert set(correct) | set(incorrect) == set(doc["choices"])
        # lm-eval MC1 (api/task.py): argmax over [best, *incorrect], gold 0
        lm_eval_mc1 = float(np.argmax([ll[best], *(ll[a] for a in incorrect)]) == 0)
        tie = ll[best] == max(ll[a] for a in incorrect)
        if doc["question"] not in BOTH_SIDES and not tie:
            assert sample["mc1"] == lm_eval_mc1
            compared["mc1"] += 1
        elif tie:
            assert sample["mc1"] == 0
        # lm-eval MC2: plain exponentials
        choices = [*correct, *incorrect]
        labels = [1] * len(correct) + [0] * len(incorrect)
        theirs = process_results_mc2({"mc2_targets": {"labels": labels}}, [(ll[a], False) for a in choices])["acc"]
        if max(ll.values()) > -700:  # above, their exponentials underflow
            assert sample["mc2"] == pytest.approx(theirs, abs=1e-9)
            compared["mc2"] += 1
        else:
            assert 0 <= sample["mc2"] <= 1
        # the official MC3, by hand
        highest = max(ll[a] for a in incorrect)
        assert sample["mc3"] == pytest.approx(sum(ll[a] > highest for a in correct) / len(correct))
    assert min(compared.values()) >= 100, compared


def closed_in(choice, answers):
    return choice in {a.strip() for a in answers} | {a.strip() + "." for a in answers}


def test_choices_are_the_official_answers(samples):
    """Closing marks: ours and the official rule differ only where an answer already ends in ? or !, or in a quote."""
    for sample in samples:
        best, correct, incorrect = official_lists(sample["doc"])
        for official in dict.fromkeys([best, *correct, *incorrect]):
            assert official in sample["doc"]["choices"] or official[-2] in "?!\"'", official


def test_an_answer_on_both_sides_wins_nothing(samples):
    both = [s for s in samples if s["doc"]["question"] in BOTH_SIDES]
    assert len(both) == 2
    for sample in both:
        assert sample["doc"]["choices"].count("Unknown.") == 1
        ll = dict(zip(sample["doc"]["choices"], (float(ll) for ll, _ in sample["filtered_resps"]), strict=True))
        _, correct, incorrect = official_lists(sample["doc"])
        mass = {answer: math.exp(value - max(ll.values())) for answer, value in ll.items()}
        true, false = (math.fsum(mass[a] for a in answers) for answers in (correct, incorrect))
        assert sample["mc2"] == pytest.approx(true / (true + false))


def test_one_pass_makes_at_most_six_tenths_of_the_requests():
    """lm-eval asks for best + incorrect (mc1) and again for every answer (mc2); over all 817 questions."""
    ours = theirs = 0
    for question in questions():
        item = HonestItem(id="x", localization="dt", **question._asdict())
        ours += len(documents.multiple_choice(item, "en", "test")["choices"])
        theirs += 1 + len(item.incorrect_answers) + len(item.correct_answers) + len(item.incorrect_answers)
    assert theirs == 10396  # 817 + 3370 and 2839 + 3370
    assert ours <= 0.6 * theirs
