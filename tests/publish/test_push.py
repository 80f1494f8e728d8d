"""`--push` with huggingface_hub's real client against a hub on 127.0.0.1."""

import os
import subprocess
import sys

import pytest
from huggingface_hub import ModelCard

from support.hub_writer import COMMIT, serve_hub_writer
from support.run_folder import write_run

TOKEN = "hf_secretsecretsecret"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def one_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder, model="org/m", langs=("ur",), kinds=[("alpaca", "gen")], n=10)
    return folder


@pytest.fixture
def push(one_run, tmp_path):
    """Run the command in a process of its own: the client reads HF_ENDPOINT when it is imported."""

    def run(endpoint, target, *more, token=TOKEN, dataset="org/pak3h"):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        environment |= {
            "HF_ENDPOINT": endpoint,
            "HF_HOME": str(tmp_path / "hf"),
            **({"HF_TOKEN": token} if token else {}),
        }
        words = ["publish", str(one_run), "-o", str(tmp_path / "out"), "--push", target, *more]
        words += ["--dataset-id", dataset] if dataset else []
        done = subprocess.run(
            [sys.executable, "-m", "pak3h_tasks", *words], env=environment, capture_output=True, text=True, timeout=120
        )
        assert TOKEN not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run


def errors(done):
    return [line for line in done.stderr.splitlines() if "error" in line]


def test_a_models_repository_gets_results_and_keeps_its_card(push):
    with serve_hub_writer() as hub:
        hub.files["README.md"] = b"---\nlicense: mit\n---\n# Theirs\n"
        done = push(hub.endpoint, "owner/name")
        assert done.returncode == 0, done.stderr
        (commit,) = hub.commits
        assert commit.keys() == {"README.md", ".eval_results/pak3h.yaml"}
        assert hub.parents == [COMMIT]
        assert hub.tokens == {f"Bearer {TOKEN}"}
        card = ModelCard(commit["README.md"].decode())
        assert card.data.license == "mit"
        assert card.text.startswith("# Theirs")
        assert len(card.data.eval_results) == 8
        lines = done.stdout.splitlines()
        assert lines[0] == "to owner/name:"
        assert lines[1:3] == ["  README.md", "  .eval_results/pak3h.yaml"]
        assert lines[3] == f"pushed: 2 files, {hub.endpoint}/owner/name/commit/{COMMIT}"


def test_a_repository_without_a_card_gets_one(push):
    with serve_hub_writer() as hub:
        assert push(hub.endpoint, "owner/name").returncode == 0
        assert ModelCard(hub.files["README.md"].decode()).data.model_name == "org/m"


def test_a_datasets_repository_gets_the_records(push, tmp_path):
    with serve_hub_writer("datasets") as hub:
        done = push(hub.endpoint, "datasets/owner/name")
        assert done.returncode == 0, done.stderr
        written = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out/data").rglob("*.json*")}
        assert hub.commits[0].keys() == written
        assert len(written) == 2


@pytest.mark.parametrize(
    ("status", "said"), [(403, "may not write there (HTTP 403)"), (401, "(HTTP 401)"), (500, "HTTP 500")]
)
def test_a_hub_that_refuses_is_one_line(push, status, said):
    with serve_hub_writer() as hub:
        hub.status = status
        done = push(hub.endpoint, "owner/name")
    assert done.returncode == 1
    (line,) = errors(done)
    assert said in line


def test_a_card_that_cannot_be_read_is_not_overwritten(push):
    with serve_hub_writer() as hub:
        hub.card_status = 403
        done = push(hub.endpoint, "owner/name")
        assert done.returncode == 1
        assert len(errors(done)) == 1
        assert not hub.commits


def test_no_such_repository_and_no_hub(push):
    with serve_hub_writer() as hub:
        done = push(hub.endpoint, "owner/other")
        assert done.returncode == 1
        assert "no such repository" in errors(done)[0]
        endpoint = hub.endpoint
    done = push(endpoint, "owner/name")
    assert done.returncode == 1
    (line,) = errors(done)
    assert "HF_ENDPOINT" in line


def test_what_is_refused_before_anything_is_sent(push):
    with serve_hub_writer() as hub:
        for words, said in (
            ({"token": ""}, "HF_TOKEN"),
            ({"dataset": ""}, "--dataset-id"),
        ):
            done = push(hub.endpoint, "owner/name", **words)
            assert done.returncode == 1
            assert said in errors(done)[0]
        assert push(hub.endpoint, "../../x").returncode == 1
        assert not hub.commits
        assert not hub.tokens
