"""One real run of lm_eval's dummy model, and a stand-in that copies it instead of running lm_eval again."""

import shutil

import pytest

from pak3h_tasks.board import run as board_run
from pak3h_tasks.cli.main import main
from support.judge_server import JudgeServer, fitting

LIMIT = 3
FAULT = "OSError: no such model, key sk-secret-of-the-model"
TASKS = ("pak3h_truthfulqa_ur_mc", "pak3h_truthfulqa_ur_gen", "pak3h_alpaca_ur")


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    """Folder of one attempt, as a real lm_eval left it, with its spool."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "board.yaml").write_text(
        f"limit: {LIMIT}\ntasks: [{', '.join(TASKS)}]\njudge: none\nmodels: [{{name: Dummy, model: dummy}}]\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(board_run.shutil, "rmtree", lambda *_, **__: None)
        assert main(["board", str(folder / "board.yaml")]) == 0
    (attempt,) = folder.glob("board_runs/*/2*")
    return attempt


@pytest.fixture
def ran(generated, monkeypatch):
    """Names of the models that were run, in order; each run is a copy of the real one, a "broken" one fails."""
    names = []

    def copied(board, before, attempt, folder, environment, progress):
        names.append(before.model.name)
        if "broken" in before.model.name:
            (folder / "log.txt").write_text(
                "pak3h run\nTraceback\nOSError: no such model, key sk-secret-of-the-model\n"
            )
            return 1
        for part in ("out", "spool"):
            shutil.copytree(generated / part, folder / part)
        (folder / "log.txt").write_text("pak3h run\n")
        return 0

    monkeypatch.setattr(board_run, "_run", copied)
    return names


@pytest.fixture
def judge():
    with JudgeServer(answer=fitting, models=None) as server:
        yield server


@pytest.fixture
def board(tmp_path, monkeypatch, judge):
    """Writes a board.yaml of models by name, and runs `pak3h board` on it."""
    monkeypatch.setenv("PAK3H_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def make(
        *words, models=("One", "Two"), judge_model="stub", limit=LIMIT, tasks=TASKS, url=None, batch=False, **more
    ):
        judging = f"{{model: {judge_model}, base_url: {url or judge.base_url}, batch: {str(batch).lower()}}}"
        top = {"limit": limit, "tasks": f"[{', '.join(tasks)}]", "judge": judging, **more}
        lines = [f"{name}: {value}" for name, value in top.items()] + ["models:"]
        for number, model in enumerate(models):
            of = model if isinstance(model, dict) else {"name": model, "num_fewshot": number}
            lines.append("  - " + "\n    ".join(f"{name}: {value}" for name, value in {"model": "dummy", **of}.items()))
        (tmp_path / "board.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return main(["board", *words, "board.yaml"])

    return make
