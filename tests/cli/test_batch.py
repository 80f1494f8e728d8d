"""`pak3h score --batch` and `pak3h batch` as a user calls them, against a server of files and batches."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks.backends.batches.ledger import Ledger
from pak3h_tasks.backends.lookup import WAITS
from pak3h_tasks.cli.main import main
from pak3h_tasks.cli.score_job import ScoreRuns, open_judges
from pak3h_tasks.harness.batches import saved
from pak3h_tasks.settings import Settings
from support.batch_server import BatchServer
from support.environments import clean_environ
from support.judge_server import JudgeServer, coin
from support.run_folder import write_run

KEY = "sk-test-0123456789abcdef"
QUESTIONS = 18  # two each of 6 answers, and 6 pairs; none is without a question


def answer(prompt: str) -> str:
    return {"Yes": "m", "No": "M"}[coin(prompt)] if "m or M" in prompt else coin(prompt)


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer(JudgeServer(answer=answer, models=None), key=KEY) as running:
        yield running


@pytest.fixture
def run(server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAK3H_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PAK3H_JUDGE_BASE_URL", server.base_url)
    monkeypatch.setenv("PAK3H_JUDGE_API_KEY", KEY)
    monkeypatch.setenv("PAK3H_CLASSIFIER", "none")
    kinds = (("truthfulqa", "gen"), ("alpaca", "gen"), ("beavertails", "gen"))
    write_run(tmp_path / "out", langs=("ur",), kinds=kinds, n=6, judge=None)
    return tmp_path / "out"


def coverage(run: Path, slug: str = "one") -> dict[str, float]:
    (copy,) = run.rglob(f"results_*_scored-{slug}.json")
    results = json.loads(copy.read_text(encoding="utf-8"))["results"]
    return {task: found["coverage,none"] for task, found in results.items() if "coverage,none" in found}


def verdicts(run: Path, slug: str = "one") -> list[Any]:
    logs = sorted(run.rglob(f"samples_*_scored-{slug}.jsonl"))
    return [json.loads(line)["doc"].get("pak3h") for log in logs for line in log.read_text("utf-8").splitlines()]


def test_submitted_collected_and_scored(
    run: Path, server: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server.polls = 2
    assert main(["score", str(run), "--judge", "one", "--batch"]) == 0
    assert f"{QUESTIONS} questions to one in batch batch-1" in capsys.readouterr().err
    assert main(["batch", "status", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["state"], row["questions"], row["answered"]) == ("in_progress", QUESTIONS, QUESTIONS // 2)
    monkeypatch.chdir(tmp_path / "cache")  # from another folder
    assert main(["batch", "collect"]) == 1
    assert "is in_progress" in capsys.readouterr().err and not list(run.rglob("*_scored-*"))
    assert main(["batch", "collect"]) == 0
    assert f"{QUESTIONS} replies" in capsys.readouterr().err
    assert [coverage(run)[f"pak3h_{task}"] for task in ("truthfulqa_ur_gen", "alpaca_ur")] == [1.0, 1.0]
    assert set(server.paid.values()) == {1} and server.paid.total() == QUESTIONS
    by_batch = verdicts(run)
    # online with another cache: the same in every detail
    assert main(["score", str(run), "--judge", "one", "--cache-dir", str(tmp_path / "other")]) == 0
    assert verdicts(run) == by_batch
    # and with this one: no server is needed
    server.online.clear()
    assert main(["score", str(run), "--judge", "one"]) == 0 and not server.online
    assert main(["batch", "collect"]) == 0 and len(server.batches) == 1


def test_wait_asks_for_what_was_lost_once_more(run: Path, server: BatchServer) -> None:
    server.mode, server.polls = "missing", 1
    server.hold = lambda path: setattr(server, "mode", "" if len(server.batches) else "missing")
    assert main(["score", str(run), "--judge", "one", "--batch", "--wait", "--poll-s", "0.01"]) == 0
    assert set(coverage(run).values()) == {1.0} and set(server.paid.values()) == {1} and len(server.batches) == 2


def test_online_does_not_pay_for_what_waits_in_a_batch(
    run: Path, server: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.polls = 99
    assert main(["score", str(run), "--judge", "one", "--batch"]) == 0
    assert main(["score", str(run), "--judge", "one"]) == 1
    assert f"{QUESTIONS} of the questions wait in batches" in capsys.readouterr().err
    assert main(["score", str(run), "--judge", "one", "--dry-run"]) == 0
    assert f"{QUESTIONS} of them wait in batches" in capsys.readouterr().err
    assert main(["score", str(run), "--judge", "one", "--batch"]) == 0 and len(server.batches) == 1
    assert main(["batch", "cancel", "--all"]) == 0
    assert main(["batch", "collect"]) == 1  # half of them had been answered by then
    assert main(["score", str(run), "--judge", "one", "--batch", "--wait", "--poll-s", "0.01"]) == 0
    assert set(server.paid.values()) == {1} and server.paid.total() == QUESTIONS


def test_wait_asks_again_for_what_an_earlier_call_has_submitted(run: Path, server: BatchServer) -> None:
    server.mode = "missing"
    assert main(["score", str(run), "--judge", "one", "--batch"]) == 0
    server.mode = ""
    assert main(["score", str(run), "--judge", "one", "--batch", "--wait", "--poll-s", "0.01"]) == 0
    assert set(coverage(run).values()) == {1.0} and set(server.paid.values()) == {1} and len(server.batches) == 2


def test_a_failed_validation_says_why_and_is_submitted_again(
    run: Path, server: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.mode = "invalid"
    assert main(["score", str(run), "--judge", "one", "--batch"]) == 0
    assert main(["batch", "collect"]) == 1
    assert "failed (Enqueued token limit reached)" in capsys.readouterr().err
    server.mode = ""
    assert main(["score", str(run), "--judge", "one", "--batch", "--max-lines", "5"]) == 0
    assert len(server.batches) == 5 and main(["batch", "collect"]) == 0
    assert set(coverage(run).values()) == {1.0}


@pytest.mark.parametrize("fault", ["cut_uploads", "lost_replies", "no_lists"])
def test_a_connection_that_breaks_pays_for_nothing_twice(run: Path, server: BatchServer, fault: str) -> None:
    if fault == "no_lists":
        server.lists = False
    else:
        setattr(server, fault, 2)
    assert main(["score", str(run), "--judge", "one", "--batch", "--wait", "--poll-s", "0.01"]) == 0
    assert len(server.batches) == 1 and server.uploads == (3 if fault == "cut_uploads" else 1)
    assert sum(file["purpose"] == "batch" for file in server.files.values()) == 1


def test_no_key_is_on_disk_or_sent_elsewhere(run: Path, server: BatchServer, tmp_path: Path) -> None:
    address = server.base_url.replace("://", f"://me:{KEY}@")
    server.key, server.polls = None, 1
    assert main(["score", str(run), "--judge", "one", "--batch", "--judge-base-url", address]) == 0
    with BatchServer() as other:
        assert main(["batch", "collect", "--judge-base-url", other.base_url]) == 0 and not other.paths
    found = b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert KEY.encode() not in found and server.base_url.encode() in found


def test_a_wrong_key_is_one_line(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAK3H_JUDGE_API_KEY", "sk-wrong-0123456789")
    assert main(["score", str(run), "--judge", "one", "--batch", "--form", "none"]) == 1
    err = capsys.readouterr().err
    assert "refuses the key" in err and "sk-wrong" not in err and "Traceback" not in err


def test_azure_batches_are_the_resources(run: Path, server: BatchServer) -> None:
    url = server.base_url.replace("/v1", "")
    options = ["--judge", "azure:judge", "--judge-base-url", url, "--form", "json_schema"]
    assert main(["score", str(run), *options, "--batch", "--wait", "--poll-s", "0.01"]) == 0
    assert any(path.startswith("POST /openai/files?api-version=") for path in server.paths)
    assert not any("/deployments/" in path for path in server.paths)


def test_exported_questions_come_back_for_any_server(
    run: Path, server: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, replies = tmp_path / "questions.jsonl", tmp_path / "replies.jsonl"
    assert main(["batch", "export", str(run), "--judge", "one", "-o", str(questions)]) == 0
    rows = [json.loads(line) for line in questions.read_bytes().splitlines()]
    assert len(rows) == QUESTIONS and len({row["custom_id"] for row in rows}) == QUESTIONS
    assert all(set(row) == {"custom_id", "method", "url", "body"} and len(row["custom_id"]) <= 64 for row in rows)
    assert all(row["body"]["model"] == "one" and "structured_outputs" in row["body"] for row in rows)
    judge = JudgeServer(answer=answer, models=None)
    lines = [
        {"custom_id": row["custom_id"], "error": None,
         "response": {"status_code": 200, "body": json.loads(judge.reply(row["url"], row["body"], None)[1])}}
        for row in rows
    ]  # fmt: skip
    # as vLLM writes a line it could not do
    failed = {"custom_id": rows[0]["custom_id"], "response": {"status_code": 400, "body": None},
              "error": {"error": {"message": "too long", "type": "BadRequestError", "code": 400}}}  # fmt: skip
    foreign = {"custom_id": "request-1", "response": lines[1]["response"], "error": None}
    text = "\n".join(json.dumps(line) for line in [failed, foreign, *lines[1:], lines[2], lines[3]]) + "\nnot json\n"
    replies.write_text(text, encoding="utf-8")
    capsys.readouterr()
    assert main(["batch", "import", str(replies)]) == 1
    said = capsys.readouterr().out
    for part in ("17 replies", "1 failed (1 x HTTP 400: too long)", "2 repeated lines", "2 lines that are none"):
        assert part in said
    replies.write_text(json.dumps(lines[0]), encoding="utf-8")
    assert main(["batch", "import", str(replies)]) == 1  # one reply, the others have no line
    nowhere = ["--judge-base-url", "http://127.0.0.1:9/v1"]
    assert main(["score", str(run), "--judge", "one", *nowhere]) == 0
    assert set(coverage(run).values()) == {1.0} and not server.paths
    assert main(["batch", "export", str(run), "--judge", "one", "-o", str(questions)]) == 0
    assert "the cache has every answer" in capsys.readouterr().err


def test_parameters_and_forms_of_an_export(run: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    options = ["--form", "json_schema", "--without", "temperature", "--without", "logprobs", "--max-lines", "10"]
    assert main(["batch", "export", str(run), "--judge", "one", "-o", str(first), *options]) == 0
    bodies = [
        json.loads(line)["body"] for n in (1, 2) for line in (tmp_path / f"a-{n}.jsonl").read_bytes().splitlines()
    ]
    assert len(bodies) == QUESTIONS and all(body["response_format"]["type"] == "json_schema" for body in bodies)
    assert not any({"temperature", "logprobs", "top_logprobs"} & set(body) for body in bodies)
    assert main(["batch", "export", str(run), "--judge", "one", "-o", str(second), "--form", "none"]) == 0
    assert not any("structured_outputs" in json.loads(line)["body"] for line in second.read_bytes().splitlines())


def test_an_output_of_another_cache_is_refused(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replies = tmp_path / "replies.jsonl"
    replies.write_text('{"custom_id": "pak3h-x-1", "response": null, "error": null}\n', encoding="utf-8")
    assert main(["batch", "import", str(replies)]) == 1
    assert "no reply to a question that was exported or submitted with this cache" in capsys.readouterr().err
    assert main(["batch", "import", str(tmp_path / "absent")]) == 1


def test_a_local_judge_needs_no_batch(
    run: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["batch", "export", str(run), "--judge", "hf:me/model", "-o", "x.jsonl"]) == 1
    assert "runs on this machine" in capsys.readouterr().err
    words = ["--judge", "one", "--ti-judge", "hf:me/truth,me/info", "-o", "pairs.jsonl"]
    assert main(["batch", "export", str(run), *words]) == 0  # the served one's questions alone
    assert capsys.readouterr().out.splitlines()[1].split()[:3] == ["pairs.jsonl", "one", "6"]


def test_one_batch_that_is_gone_does_not_keep_the_others(
    run: Path, server: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", str(run), "--judge", "one", "--batch", "--max-lines", "9"]) == 0
    server.batches["gone"] = server.batches.pop("batch-1")
    assert main(["batch", "status"]) == 0 and main(["batch", "collect", "--wait", "--poll-s", "0.01"]) == 1
    said = capsys.readouterr().err
    assert "cannot look at batch batch-1: the server knows none of that name" in said and "9 replies" in said
    (gone,) = (
        record.id for record in Ledger(Path(os.environ["PAK3H_CACHE_DIR"]) / "batches").records() if record.waiting
    )
    assert main(["batch", "cancel", gone]) == 1 and main(["batch", "cancel", "--forget", gone]) == 0
    assert main(["score", str(run), "--judge", "one", "--batch", "--wait", "--poll-s", "0.01"]) == 0
    assert set(coverage(run).values()) == {1.0}


def test_nothing_is_submitted_that_could_not_be_kept(
    run: Path, server: BatchServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAK3H_CACHE", "off")
    assert main(["score", str(run), "--judge", "one", "--batch"]) == 1 and not server.paths
    assert "PAK3H_CACHE=off" in capsys.readouterr().err


POINTS = 10


@pytest.mark.slow
@pytest.mark.parametrize("point", range(POINTS))
def test_killed_at_any_request_every_question_is_paid_for_once(run: Path, server: BatchServer, point: int) -> None:
    """kill -9 when the n-th request to files or batches arrives, or has been carried out but not answered."""
    seen: list[str] = []
    children: list[subprocess.Popen[bytes]] = []
    command = [sys.executable, "-m", "pak3h_tasks", "score", str(run), "--judge", "one", "--batch", "--wait"]

    def hold(path: str) -> None:
        if "/chat/" in path:
            return
        seen.append(path)
        if len(seen) == point + 1:
            if point == POINTS - 1:  # when the output has arrived, somewhere on its way into the cache
                threading.Timer(0.02, lambda: os.kill(children[0].pid, signal.SIGKILL)).start()
            else:
                os.kill(children[0].pid, signal.SIGKILL)
                children[0].wait()

    server.hold = hold
    environ = clean_environ(**{name: value for name, value in os.environ.items() if name.startswith("PAK3H_")})
    server.polls = 1
    children.append(subprocess.Popen([*command, "--poll-s", "0.01"], env=environ, stderr=subprocess.DEVNULL))
    children[0].wait(120)
    assert children[0].returncode == -signal.SIGKILL or point == POINTS - 1
    assert main([*command[3:], "--poll-s", "0.01"]) == 0
    assert set(server.paid.values()) == {1} and server.paid.total() == QUESTIONS
    assert len(server.batches) == 1 and set(coverage(run).values()) == {1.0}


@pytest.mark.parametrize("step", range(6))
def test_stopped_between_two_writes_of_the_record(
    run: Path, server: BatchServer, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, calls = Ledger.save, [0]

    def stopping(self: Ledger, record: Any) -> None:
        if calls[0] == step:
            raise KeyboardInterrupt
        calls[0] += 1
        save(self, record)

    monkeypatch.setattr(Ledger, "save", stopping)
    words = ["score", str(run), "--judge", "one", "--batch", "--wait", "--poll-s", "0.01"]
    assert main(words) == 130
    monkeypatch.setattr(Ledger, "save", save)
    assert main(words) == 0
    assert set(server.paid.values()) == {1} and server.uploads == 1 and len(server.batches) == 1


def test_a_run_under_way_leaves_what_waits_in_a_batch_to_the_batch(run: Path, server: BatchServer) -> None:
    server.polls = 99
    assert main(["score", str(run), "--judge", "one", "--batch"]) == 0
    server.online.clear()
    judges, slug = open_judges(("truthfulqa", "alpaca"), Settings.from_environment(judge="one"))
    job = ScoreRuns(argparse.Namespace(runs=[str(run)], format="table"))
    assert not job.score({**judges, "beavertails": None}, slug)
    assert not server.online and set(coverage(run).values()) == {0.0, 1.0}  # 1: no answer to prompts is judged here
    assert WAITS in json.dumps(verdicts(run))


def test_where_nobody_can_say_whether_a_batch_was_created_it_is_not_created_again(
    run: Path, server: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.lists = False
    server.hold = lambda path: setattr(server, "lost_replies", int(path == "POST /batches"))
    words = ["score", str(run), "--judge", "one", "--batch"]
    for _ in range(2):
        assert main(words) == 1 and len(server.batches) == 1
        said = capsys.readouterr().err
        assert "might pay twice" in said
    (name,) = re.findall(r"cancel --forget (\S+)", said)
    # the user finds the output on the provider's pages
    server.hold = lambda path: None
    server.look(server.batches["batch-1"])
    output = server.files[server.batches["batch-1"]["output_file_id"]]["data"]
    (tmp_path / "found.jsonl").write_bytes(output)
    assert main(["batch", "import", str(tmp_path / "found.jsonl")]) == 0
    assert main(["batch", "cancel", "--forget", name]) == 0
    server.online.clear()
    assert main(["score", str(run), "--judge", "one"]) == 0 and not server.online


def test_a_creation_that_was_turned_down_is_submitted_again(run: Path, server: BatchServer) -> None:
    server.lists, key = False, server.key
    server.hold = lambda path: setattr(server, "key", "sk-other-0123456789" if path == "POST /batches" else key)
    words = ["score", str(run), "--judge", "one", "--batch"]
    assert main(words) == 1 and not server.batches
    server.hold, server.key = lambda path: None, key
    assert main(words) == 0 and len(server.batches) == 1


def test_questions_that_are_gone_from_disk_are_fetched(run: Path, server: BatchServer, tmp_path: Path) -> None:
    assert main(["score", str(run), "--judge", "one", "--batch"]) == 0
    for path in (tmp_path / "cache" / "batches").glob("*.jsonl"):
        path.unlink()
    assert main(["batch", "collect"]) == 0 and set(coverage(run).values()) == {1.0}


def test_a_run_that_was_moved_does_not_keep_the_others_from_their_scores(
    run: Path, server: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", str(run / "org__model"), "--judge", "one", "--batch"]) == 0
    write_run(tmp_path / "two", model="org/two", langs=("ur",), kinds=(("alpaca", "gen"),), n=6, judge=None)
    assert main(["score", str(tmp_path / "two"), "--judge", "one", "--batch"]) == 0
    (run / "org__model").rename(run / "elsewhere")
    capsys.readouterr()
    assert main(["batch", "collect"]) == 1
    said = capsys.readouterr().err
    assert said.count("pak3h: error") == 1 and "org__model" in said and set(coverage(tmp_path / "two").values()) == {1}
    (run / "elsewhere").rename(run / "org__model")
    assert main(["batch", "collect"]) == 0 and set(coverage(run).values()) == {1.0}
    capsys.readouterr()
    assert main(["batch", "collect"]) == 0 and "nothing to collect" in capsys.readouterr().err


def test_a_failed_line_is_no_answer_in_the_cache(
    run: Path, server: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.mode = "line_errors"
    assert main(["score", str(run), "--judge", "one", "--batch"]) == 0 and main(["batch", "collect"]) == 1
    capsys.readouterr()
    assert main(["cache", "info", "--format", "json"]) == 0
    counts = {entry["kind"]: entry["answers"] for entry in json.loads(capsys.readouterr().out)["entries"]}
    assert counts == {"openai": 12, "failed in a batch": 6}
    server.mode = ""
    assert main(["score", str(run), "--judge", "one", "--batch"]) == 0 and main(["batch", "collect"]) == 0
    assert main(["cache", "info", "--format", "json"]) == 0
    assert '"failed in a batch"' not in capsys.readouterr().out


def test_of_a_failure_and_a_reply_the_reply_counts(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two runs of vllm run-batch put together; and statuses as text, or absent."""
    questions, replies = tmp_path / "questions.jsonl", tmp_path / "replies.jsonl"
    assert main(["batch", "export", str(run), "--judge", "one", "-o", str(questions)]) == 0
    judge = JudgeServer(answer=answer, models=None)
    good, bad = [], []
    for number, row in enumerate(map(json.loads, questions.read_bytes().splitlines())):
        response = {"status_code": 200, "body": json.loads(judge.reply(row["url"], row["body"], None)[1])}
        if number % 3 == 1:
            response["status_code"] = "200"
        elif number % 3 == 2:
            del response["status_code"]
        good.append({"custom_id": row["custom_id"], "response": response, "error": None})
        bad.append({"custom_id": row["custom_id"], "response": None, "error": {"message": "out of memory"}})
    lines = [*bad[:9], *good, *bad[9:]]
    replies.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    capsys.readouterr()
    assert main(["batch", "import", str(replies)]) == 0
    assert capsys.readouterr().out.strip() == f"{QUESTIONS} replies, {QUESTIONS} repeated lines left out"
    assert main(["score", str(run), "--judge", "one", "--judge-base-url", "http://127.0.0.1:9/v1"]) == 0


def test_the_classifier_of_a_batch_job_is_kept_without_an_address() -> None:
    given = {"classifier_profile": "upstream", "classifier_threshold": 0.3, "judge": "one"}
    kept = saved(Settings.from_environment(classifier="me/dam@1", **given))
    assert kept.items() >= {**given, "classifier": "me/dam@1"}.items()
    assert "classifier" not in saved(Settings.from_environment(classifier="vllm:http://me:secret@host:1", **given))


@pytest.mark.parametrize(
    "command", [["cancel", "--all"], ["collect"], ["import", "replies"], ["export", "out", "-o", "q"]]
)
def test_a_folder_that_cannot_be_written_is_one_line(
    run: Path, tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("replies").write_text("{}\n", encoding="utf-8")
    Path("file").write_text("no folder", encoding="utf-8")
    words = ["--judge", "one"] if command[0] == "export" else []
    done = main(["batch", *command, *words, "--cache-dir", "file"])
    said = capsys.readouterr().err
    assert done == (0 if command == ["collect"] else 1)  # nothing was submitted from there
    assert said.count("\n") == 1 and ("cannot be written" in said or "nothing to collect" in said)
