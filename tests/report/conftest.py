"""Runs that several report tests read."""

import json

import pytest

from support.run_folder import write_run


@pytest.fixture(scope="session")
def two_models(tmp_path_factory):
    """org/alpha in three languages, a few answers unscored; org/beta in two, cut by --limit."""
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder, model="org/alpha", langs=("en", "ur", "urmt"), n=60, skill=0.7, unscored=0.05)
    write_run(folder, model="org/beta", n=40, total=60, skill=0.2, both_orders=True)
    return folder


@pytest.fixture(scope="session")
def rows(two_models):
    """(model, task) -> rows of its log, read by plain json."""

    def read(model, task):
        (path,) = (two_models / model.replace("/", "__")).glob(f"samples_{task}_2*.jsonl")
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    return read
