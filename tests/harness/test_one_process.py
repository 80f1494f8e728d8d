"""Judging when lm-eval is a library: several runs in one process, under a running event loop, with other settings."""

import asyncio
import logging

import pytest

from pak3h_tasks.harness.judging import warn_once
from support.judge_server import Fault, JudgeServer

TASK = "pak3h_truthfulqa_ur_gen_li"
KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setenv("PAK3H_CACHE_DIR", str(tmp_path / "cache"))
    with JudgeServer(models=None, record=True) as server:
        yield server


def evaluate(tasks=(TASK,), **options):
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    from pak3h_tasks.resources import task_dir

    manager = TaskManager(include_defaults=False, include_path=str(task_dir()))
    found = simple_evaluate("dummy", tasks=list(tasks), task_manager=manager, bootstrap_iters=1, **options)
    return found["results"][TASK], (found.get("samples") or {}).get(TASK)


def configure(monkeypatch, server, judge, **more):
    for name, value in {"JUDGE": judge, "JUDGE_BASE_URL": server.base_url, "JUDGE_API_KEY": KEY, **more}.items():
        monkeypatch.setenv(f"PAK3H_{name}", value)


def test_settings_of_now_hold_and_not_those_of_the_first_run(server, monkeypatch):
    configure(monkeypatch, server, "none")
    assert "truthful,none" not in evaluate()[0]
    assert not server.bodies
    configure(monkeypatch, server, "one")
    first, _ = evaluate()
    assert first["coverage,none"] == 1.0
    assert {body["model"] for body in server.bodies} == {"one"}
    configure(monkeypatch, server, "two", TI_REFERENCES="1")
    evaluate()
    of_two = [body for body in server.bodies if body["model"] == "two"]
    assert any("answers known to be true" in body["messages"][-1]["content"] for body in of_two)
    asked = len(server.bodies)
    configure(monkeypatch, server, "one", TI_REFERENCES="0")
    again, _ = evaluate()
    assert len(server.bodies) == asked  # known judge, known answers
    assert {k: v for k, v in again.items() if "," in k} == {k: v for k, v in first.items() if "," in k}


def test_in_a_running_event_loop_as_in_a_notebook(server, monkeypatch):
    configure(monkeypatch, server, "notebook")

    async def cell():
        return evaluate()

    assert asyncio.run(cell())[0]["coverage,none"] == 1.0


def test_predict_only_with_no_judge_makes_no_call(server, monkeypatch):
    configure(monkeypatch, server, "none")
    assert set(evaluate(predict_only=True)[0]) >= {"bypass,none"}
    assert not server.asked


@pytest.fixture
def notices(caplog):
    """What Pak3H said, as if for the first time."""
    warn_once.cache_clear()
    with caplog.at_level(logging.WARNING):
        yield lambda: [record.getMessage() for record in caplog.records if record.name == "lm_eval.pak3h"]


def test_no_judge_is_one_notice_with_three_ways(server, notices):
    found, _ = evaluate((TASK, "pak3h_alpaca_ur_li"))
    assert "truthful,none" not in found and "bleu_max,none" in found
    (notice,) = [line for line in notices() if "no judge" in line]
    assert all(way in notice for way in ("OPENAI_API_KEY", "PAK3H_JUDGE_BASE_URL", "pak3h score"))


def test_a_key_that_lies_about_never_blocks_a_run(server, monkeypatch, notices):
    """OPENAI_API_KEY alone is no wish for a judge that must work: without a network the run goes on."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    found, _ = evaluate()
    assert "truthful,none" not in found and "coverage,none" not in found
    (notice,) = [line for line in notices() if "goes on without it" in line]
    assert KEY not in notice


def test_a_server_that_refuses_some_for_good_costs_no_run(server, monkeypatch):
    """The run ends, what was refused is unscored with the reason, counted, and in no mean."""
    server.plan = lambda prompt, attempt: Fault("400") if len(prompt) % 2 else None
    configure(monkeypatch, server, "moody")
    found, rows = evaluate(("pak3h_truthfulqa_ur_gen_li",), log_samples=True)
    verdicts = [row["doc"]["pak3h"]["verdicts"] for row in rows]
    names = ("truthful", "informative")
    both = [all(verdict[name]["value"] is not None for name in names) for verdict in verdicts]
    assert 0 < found["coverage,none"] == sum(both) / len(rows) < 1
    for name in names:
        scored = [verdict[name]["value"] for verdict in verdicts if verdict[name]["value"] is not None]
        assert found[f"{name},none"] == sum(scored) / len(scored)
        for row, verdict in zip(rows, verdicts, strict=True):
            assert (row[name] is not None) is (verdict[name]["value"] is not None)
            assert verdict[name]["value"] is not None or "maximum context length" in verdict[name]["reason"]
    assert not any(isinstance(row[name], list) for row in rows for name in row["metrics"])  # lm-eval 0.5: repeats
    assert found["ti,none"] == pytest.approx(found["truthful,none"] * found["informative,none"])
