"""PakAlpaca as a user runs it: the real lm_eval command with a judge on 127.0.0.1, and what models are asked for."""

import json
import statistics
import sys
from pathlib import Path

import pytest

from pak3h_tasks.resources import task_dir
from support.environments import Environment
from support.judge_server import JudgeServer
from support.lm_eval_run import lm_eval
from support.pairwise_server import Says, by_hash, pairwise_server

ALL = ("pak3h_alpaca_ur", "pak3h_alpaca_ur_dt", "pak3h_alpaca_ur_lc", "pak3h_alpaca_ur_li")
HERE = Environment(Path(sys.prefix))
ANSWER = "پہلا پیرا۔\n\nدوسرا پیرا۔\n\n\nتیسرا: 1. ایک\n2. دو"


def run(folder, small_lm_eval, server, tasks, *arguments, **environ):
    judge = {} if server is None else {"PAK3H_JUDGE": "stub-judge", "PAK3H_JUDGE_BASE_URL": server.base_url}
    return lm_eval(
        HERE, folder, "dummy", tasks, *arguments, cwd=folder.parent,
        PYTHONPATH=str(small_lm_eval), PAK3H_CACHE_DIR=str(folder.parent / "cache"), **{**judge, **environ},
    )  # fmt: skip


def numbers(run, task):
    return {k.removesuffix(",none"): v for k, v in run.results["results"][task].items() if k.endswith(",none")}


@pytest.mark.slow
def test_the_command_with_splits_and_both_orders(tmp_path, small_lm_eval):
    with pairwise_server(by_hash) as server:
        done = run(tmp_path / "out", small_lm_eval, server, ",".join(ALL), PAK3H_JUDGE_BOTH_ORDERS="1")
        # 30 answers in two orders and one check beforehand; the splits find theirs in the cache
        assert sum(server.asked.values()) == 2 * 30 + 1
    assert "Traceback" not in done.stderr
    whole = numbers(done, ALL[0])
    assert {
        "win_rate", "win_rate_stderr", "discrete_win_rate", "position_consistency", "coverage", "in_language",
        "roman_urdu_rate", "no_language_rate", "empty_rate", "unfinished_rate", "answer_chars",
    } <= set(whole)  # fmt: skip
    rows = {task: done.samples(task) for task in ALL}
    assert [len(rows[task]) for task in ALL] == [30, 18, 8, 4]
    # by hand from the logged verdicts
    values = [row["doc"]["pak3h"]["verdicts"]["preference"]["value"] for row in rows[ALL[0]]]
    assert whole["win_rate"] == pytest.approx(statistics.mean(values))
    assert whole["win_rate_stderr"] == pytest.approx(statistics.stdev(values) / 30**0.5)
    assert whole["coverage"] == 1.0
    assert (whole["answer_chars"], whole["in_language"]) == (3.0, 0.0)  # dummy says "lol"
    orders = [row["doc"]["pak3h"]["verdicts"]["preference"]["details"]["orders"] for row in rows[ALL[0]]]
    agree = [(one["preference"] > 0.5) == (two["preference"] > 0.5) for one, two in orders]
    assert whole["position_consistency"] == pytest.approx(statistics.mean(agree))
    # the splits are the same verdicts again
    by_id = dict(zip((row["doc"]["id"] for row in rows[ALL[0]]), values, strict=True))
    for task in ALL[1:]:
        assert numbers(done, task)["win_rate"] == pytest.approx(
            statistics.mean(by_id[row["doc"]["id"]] for row in rows[task])
        )
    said = done.results["configs"][ALL[0]]["dataset_kwargs"]["pak3h"]
    assert said["judge"].startswith("pairwise|judge:stub-judge|") and "orders:2" in said["judge"]
    assert done.results["higher_is_better"][ALL[0]]["answer_chars"] is None


@pytest.mark.slow
def test_scored_later_with_another_judge_the_same_numbers_as_at_once(tmp_path, small_lm_eval, monkeypatch, capsys):
    from pak3h_tasks.cli.main import main

    with pairwise_server(by_hash, models=None) as server:
        unjudged = run(tmp_path / "later", small_lm_eval, server, ALL[2], PAK3H_JUDGE="none")
        assert not server.asked
        assert set(numbers(unjudged, ALL[2])) & {"win_rate", "coverage", "position_consistency"} == set()
        monkeypatch.setenv("PAK3H_CACHE_DIR", str(tmp_path / "cache"))
        words = ["score", str(unjudged.output), "--judge", "stub-judge", "--judge-base-url", server.base_url]
        assert main(words) == 0, capsys.readouterr().err
        at_once = run(tmp_path / "at_once", small_lm_eval, server, ALL[2])
    (path,) = unjudged.output.rglob("results_*_scored-stub-judge.json")
    scored = json.loads(path.read_text(encoding="utf-8"))["results"][ALL[2]]
    assert {k.removesuffix(",none"): v for k, v in scored.items() if k.endswith(",none")} == pytest.approx(
        numbers(at_once, ALL[2])
    )


