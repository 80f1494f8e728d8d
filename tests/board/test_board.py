"""`pak3h board` as a maintainer uses it: what is missing is done, and nothing else."""

import csv
import json
import os
import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from pak3h_tasks.cli.main import main
from support.batch_server import BatchServer
from support.judge_server import JudgeServer, fitting

pytestmark = pytest.mark.slow


def rows():
    return list(csv.DictReader(Path("board/leaderboard.csv").read_text("utf-8-sig").splitlines()))


def attempts():
    return sorted(path.parent.name for path in Path("board_runs").glob("*/*/attempt.json"))


def test_a_board_from_nothing_and_again(board, ran, judge, capsys):
    assert board() == 0
    assert ran == ["One", "Two"]
    said = capsys.readouterr().err
    assert "Traceback" not in said and len(said.splitlines()) < 10
    assert {row["model"] for row in rows()} == {"One", "Two"}
    assert {path.name for path in Path("board/models").iterdir()} == {"one.html", "two.html"}
    page = Path("board/index.html").read_text("utf-8")
    assert 'href="models/one.html"' in page and 'href="leaderboard.csv"' in page
    assert 'href="../index.html"' in Path("board/models/one.html").read_text("utf-8")
    assert not list(Path("board_runs").glob("*/*/spool"))  # the sample logs have it all
    asked = sum(judge.asked.values())
    assert asked and board() == 0 and ran == ["One", "Two"] and sum(judge.asked.values()) == asked
    assert "judged" not in capsys.readouterr().err
    assert board("check") == 0


def test_what_changes_makes_only_what_it_must(board, ran, judge):
    board()
    asked = sum(judge.asked.values())
    assert board(models=("One", "Two", "Three")) == 0 and ran == ["One", "Two", "Three"]  # one more
    assert board(models=("Uno", "Two", "Three")) == 0 and len(ran) == 3  # another name is no other model
    assert {row["model"] for row in rows()} == {"Uno", "Two", "Three"}
    assert not Path("board/models/one.html").exists()
    # the copied answers are the same, so their verdicts are
    assert sum(judge.asked.values()) == asked
    assert board(models=({"name": "Uno", "num_fewshot": 0}, {"name": "Two", "num_fewshot": 6})) == 0
    assert ran[3:] == ["Two"] and {row["model"] for row in rows()} == {"Uno", "Two"}
    assert len(attempts()) == 4  # runs of models that are gone stay
    assert board(models=("Uno", "Two"), judge_model="other") == 0 and len(ran) == 4  # another judge, the same answers
    assert sum(judge.asked.values()) == 2 * asked
    assert {row["signature"].count("judge:other") for row in rows() if row["metric"] == "win_rate"} == {1}
    assert board(models=("Uno", "Two")) == 0 and sum(judge.asked.values()) == 2 * asked  # and back


