"""`pak3h score RUN_DIR` as a user calls it: what it says, writes and refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks.cli.main import main
from support.environments import clean_environ
from support.judge_server import JudgeServer
from support.run_folder import write_run

KEY = "sk-test-0123456789abcdef"
TASK = "pak3h_truthfulqa_ur_gen"


@pytest.fixture(scope="module")
def server() -> Iterator[JudgeServer]:
    with JudgeServer(models=None) as running:
        yield running


@pytest.fixture
def configured(server: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    server.plan = server.edit = None
    monkeypatch.setenv("PAK3H_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PAK3H_JUDGE_BASE_URL", server.base_url)
    monkeypatch.setenv("PAK3H_JUDGE_API_KEY", KEY)
    return tmp_path


@pytest.fixture
def run(configured: Path) -> Path:
    kinds = (("truthfulqa", "gen"), ("truthfulqa", "mc"))
    write_run(configured / "out", langs=("ur",), kinds=kinds, n=6, judge=None)
    return configured / "out"


def log_of(run: Path) -> Path:
    (path,) = (path for path in run.rglob(f"samples_{TASK}_2*.jsonl") if "_scored-" not in path.name)
    return path


def copies(run: Path) -> list[str]:
    return sorted(path.name.partition("_scored-")[2] for path in run.rglob("results_*_scored-*.json"))


def test_two_judges_beside_each_other(run: Path, server: JudgeServer, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert main(["score", str(run), "--judge", "one"]) == 0
    assert main(["score", str(run), "--judge", "org/two", "--format", "json"]) == 0
    assert copies(run) == ["one.json", "two.json"]
    assert all(path.read_bytes() == content for path, content in before.items())
    out = capsys.readouterr().out
    results = json.loads(out[out.index("\n[") :])[0]
    assert results["results"][TASK]["coverage,none"] == 1.0
    assert "judge:org/two|" in results["configs"][TASK]["dataset_kwargs"]["pak3h"]["judge"]


def test_the_same_judge_asked_otherwise_makes_another_copy(run: Path) -> None:
    assert main(["score", str(run), "--judge", "one"]) == 0
    assert main(["score", str(run), "--judge", "one", "--ti-references"]) == 0
    assert copies(run) == ["one-references.json", "one.json"]


def test_a_dry_run_asks_nothing_and_counts_what_is_missing(
    run: Path, server: JudgeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    def cost() -> dict[str, Any]:
        assert main(["score", str(run), "--judge", "one", "--dry-run", "--format", "json"]) == 0
        return dict(json.loads(capsys.readouterr().out)[0])

    before = server.asked.total()
    first = cost()
    assert server.asked.total() == before and first["answers"] == 6 and first["calls"] + first["cached"] <= 12
    server.plan = lambda prompt, attempt: None
    main(["score", str(run), "--judge", "one"])
    capsys.readouterr()
    assert server.asked.total() - before == first["calls"] + 1  # and the check of the judge
    assert cost()["calls"] == 0


def test_several_runs_are_told_apart(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(run, model="org/second", langs=("ur",), kinds=(("truthfulqa", "gen"),), n=3, judge=None)
    assert main(["score", str(run), "--judge", "one"]) == 0
    headings = [line for line in capsys.readouterr().out.splitlines() if line.startswith("org/")]
    assert [line.split()[0] for line in headings] == ["org/model", "org/second"]


def test_a_log_that_was_cut_off_is_said(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = log_of(run).read_text(encoding="utf-8").splitlines()
    log_of(run).write_text("\n".join(lines[:3]) + "\n" + lines[3][:50], encoding="utf-8")
    assert main(["score", str(run), "--judge", "one"]) == 1
    out, err = capsys.readouterr()
    assert f"{TASK}: 3 of 6 answers are missing from the sample log" in err and "truthful" in out
    (copy,) = run.rglob("results_*_scored-one.json")
    assert json.loads(copy.read_text(encoding="utf-8"))["n-samples"][TASK]["effective"] == 3


def test_an_empty_log_is_no_table(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log_of(run).write_text("")
    assert main(["score", str(run), "--judge", "one"]) == 1
    out, err = capsys.readouterr()
    assert "6 of 6 answers are missing" in err and "|truthful " not in out and "bleu_max" not in out


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_asked(
    run: Path, server: JudgeServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # root may write anywhere, so the answer of the operating system is made up
    monkeypatch.setattr("os.access", lambda path, mode: False)
    before = server.asked.total()
    assert main(["score", str(run), "--judge", "one"]) == 1
    err = capsys.readouterr().err
    assert "cannot be written" in err and err.count("\n") == 1
    assert server.asked.total() - before <= 1


def _full(path: Path, text: str, **_: Any) -> int:
    raise OSError(30, "Read-only file system")


def test_a_disk_that_turns_read_only_is_one_line(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Path, "write_text", _full)
    monkeypatch.setattr(Path, "unlink", _full_unlink)
    assert main(["score", str(run), "--judge", "one"]) == 1
    err = capsys.readouterr().err
    assert "Read-only file system" in err and "costs nothing" in err and "Traceback" not in err


def _full_unlink(path: Path, missing_ok: bool = False) -> None:
    raise OSError(30, "Read-only file system")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ([""], 2, "RUN_DIR is empty"),
        (["nowhere"], 1, "no such file or folder"),
        (["{run}", "--judge", "m", "--judge-base-url", "127.0.0.1:8000/v1"], 1, "must begin with http:// or https://"),
        (["{run}", "--judge", "m", "--judge-concurrency", "0"], 1, "PAK3H_JUDGE_CONCURRENCY"),
        (["{run}", "--ti-judge", "hf:a,b,c"], 1, "must name two models"),
    ],
)
def test_wrong_usage_is_one_line(
    run: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, says: str
) -> None:
    assert main(["score", *(part.replace("{run}", str(run)) for part in arguments)]) == status
    assert says in capsys.readouterr().err.splitlines()[-1]
    assert copies(run) == []


@pytest.mark.parametrize("name", ["..", "جج", "a/.."])
def test_no_copy_passes_for_the_original(run: Path, name: str) -> None:
    for _ in range(2):
        assert main(["score", str(run), "--judge", name]) == 0
    assert len(copies(run)) == 1 and len(copies(run)[0]) > len(".json")


def test_an_empty_judge_is_none_given(run: Path) -> None:
    assert main(["score", str(run), "--judge", ""]) == 0  # as an empty variable is
    assert copies(run) == ["gpt-4o-mini.json"]


def _hostile(body: dict[str, Any], reply: dict[str, Any]) -> None:
    reply |= {"model": "m\ud83d|prompt:fake\nx", "system_fingerprint": "f\udc00"}
    reply["choices"][0] |= {"message": {"content": "Yes \ud83d"}, "logprobs": None}


def _deep(body: dict[str, Any], reply: dict[str, Any]) -> None:
    nested: list[Any] = []
    for _ in range(900):
        nested = [nested]
    reply["usage"] = nested


@pytest.mark.parametrize("edit", [_hostile, _deep])
def test_odd_replies_break_nothing(run: Path, server: JudgeServer, edit: Callable[..., None]) -> None:
    server.edit = edit
    assert main(["score", str(run), "--judge", "odd"]) in (0, 1)
    (log,) = run.rglob(f"samples_{TASK}_*_scored-odd.jsonl")
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 6
    assert not any(KEY in path.read_text(errors="replace") for path in run.parent.rglob("*") if path.is_file())


def test_without_a_judge_the_logged_verdicts_stay_and_the_rest_is_made_anew(run: Path) -> None:
    assert main(["score", str(run), "--judge", "none"]) == 0
    (path,) = run.rglob("results_*_scored-no-judge.json")
    found = json.loads(path.read_text(encoding="utf-8"))["results"]["pak3h_truthfulqa_ur_gen"]
    (original,) = (file for file in run.rglob("results_*.json") if "_scored" not in file.name)
    before = json.loads(original.read_text(encoding="utf-8"))["results"]["pak3h_truthfulqa_ur_gen"]
    assert "chrf_max,none" in found
    assert found.get("truthful,none") == before.get("truthful,none")


def ignore_interrupts() -> None:
    """What nohup's and a shell script's background jobs start with."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.mark.parametrize(
    ("number", "status", "begin"),
    [(signal.SIGINT, 130, None), (signal.SIGTERM, 143, None), (signal.SIGTERM, 143, ignore_interrupts)],
)
def test_a_stop_says_what_is_kept(
    run: Path, tmp_path: Path, number: int, status: int, begin: Callable[[], None] | None
) -> None:
    with JudgeServer(latency_s=0.2) as server:
        environ = clean_environ(
            PAK3H_JUDGE_BASE_URL=server.base_url, PAK3H_JUDGE="stub-judge", PAK3H_CACHE_DIR=str(tmp_path / "cache"),
            PAK3H_JUDGE_CONCURRENCY="1",
        )  # fmt: skip
        child = subprocess.Popen(
            [sys.executable, "-m", "pak3h_tasks", "score", str(run)],
            env=environ, stderr=subprocess.PIPE, text=True, preexec_fn=begin,
        )  # fmt: skip
        while server.asked.total() < 5 and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(number)
        _, said = child.communicate(timeout=60)
    assert child.returncode == status and "Traceback" not in said, said
    assert "judgements are kept" in said and "goes on from there" in said


def test_a_cache_that_cannot_be_written_stops_it_in_one_line(
    run: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "file").write_text("no folder")
    with JudgeServer() as server:
        monkeypatch.setenv("PAK3H_JUDGE_BASE_URL", server.base_url)
        assert main(["score", str(run), "--judge", "stub-judge", "--cache-dir", str(tmp_path / "file")]) == 1
        assert server.asked.total() == 0
    said = capfd.readouterr().err
    assert "nothing that is paid for would be kept" in said and "cannot be used" not in said + caplog.text
