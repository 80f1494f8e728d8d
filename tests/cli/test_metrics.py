"""`pak3h metrics` says of every metric what lm-eval's own task configuration says."""

import json

import yaml

from pak3h_tasks.cli.main import main
from pak3h_tasks.resources import task_dir

BASES = {
    "truthfulqa mc": "truthfulqa/_truthfulqa_mc",
    "truthfulqa gen": "truthfulqa/_truthfulqa_gen",
    "alpaca gen": "alpaca/_alpaca",
    "beavertails gen": "beavertails/_beavertails",
}


def test_the_list_agrees_with_the_task_yaml(capsys):
    assert main(["metrics", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    for task, path in BASES.items():
        text = (task_dir() / path).read_text(encoding="utf-8").replace("!function ", "")
        in_yaml = {one["metric"]: one["higher_is_better"] for one in yaml.safe_load(text)["metric_list"]}
        better = {"higher": True, "lower": False, "neither": None}
        shown = {
            row["metric"]: better[row["better"]]
            for row in listed
            if row["task"] == task and row["shown by"].startswith("lm-eval")
        }
        assert shown == in_yaml


def test_the_table_has_a_row_a_metric(capsys):
    assert main(["metrics"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["task", "metric"]
    assert sum("lc_win_rate" in line and line.endswith("reports") for line in lines) == 1
