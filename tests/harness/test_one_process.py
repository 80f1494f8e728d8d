"""Judging when lm-eval is a library: several runs in one process, under a running event loop, with other settings."""

import asyncio

import pytest

from support.judge_server import JudgeServer

TASK = "pak3h_truthfulqa_ur_gen_li"
KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setenv("PAK3H_CACHE_DIR", str(tmp_path / "cache"))
    with JudgeServer(models=None, record=True) as server:
        yield server


def evaluate(**options):
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    from pak3h_tasks.resources import task_dir

    manager = TaskManager(include_defaults=False, include_path=str(task_dir()))
    found = simple_evaluate("dummy", tasks=[TASK], task_manager=manager, bootstrap_iters=1, **options)
    return found["results"][TASK]


def configure(monkeypatch, server, judge, **more):
    for name, value in {"JUDGE": judge, "JUDGE_BASE_URL": server.base_url, "JUDGE_API_KEY": KEY, **more}.items():
        monkeypatch.setenv(f"PAK3H_{name}", value)


def test_settings_of_now_hold_and_not_those_of_the_first_run(server, monkeypatch):
    configure(monkeypatch, server, "none")
    assert "truthful,none" not in evaluate()
    assert not server.bodies
    configure(monkeypatch, server, "one")
    first = evaluate()
    assert first["coverage,none"] == 1.0
    assert {body["model"] for body in server.bodies} == {"one"}
    configure(monkeypatch, server, "two", TI_REFERENCES="1")
    evaluate()
    of_two = [body for body in server.bodies if body["model"] == "two"]
    assert any("answers known to be true" in body["messages"][-1]["content"] for body in of_two)
    asked = len(server.bodies)
    configure(monkeypatch, server, "one", TI_REFERENCES="0")
    again = evaluate()
    assert len(server.bodies) == asked  # known judge, known answers
    assert {k: v for k, v in again.items() if "," in k} == {k: v for k, v in first.items() if "," in k}


def test_in_a_running_event_loop_as_in_a_notebook(server, monkeypatch):
    configure(monkeypatch, server, "notebook")

    async def cell():
        return evaluate()

    assert asyncio.run(cell())["coverage,none"] == 1.0


def test_predict_only_with_no_judge_makes_no_call(server, monkeypatch):
    configure(monkeypatch, server, "none")
    assert set(evaluate(predict_only=True)) >= {"bypass,none"}
    assert not server.asked