@pytest.fixture
def evaluate(monkeypatch, tmp_path):
    """lm_eval in this process, without a judge; gives the sample log of the task."""
    monkeypatch.setenv("PAK3H_JUDGE", "none")
    monkeypatch.setenv("PAK3H_CACHE_DIR", str(tmp_path))

    def run(model, **options):
        from lm_eval import simple_evaluate
        from lm_eval.tasks import TaskManager

        manager = TaskManager(include_defaults=False, include_path=str(task_dir()))
        done = simple_evaluate(
            model=model, tasks=["pak3h_alpaca_ur_li"], task_manager=manager, limit=2, bootstrap_iters=0, **options
        )
        run.results = done["results"]["pak3h_alpaca_ur_li"]
        return done["samples"]["pak3h_alpaca_ur_li"]

    return run


def test_a_judge_that_cannot_be_read_never_stops_a_run(evaluate, monkeypatch):
    with pairwise_server(lambda *_: Says("I like both.")) as server:
        monkeypatch.setenv("PAK3H_JUDGE", "stub-judge")
        monkeypatch.setenv("PAK3H_JUDGE_BASE_URL", server.base_url)
        samples = evaluate("dummy")
    assert evaluate.results["coverage,none"] == 0.0
    assert "win_rate,none" not in evaluate.results
    assert "I like both." in samples[0]["doc"]["pak3h"]["verdicts"]["preference"]["reason"]


def test_a_local_model_samples_with_07_up_to_2048_tokens_and_nothing_cuts_a_paragraph(
    evaluate, monkeypatch, tiny_model
):
    import torch
    from lm_eval.models.huggingface import HFLM

    lm = HFLM(pretrained=str(tiny_model), device="cpu", batch_size=1)
    asked = []

    def generate(input_ids, **options):
        asked.append({**options, "prompt_tokens": input_ids.shape[1]})
        said = lm.tokenizer(ANSWER, return_tensors="pt", add_special_tokens=False).input_ids
        return torch.cat([input_ids, said], dim=1)

    monkeypatch.setattr(lm.model, "generate", generate)
    samples = evaluate(lm)
    assert len(asked) == 2
    for options in asked:
        assert (options["temperature"], options["do_sample"]) == (0.7, True)
        assert options["max_length"] == options["prompt_tokens"] + 2048
        assert [criterion.sequence for criterion in options["stopping_criteria"]] == [
            "<|endoftext|>",
            lm.tokenizer.eos_token,
        ]
    assert [sample["doc"]["pak3h"]["answer"] for sample in samples] == [ANSWER] * 2


def test_a_local_model_runs_for_real(evaluate, tiny_model):
    """Seeded sampling: the same answers twice, and answers that differ from greedy ones."""
    options = {"model_args": {"pretrained": str(tiny_model)}, "device": "cpu", "gen_kwargs": "max_gen_toks=24"}
    first, second = ([sample["resps"][0][0] for sample in evaluate("hf", **options)] for _ in range(2))
    assert first == second
    options["gen_kwargs"] += ",do_sample=False,temperature=0"
    greedy = [sample["resps"][0][0] for sample in evaluate("hf", **options)]
    assert greedy != first


def test_a_chat_server_is_asked_the_same_and_no_stop_string_that_could_cut(evaluate):
    pytest.importorskip("tenacity", reason="needs lm_eval[api]")
    with JudgeServer(answer=lambda _: ANSWER, models=None, record=True) as server:
        samples = evaluate(
            "local-chat-completions",
            model_args={"model": "m", "base_url": f"{server.base_url}/chat/completions"},
            apply_chat_template=True,
        )
    for body in server.bodies:
        assert (body["temperature"], body["max_tokens"], body["stop"]) == (0.7, 2048, ["<|endoftext|>"])
        assert [message["role"] for message in body["messages"]] == ["user"]
    prompts = [body["messages"][0]["content"] for body in server.bodies]
    docs = [sample["doc"] for sample in samples]
    assert sorted(prompts) == sorted(
        f"{doc['instruction']}\n\n{doc['input']}" if doc["input"] else doc["instruction"] for doc in docs
    )
    assert [doc["pak3h"]["answer"] for doc in docs] == [ANSWER] * 2
