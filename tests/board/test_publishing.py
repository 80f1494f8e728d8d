"""A board's folder holds files for publishing of the models that have an id: made once, and gone with the model."""

from dataclasses import replace

import pytest
from huggingface_hub import ModelCard

from pak3h_tasks.board.config import read_board
from pak3h_tasks.board.write import BoardSite
from pak3h_tasks.data.sample_log import find_runs
from pak3h_tasks.report.model_file import ModelFile, write_model_file
from support.run_folder import write_run

MODELS = {"Alpha, chat": "org/alpha", "Alpha, plain": "org/alpha", "Beta": "org/beta", "Gamma": None}


@pytest.fixture
def written(tmp_path):
    """Writes the board of some of the models, and gives its site and the files below it."""
    runs = {}
    for number, (name, model_id) in enumerate(MODELS.items()):
        folder = tmp_path / "board_runs" / f"m{number}"
        write_run(folder, model=f"/weights/m{number}", langs=("ur",), n=8, skill=0.2 + 0.2 * number)
        write_model_file(folder, ModelFile(name=name, id=model_id))
        runs[name] = [replace(run, model=name) for run in find_runs([folder])]

    def write(*names):
        lines = [f"  - {{name: '{name}', model_args: 'pretrained={name}'" for name in names]
        ids = [f", id: {MODELS[name]}}}" if MODELS[name] else "}" for name in names]
        path = tmp_path / "board.yaml"
        path.write_text("models:\n" + "\n".join(map("".join, zip(lines, ids, strict=True))), encoding="utf-8")
        site = BoardSite(read_board(path))
        site.write({name: runs[name] for name in names}, {})
        return site, {file.relative_to(site.board.site).as_posix(): file for file in site.board.site.rglob("*.*")}

    return write


def test_files_of_models_with_an_id(written):
    site, files = written(*MODELS)
    assert not site.unpublished
    cards = sorted(name for name in files if name.endswith("README.md"))
    assert cards == ["publish/models/org/alpha/README.md", "publish/models/org/beta/README.md"]
    assert ModelCard.load(files[cards[0]]).data.model_name == "org/alpha"
    # both ways to run alpha: a record with samples each
    assert len([name for name in files if name.startswith("publish/data/pak3h/org/alpha/")]) == 4
    assert not any(b"/weights" in files[name].read_bytes() for name in files if files[name].is_file())


def test_made_once_and_gone_with_the_model(written):
    _, files = written("Beta", "Gamma")
    beta = [name for name in files if name.startswith("publish/") and files[name].is_file()]
    before = {name: files[name].stat().st_mtime_ns for name in beta}
    _, files = written("Alpha, chat", "Beta")
    assert {name: files[name].stat().st_mtime_ns for name in beta} == before
    files[beta[0]].unlink()
    _, files = written("Alpha, chat", "Beta")
    assert beta[0] in files
    _, files = written("Alpha, chat")
    assert not set(beta) & {name for name in files if files[name].is_file()}
    assert any(name.startswith("publish/") for name in files)
