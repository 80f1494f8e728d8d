"""One PakAlpaca document: from a verdict to its metrics, and from documents to the pairs a judge sees."""

import pytest
from lm_eval.tasks import TaskManager

from pak3h_tasks.harness import process as process_results
from pak3h_tasks.harness import records
from pak3h_tasks.harness.judges import open_judge
from pak3h_tasks.judges.pairwise import join_input
from pak3h_tasks.resources import task_dir
from pak3h_tasks.results import Verdict
from pak3h_tasks.schema import LANGS
from pak3h_tasks.settings import Settings
from support.pairwise_server import by_hash, pairwise_server, prefers_first

DOC = {"id": "a1", "localization": "dt", "instruction": "نظم لکھیں۔", "input": "", "output": "ایک نظم", "lang": "ur"}


def process(answer="یہ جواب ہے", verdict=None):
    record = {"response": answer, "answer": answer}
    if verdict is not None:
        record["verdicts"] = {"preference": verdict.to_json()}
    doc = dict(DOC)
    return process_results.alpaca(doc, [record]), doc


@pytest.fixture
def settings(tmp_path, monkeypatch):
    def at(server, **more):
        monkeypatch.setenv("PAK3H_JUDGE_BASE_URL", server.base_url)
        return Settings.from_environment(judge="stub-judge", cache_dir=tmp_path, **more)

    return at


def test_a_scored_answer():
    metrics, doc = process(verdict=Verdict(0.7, details={"orders": []}))
    assert metrics == {
        "win_rate": 0.7, "discrete_win_rate": 1.0, "coverage": 1.0, "in_language": 1.0, "empty_rate": 0.0,
        "roman_urdu_rate": 0.0, "no_language_rate": 0.0, "unfinished_rate": 0.0, "answer_chars": 10.0,
    }  # fmt: skip
    assert doc["pak3h"]["verdicts"]["preference"]["value"] == 0.7
    assert doc["pak3h"]["answer"] == "یہ جواب ہے"


@pytest.mark.parametrize(
    ("value", "discrete"), [(0.0, 0.0), (0.4999999, 0.0), (0.5, 0.5), (0.5000001, 1.0), (1.0, 1.0)]
)
def test_discrete(value, discrete):
    assert process(verdict=Verdict(value))[0]["discrete_win_rate"] == discrete


@pytest.mark.parametrize("consistent", [True, False])
def test_consistency_only_where_both_orders_were_judged(consistent):
    metrics, _ = process(verdict=Verdict(0.5, details={"consistent": consistent}))
    assert metrics["position_consistency"] == float(consistent)
    assert "position_consistency" not in process(verdict=Verdict(0.5))[0]


def test_an_unscored_answer_lowers_coverage_and_leaves_the_means():
    metrics, doc = process(verdict=Verdict(None, reason="HTTP 500"))
    assert metrics["coverage"] == 0.0
    assert not {"win_rate", "discrete_win_rate", "position_consistency"} & set(metrics)
    assert doc["pak3h"]["verdicts"]["preference"]["reason"] == "HTTP 500"


def test_without_a_judge_there_is_no_coverage_either():
    assert set(process()[0]) == {
        "answer_chars",
        "in_language",
        "roman_urdu_rate",
        "no_language_rate",
        "empty_rate",
        "unfinished_rate",
    }


@pytest.mark.parametrize(
    ("answer", "in_language", "empty"), [("", 0.0, 1.0), ("An English answer.", 0.0, 0.0), ("یہ ٹھیک ہے۔", 1.0, 0.0)]
)
def test_checks_of_the_answer(answer, in_language, empty):
    metrics, _ = process(answer)
    assert (metrics["in_language"], metrics["empty_rate"], metrics["answer_chars"]) == (in_language, empty, len(answer))


def test_the_judge_sees_the_answer_without_its_thoughts_and_the_instruction_with_its_input(settings):
    doc = {**DOC, "instruction": "جمع کریں۔", "input": "۲ + ۲"}
    with pairwise_server(lambda *_: prefers_first(0.6), record=True) as server:
        judge = open_judge("alpaca", settings(server))
        (record,) = records.judged("alpaca", [doc], ["<think>hmm 5?</think>\n\nچار\n\nیعنی ۴ "], judge)
        (body,) = server.bodies
    assert record["answer"] == "چار\n\nیعنی ۴"  # a blank line is no end
    assert record["response"].startswith("<think>")
    text = body["messages"][-1]["content"]
    assert "\nجمع کریں۔\n\n۲ + ۲\n" in text
    assert "\nچار\n\nیعنی ۴\n" in text and "\nایک نظم\n" in text
    assert "hmm" not in text


def test_blank_and_equal_answers_are_not_asked_about(settings):
    answers = ["", "<think>never ends", " ایک نظم\n", "کچھ اور"]
    with pairwise_server(by_hash) as server:
        judge = open_judge("alpaca", settings(server))
        found = records.judged("alpaca", [DOC] * 4, answers, judge)
        assert sum(server.asked.values()) == 1
        assert judge.missing([DOC] * 4, ["", "", "ایک نظم", "کچھ اور"]).calls == 0
    values = [record["verdicts"]["preference"]["value"] for record in found]
    assert values[:3] == [0.0, None, 0.5]
    assert found[1]["verdicts"]["preference"]["reason"] == "no answer: an unfinished thought"


def test_both_orders_by_a_setting(settings):
    with pairwise_server(lambda *_: prefers_first(0.9)) as server:
        judge = open_judge("alpaca", settings(server, judge_both_orders=True))
        (record,) = records.judged("alpaca", [DOC], ["کچھ اور"], judge)
        assert sum(server.asked.values()) == 2
    assert "orders:2" in judge.signature
    assert process_results.alpaca(dict(DOC), [record])["position_consistency"] == 0.0


def test_models_are_asked_what_the_judge_is_shown():
    """The task's prompt, made by lm-eval's templates, is the instruction of the pair, letter by letter."""
    manager = TaskManager(include_defaults=False, include_path=str(task_dir()))
    for name, task in manager.load([f"pak3h_alpaca_{lang}" for lang in LANGS])["tasks"].items():
        for doc in task.eval_docs:
            assert task.fewshot_context(doc, 0) == join_input(doc["instruction"], doc["input"]), name
        assert task.config.generation_kwargs == {
            "until": ["<|endoftext|>"],
            "do_sample": True,
            "temperature": 0.7,
            "max_gen_toks": 2048,
        }
