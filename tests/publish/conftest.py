"""Runs that are published, and what was published of them."""

import json

import pytest

from pak3h_tasks.publish.publish import Choices, publish
from support.run_folder import write_run

GENERATION = {"temperature": 0.0, "max_gen_toks": 256, "do_sample": False}


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """org/alpha in three languages, a few answers unscored, judged by two judges."""
    folder = tmp_path_factory.mktemp("runs")
    changes = {
        "model": "org/alpha",
        "n": 40,
        "skill": 0.7,
        "unscored": 0.1,
        "both_orders": True,
        "generation": GENERATION,
    }
    write_run(folder, langs=("en", "ur", "urmt"), **changes)
    write_run(folder, kinds=[("alpaca", "gen")], judge="other-judge", scored="other-judge", **changes)
    return folder


@pytest.fixture(scope="session")
def published(runs, tmp_path_factory):
    return publish([runs], tmp_path_factory.mktemp("published"), Choices(dataset_id="org/pak3h"))


@pytest.fixture(scope="session")
def records(published):
    """The aggregate records by label."""
    (model,) = published.models
    found = [json.loads(path.read_text("utf-8")) for path in model.records if path.suffix == ".json"]
    return {record["source_metadata"]["additional_details"]["label"]: record for record in found}


@pytest.fixture(scope="session")
def report(runs, tmp_path_factory):
    """What `pak3h report --format json` says of the same runs."""
    from pak3h_tasks.cli.main import main

    path = tmp_path_factory.mktemp("report") / "report.json"
    assert main(["report", str(runs), "-o", str(path)]) == 0
    return json.loads(path.read_text("utf-8"))