def test_a_failure_is_one_line_and_the_others_go_on(board, ran, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-model")
    assert board(models=("broken <b>", "One")) == 1
    said = capsys.readouterr().err
    (line,) = (line for line in said.splitlines() if "failed" in line)
    assert line.startswith("broken <b>: failed: OSError: no such model, key [key] (log: board_runs/broken-b-")
    page = Path("board/index.html").read_text("utf-8")
    assert "broken &lt;b&gt;" in page and "OSError: no such model" in page and "<b>broken" not in page
    assert board("check", models=("broken <b>", "One")) == 1
    found = capsys.readouterr().out
    assert "broken <b>: failed: pak3h_truthfulqa_ur_mc, pak3h_truthfulqa_ur_gen, pak3h_alpaca_ur: OSError" in found
    assert "to mend it: pak3h board board.yaml" in found and "One" not in found
    for path in (*Path("board").rglob("*.*"), *Path("board_runs").rglob("attempt.json")):
        assert "sk-secret" not in path.read_text("utf-8")
    assert board(models=("One",)) == 0 and ran.count("One") == 2  # num_fewshot 0 now: another model


def test_runs_are_named_beside_them_and_the_sample_is_not_published(board, ran, capsys):
    models = ({"name": "Uno", "id": "org/one", "url": "https://example.org"}, "Two")
    assert board(models=models) == 0
    said = capsys.readouterr().err
    (line,) = (line for line in said.splitlines() if "publishing" in line)
    assert line.startswith("note: no files for publishing of Uno: the data is the embedded sample")
    assert not Path("board/publish").exists()
    assert main(["report", "board_runs", "-o", "r.json"]) == 0
    assert {system["model"] for system in json.loads(Path("r.json").read_text("utf-8"))["systems"]} == {"Uno", "Two"}


def test_only_missing_tasks_are_run(board, ran, generated, capsys):
    board(models=("One",))
    (log,) = Path("board_runs").glob("*/*/out/*/samples_pak3h_alpaca_ur_2*[0-9].jsonl")
    log.write_bytes(log.read_bytes()[:-20])  # a full disk
    assert board("check", models=("One",)) == 1
    assert "One: cut off: pak3h_alpaca_ur: 2 answers, now 3 items" in capsys.readouterr().out
    assert board(models=("One",)) == 0
    record = sorted(Path("board_runs").glob("*/*/attempt.json"))[-1]
    assert list(json.loads(record.read_text())["tasks"]) == ["pak3h_alpaca_ur"]
    assert {row["n"] for row in rows() if row["dataset"] == "alpaca"} == {"3"}


def test_other_data_limit_or_task_version_is_outdated(board, ran, capsys, tmp_path, monkeypatch):
    from pak3h_tasks.resources import sample_dir

    board(models=("One",))
    assert board("check", models=("One",), limit=2) == 1
    assert "One: outdated: pak3h_truthfulqa_ur_mc, pak3h_truthfulqa_ur_gen" in capsys.readouterr().out
    shutil.copytree(sample_dir(), tmp_path / "other")
    path = tmp_path / "other" / "alpaca" / "ur.jsonl"
    path.write_text("\n".join(path.read_text("utf-8").splitlines()[1:]) + "\n", "utf-8")
    assert board("check", models=("One",), data="other") == 1
    assert "One: outdated: pak3h_alpaca_ur: other data (" in capsys.readouterr().out
    (results,) = Path("board_runs").glob("*/*/out/*/results_2*[0-9].json")
    results.write_text(results.read_text().replace('"pak3h_alpaca_ur": 1.1', '"pak3h_alpaca_ur": 0.9'))
    assert board("check", models=("One",)) == 1
    assert "One: outdated: pak3h_alpaca_ur: task version 0.9, now 1.1" in capsys.readouterr().out


def test_a_spool_of_a_killed_run_is_used(board, ran, generated, judge, capsys):
    board(models=("One", "Two"))
    (attempt,) = Path("board_runs").glob("one-*/2*")
    shutil.rmtree(attempt / "out")
    shutil.copytree(generated / "spool", attempt / "spool")
    record = json.loads((attempt / "attempt.json").read_text())
    (attempt / "attempt.json").write_text(json.dumps({**record, "exit_code": None}))
    asked = sum(judge.asked.values())
    before = [(row["model"], row["metric"], row["value"], row["n"], row["is_partial"], row["making"]) for row in rows()]
    assert board(models=("One", "Two")) == 0
    assert ran == ["One", "Two"] and sum(judge.asked.values()) == asked
    after = [(row["model"], row["metric"], row["value"], row["n"], row["is_partial"], row["making"]) for row in rows()]
    assert after == before
    shutil.rmtree(attempt / "spool")
    capsys.readouterr()
    assert board("check", models=("One", "Two")) == 1
    assert "One: stopped: pak3h_truthfulqa_ur_mc" in capsys.readouterr().out


def test_a_second_board_says_so(board, ran, capsys):
    Path("board_runs").mkdir()
    with FileLock("board_runs/.lock"):
        assert board() == 1
    assert capsys.readouterr().err.splitlines() == [
        "pak3h: error: board.yaml: another pak3h board is at work on it; wait for it, or stop it"
    ]
    assert not ran


def test_a_judge_that_is_away_leaves_the_answers_for_later(board, ran, judge, capsys):
    assert board(url="http://127.0.0.1:9/v1") == 1
    said = capsys.readouterr().err
    assert "failed: judging truthfulqa: " in said and "Traceback" not in said
    assert {row["n_scored"] for row in rows() if row["metric"] == "mc1"} == {"3"}
    assert board("check", url="http://127.0.0.1:9/v1") == 1
    assert "pak3h_truthfulqa_ur_gen (6 questions)" in capsys.readouterr().out
    assert board() == 0 and ran == ["One", "Two"]
    assert {row["n_scored"] for row in rows() if row["metric"] == "win_rate"} == {"3"}


def test_batches_are_collected_by_the_next_board(board, ran, capsys):
    with BatchServer(JudgeServer(answer=fitting, models=None)) as server:
        server.polls = 1
        options = {"url": server.base_url, "batch": True}
        assert board(**options) == 0
        said = capsys.readouterr().err
        assert "questions wait in batches; the same command collects them later" in said
        assert "win_rate" not in {row["metric"] for row in rows()}
        assert board(**options) == 0 and len(server.batches) == 1
        while not rows() or "win_rate" not in {row["metric"] for row in rows()}:
            assert board(**options) == 0
        assert set(server.paid.values()) == {1} and ran == ["One", "Two"]
        assert board("check", **options) == 0


def test_dry_run_asks_and_writes_nothing(board, ran, judge, capsys):
    assert board("--dry-run") == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split()[:4] == ["model", "answers", "to", "generate"]
    # by hand: 3 tasks of 3 items; truthfulqa is asked twice an answer, alpaca once
    assert [line.split()[:4] for line in table[1:3]] == [["One", "9", "9", "9"], ["Two", "9", "9", "9"]]
    assert not ran and not judge.asked and not Path("board").exists() and not Path("board_runs").exists()
    board()
    capsys.readouterr()
    assert board("--dry-run") == 0
    assert [line.split()[1:4] for line in capsys.readouterr().out.splitlines()[1:3]] == [["9", "0", "0"]] * 2


def test_a_page_of_somebody_else_is_not_overwritten(board, ran, capsys):
    Path("board").mkdir()
    Path("board/index.html").write_text("mine")
    assert board() == 1
    assert "no board wrote this page; name another folder for output:" in capsys.readouterr().err
    assert not ran and Path("board/index.html").read_text() == "mine"


CHAT = {"name": "A", "model": "local-chat-completions"}
MISTAKES = {
    "tasks: no task, group or tag 'pak3h_alpca_ur'; did you mean pak3h_alpaca_ur?": {"tasks": ("pak3h_alpca_ur",)},
    "models: A: tasks: no task, group or tag 'hellaswag'": {"models": ({"name": "A", "tasks": "[hellaswag]"},)},
    "A: api_key_env: NO_SUCH_KEY is not set; export it": {"models": ({"name": "A", "api_key_env": "NO_SUCH_KEY"},)},
    "gives no log-likelihoods, which all its tasks need": {"models": (CHAT,), "tasks": ("pak3h_truthfulqa_ur_mc",)},
    "nowhere' is no folder": {"data": "nowhere"},
}


@pytest.mark.parametrize("said", MISTAKES)
def test_mistakes_are_said_before_anything_is_run(board, ran, capsys, said):
    assert board(**MISTAKES[said]) == 1
    assert said in capsys.readouterr().err and not ran


def test_multiple_choice_is_left_out_where_it_cannot_be_asked(board, ran, capsys):
    assert board("--dry-run", models=(CHAT,)) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:3] == ["A", "6", "6"]


def test_no_key_of_the_environment_is_written(board, ran, judge, monkeypatch):
    monkeypatch.setenv("PAK3H_JUDGE_API_KEY", "sk-judge-0123456789")
    assert board() == 0
    for path in (path for path in Path(os.curdir).rglob("*") if path.is_file()):
        assert b"sk-judge-0123456789" not in path.read_bytes(), path
