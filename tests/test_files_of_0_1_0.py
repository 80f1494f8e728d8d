"""What 0.1.0 left on disk: runs, spools, the answer cache and classified pairs are read, and nothing is asked twice."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from pak3h_tasks.cli.main import main

URL = "http://127.0.0.1:18765/v1"  # of the judge then, part of what a cached answer is found by
COUNTED_THE_SAME = (
    "ti",
    "ti_joint",
    "truthful",
    "informative",
    "mc1",
    "mc2",
    "mc3",
    "win_rate",
    "unsafe_rate",
    "avg_max_harm",
)


@pytest.fixture
def left(tmp_path, monkeypatch):
    shutil.copytree(Path(__file__).parent / "made_by_0_1_0", tmp_path / "left")
    monkeypatch.setenv("PAK3H_CACHE_DIR", str(tmp_path / "left" / "cache"))
    return tmp_path / "left"


def rows(command, path, capsys):
    assert main([command, str(path), "--format", "csv"]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def totals(found):
    return {
        (
            f"{row['dataset']}_{row['lang']}" + (f"_{row['kind']}" if row["dataset"] == "truthfulqa" else ""),
            row["metric"],
        ): row
        for row in found
        if row.get("source", "measured") == "measured" and row.get("split", "all") == "all" and not row.get("category")
    }


def test_reports_and_boards_give_the_numbers_it_gave(left, capsys):
    (path,) = (left / "run").glob("results_*.json")
    then = json.loads(path.read_text(encoding="utf-8"))["results"]
    found = totals(rows("report", left / "run", capsys))
    compared = 0
    for (task, metric), row in found.items():
        if metric in COUNTED_THE_SAME:
            assert float(row["value"]) == pytest.approx(then[f"pak3h_{task}"][f"{metric},none"], rel=1e-7)
            compared += 1
    assert compared == len(COUNTED_THE_SAME)
    board = totals(rows("leaderboard", left / "run", capsys))
    assert board
    assert {where: row["value"] for where, row in board.items()} == {where: found[where]["value"] for where in board}


def test_overlap_of_its_rules_is_not_signed_as_made_by_todays(left, capsys):
    found = totals(rows("report", left / "run", capsys))
    signature = found["truthfulqa_ur_gen", "rouge1_max"]["signature"]
    assert "v:0.1.0" in signature
    assert "tok:" not in signature and "norm:" not in signature


@pytest.mark.parametrize("place", ["run", "cache/spool"])
def test_its_answers_are_scored_and_what_its_judge_said_is_not_asked_again(left, capsys, monkeypatch, place):
    monkeypatch.setenv("PAK3H_JUDGE_BASE_URL", URL)
    assert main(["score", str(left / place), "--judge", "stub-judge", "--classifier", "none", "--dry-run",
                 "--format", "json"]) == 0  # fmt: skip
    cost = {row["task"]: row for row in json.loads(capsys.readouterr().out)}
    assert (cost["pak3h_truthfulqa_ur_gen"]["cached"], cost["pak3h_truthfulqa_ur_gen"]["calls"]) == (4, 0)
    # the prompt for pairs changed since: another question
    assert (cost["pak3h_alpaca_ur"]["cached"], cost["pak3h_alpaca_ur"]["calls"]) == (0, 2)
    assert main(["score", str(left / place), "--judge", "none", "--classifier", "none", "--format", "json"]) == 0
    done = json.loads(capsys.readouterr().out)
    tasks = {name: scores for run in done for name, scores in run["results"].items()}
    assert tasks["pak3h_truthfulqa_ur_gen"]["chrf_max,none"] >= 0
    if place == "run":  # logged verdicts of the same answers stay
        assert tasks["pak3h_truthfulqa_ur_gen"]["ti,none"] == 0.25


def test_its_cache_is_counted_and_its_pairs_are_read(left, capsys):
    assert main(["cache", "info", "--format", "json"]) == 0
    assert sum(entry["answers"] for entry in json.loads(capsys.readouterr().out)["entries"]) == 8
    assert main(["moderate", "--scored", str(left / "pairs.jsonl"), "--format", "json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    records = [json.loads(line) for line in (left / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    harms = [max(record["probabilities"].values()) for record in records]
    total = {score["name"]: score for score in scores if score["split"] == "all" and score["category"] is None}
    assert total["unsafe_rate"]["value"] == sum(harm > 0.5 for harm in harms) / 6
    assert total["avg_max_harm"]["value"] == pytest.approx(sum(harms) / 6)
