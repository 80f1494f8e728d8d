"""The real `datasets` library against a stand-in hub on 127.0.0.1, in a process of its own (the endpoint is read
at import), and its errors in this process, which is offline."""

import json
import os
import subprocess
import sys

import pytest

from pak3h_tasks.data.load import load
from pak3h_tasks.errors import DataError
from support.data_files import ABSENT, harmless, honest, write_jsonl
from support.hub_standin import COMMIT, serve_hub

CARD = "---\nconfigs:\n{configs}---\n"
CONFIG = "- config_name: {name}\n  data_files:\n  - split: test\n    path: {path}\n"
SCRIPT = """
import json, sys
from pak3h_tasks.data.load import load
from pak3h_tasks.data.sources import available, parse_source
from pak3h_tasks.errors import Pak3HError
out = []
for source, dataset, lang in json.loads(sys.argv[1]):
    try:
        found = load(dataset, lang, source)
        out.append([found.short, found.fingerprint, list(found.warnings)])
    except Pak3HError as error:
        out.append(str(error))
out.append(available(parse_source("hub:owner/name@v1.0")))
print(json.dumps(out))
"""


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repository"
    # Rows that differ in which optional fields they have: the hub's table fills them with nulls.
    write_jsonl(root / "truthfulqa" / "ur.jsonl", [honest(1), honest(2, topic=ABSENT, type="Adversarial")])
    rows = [harmless(1), harmless(2, category=ABSENT, is_safe=ABSENT)]
    write_jsonl(root / "beavertails" / "ur.jsonl", rows)
    write_jsonl(root / "alpaca" / "en.jsonl", [{"id": "1", "localization": "dt", "instruction": ""}])
    names = [("truthfulqa", "ur"), ("beavertails", "ur"), ("alpaca", "en")]
    configs = "".join(CONFIG.format(name=f"{d}_{n}", path=f"{d}/{n}.jsonl") for d, n in names)
    (root / "README.md").write_text(CARD.format(configs=configs), encoding="utf-8")
    return root


def in_new_process(asks, tmp_path, **environment):
    environment = {**os.environ, **environment, "HF_HOME": str(tmp_path / "hf")}
    command = [sys.executable, "-W", "error", "-c", SCRIPT, json.dumps(asks)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.slow
def test_hub_repository(repository, tmp_path):
    asks = [
        ("hub:owner/name@v1.0", "truthfulqa", "ur"),
        ("hub:owner/name@main", "beavertails", "ur"),
        ("hub:owner/name@v1.0", "alpaca", "en"),
        ("hub:owner/name@v1.0", "alpaca", "ur"),
        ("hub:owner/none@v1.0", "alpaca", "ur"),
    ]
    with serve_hub(repository) as (endpoint, asked):
        answers = in_new_process(asks, tmp_path, HF_ENDPOINT=endpoint, HF_HUB_OFFLINE="0")
    honest_set, harmless_set, faulty, no_config, no_repository, there = answers
    from_folder = load("truthfulqa", "ur", str(repository))
    assert honest_set == [f"owner/name@{from_folder.fingerprint[:8]}", from_folder.fingerprint, []]
    assert harmless_set[1] == load("beavertails", "ur", str(repository)).fingerprint
    assert "a branch can move" in harmless_set[2][0]
    assert faulty.splitlines() == [
        "hub:owner/name@v1.0 alpaca_en row 1: 'instruction' is empty; give a text",
        "hub:owner/name@v1.0 alpaca_en row 1: 'output' is missing; give it",
    ]
    assert no_config.startswith("hub:owner/name@v1.0 alpaca_ur: ValueError: BuilderConfig 'alpaca_ur' not found")
    assert no_repository.startswith("hub:owner/none@v1.0 alpaca_ur: DatasetNotFoundError: ")
    assert "check the name, the revision, the network" in no_repository
    assert all("\n" not in text for text in (no_config, no_repository))
    assert there == [["truthfulqa", "ur"], ["alpaca", "en"], ["beavertails", "ur"]]
    assert "/datasets/owner/name/resolve/v1.0/README.md" in asked
    assert f"/datasets/owner/name/resolve/{COMMIT}/truthfulqa/ur.jsonl" in asked


@pytest.mark.slow
def test_offline_the_cached_revision_is_used_and_no_other_passes_for_it(repository, tmp_path):
    def asks(*revisions):
        return [(f"hub:owner/name@{revision}", "truthfulqa", "ur") for revision in revisions]

    with serve_hub(repository) as (endpoint, _):
        online, _ = in_new_process(asks("v1.0"), tmp_path, HF_ENDPOINT=endpoint, HF_HUB_OFFLINE="0")
    tag, commit, other_tag, other_commit, _ = in_new_process(
        asks("v1.0", COMMIT, "v2.0", "f" * 40), tmp_path, HF_HUB_OFFLINE="1"
    )
    assert tag == commit == online
    assert other_tag.startswith("hub:owner/name@v2.0 truthfulqa_ur: OfflineModeIsEnabled: ")
    assert f"the cache holds commit {COMMIT}, not {'f' * 40}; go online once" in other_commit


def test_offline_is_one_line():
    with pytest.raises(DataError) as error:
        load("truthfulqa", "ur", "hub:nobody/nothing@v1")
    assert str(error.value).startswith("hub:nobody/nothing@v1 truthfulqa_ur: ConnectionError: ")
    assert "HF_HUB_OFFLINE" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_local_folder_of_that_name_is_not_taken_for_the_hub(repository, tmp_path, monkeypatch):
    (tmp_path / "owner").mkdir()
    repository.rename(tmp_path / "owner" / "name")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="a local folder 'owner/name' hides the hub repository"):
        load("truthfulqa", "ur", "hub:owner/name@v1.0")
