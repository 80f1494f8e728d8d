"""One document's metrics as lm-eval and W&B logging take them."""

import pytest

from pak3h_tasks.harness import documents, process, records
from pak3h_tasks.schema import HonestItem

DOC = {
    "id": "q1", "localization": "dt", "lang": "en", "data": "d", "task": "pak3h_truthfulqa_en_gen",
    "question": "What happens?", "best_answer": "Nothing.", "correct_answers": ["Nothing."],
    "incorrect_answers": ["You die."],
}  # fmt: skip


class Judge:
    """Says yes to everything, and notes what it is asked."""

    signature = "judge:yes"

    def __init__(self):
        self.asked = []

    def verdicts(self, docs, answers):
        from pak3h_tasks.results import Verdict

        self.asked += answers
        return [{"truthful": Verdict(1.0), "informative": Verdict(1.0)} for _ in docs]


def test_a_thought_that_never_ended_is_no_answer():
    """L3: unscored and counted, never truthful, and nobody is asked."""
    judge = Judge()
    texts = ["<think>Seeds are", "<think>Seeds</think>Nothing."]
    thinking, answered = records.judged("truthfulqa", [DOC, DOC], texts, judge)
    assert judge.asked == ["Nothing."]
    assert process.truthfulqa_gen({**DOC}, [thinking]) == {"unfinished_rate": 1.0, "coverage": 0.0}
    assert thinking["verdicts"]["truthful"]["reason"] == "no answer: an unfinished thought"
    found = process.truthfulqa_gen({**DOC}, [answered])
    assert (found["truthful"], found["coverage"], found["unfinished_rate"]) == (1.0, 1.0, 0.0)


def test_only_answers_to_questions_lose_labels_and_further_questions():
    text = "A: Nothing.\nQ: And then?"
    assert records.clean_answer(text, "truthfulqa", "en") == "Nothing."
    assert records.clean_answer(text, "alpaca", "en") == text
    assert records.clean_answer("<think>A?</think> A: x", "beavertails", "en") == "A: x"


def test_a_few_shot_target_is_the_best_answer_with_a_closing_mark():
    item = HonestItem(
        id="q1", localization="dt", question="What?", best_answer="Nothing", correct_answers=["It passes"],
        incorrect_answers=["You die"],
    )  # fmt: skip
    assert documents.question(item, "en", "d")["best_answer"] == "Nothing."
    assert documents.multiple_choice(item, "en", "d")["choices"] == ["Nothing.", "It passes.", "You die."]


def test_a_logged_row_has_every_metric_and_a_mean_only_those_with_a_value():
    (record,) = records.judged("truthfulqa", [DOC], ["Nothing."], None)
    metrics = process.truthfulqa_gen({**DOC}, [record])
    row = {"doc_id": 0}
    row.update(metrics)  # as lm-eval makes its sample log
    assert row["truthful"] is None and row["ti"] is None and row["bleu_max"] > 99
    assert set(row) - {"doc_id"} == set(metrics.keys()) == set({**metrics})
    assert None not in dict(metrics.items()).values() and "truthful" not in dict(metrics.items())


def test_what_a_filter_returns_is_one_string_and_comes_back_whole():
    (record,) = records.judged("truthfulqa", [DOC], ["ہاں\n"], Judge())
    packed = records.packed(record)
    assert [type(value) for value in packed.values()] == [str]
    assert records.record_of([[packed]]) == record == records.record_of([record])


def test_wandb_reads_each_metric_from_each_row():
    """L2: `WandbLogger._generate_dataset` of lm-eval 0.4.13 does ``[x[metric] for x in data]``."""
    from lm_eval.tasks import TaskManager

    from pak3h_tasks.resources import task_dir

    manager = TaskManager(include_defaults=False, include_path=str(task_dir()))
    (judged,) = records.judged("truthfulqa", [DOC], ["Nothing."], Judge())
    (plain,) = records.judged("truthfulqa", [DOC], ["Nothing."], None)
    listed = [metric["metric"] for metric in manager.task_index["pak3h_truthfulqa_en_gen"].cfg["metric_list"]]
    for record in (judged, plain):
        row = {**process.truthfulqa_gen({**DOC}, [record])}
        assert [row[name] for name in listed]


def test_details_are_all_but_the_response_which_the_log_has_already():
    (record,) = records.judged("truthfulqa", [DOC], ["A: Nothing."], Judge())
    doc = {**DOC}
    process.truthfulqa_gen(doc, [record])
    assert doc["pak3h"].keys() == {"answer", "verdicts"}
    assert doc["pak3h"]["answer"] == "Nothing."


@pytest.mark.parametrize(("logprob", "reason"), [(float("nan"), True), (-1.0, False)])
def test_a_question_without_usable_likelihoods_says_why(logprob, reason):
    doc = {**DOC, "choices": ["Nothing.", "You die."]}
    found = process.truthfulqa_mc(doc, [(logprob, False), (-2.0, False)])
    assert ("pak3h" in doc) == reason
    assert dict(found.items()).get("mc1") == (None if reason else 1.0)
    assert dict(found.items())["coverage"] == (0.0 if reason else 1.0)


def test_a_judge_is_looked_for_where_there_are_settings(monkeypatch):
    judge, asked = Judge(), []
    monkeypatch.setattr(records, "ready_judge", lambda dataset, settings: asked.append((dataset, settings)) or judge)
    (plain,) = records.records("truthfulqa", [DOC], ["Nothing."], None)
    assert ("verdicts" in plain, asked) == (False, [])
    (judged,) = records.records("truthfulqa", [DOC], ["Nothing."], "settings")
    assert (judged["verdicts"]["truthful"]["value"], asked) == (1.0, [("truthfulqa", "settings")])


def test_urdu_is_readable_in_what_a_filter_returns():
    (record,) = records.judged("truthfulqa", [DOC], ["ہاں"], None)
    assert "ہاں" in next(iter(records.packed(record).values()))
