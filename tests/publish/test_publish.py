"""What is refused, what is said, and that the same runs make the same bytes."""

import json

import pytest
import yaml
from huggingface_hub import ModelCard

from pak3h_tasks.cli.main import main
from pak3h_tasks.publish.publish import Choices, publish
from support.run_folder import write_run


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_twice_changes_no_byte(runs, published):
    before = contents(published.folder)
    publish([runs], published.folder, Choices(dataset_id="org/pak3h"))
    assert contents(published.folder) == before


def test_an_id_does_not_hang_on_what_is_published_beside_it(runs, published, tmp_path):
    """A run's file is the same file whether another judge's run is there or not."""
    (alone,) = publish([*runs.rglob("*_scored-other-judge*")], tmp_path).models
    names = {path.name for path in published.models[0].records}
    assert len(alone.records) == 2
    assert {path.name for path in alone.records} <= names


def small(folder, **changes):
    return write_run(folder, **{"model": "org/m", "langs": ("ur",), "kinds": [("alpaca", "gen")], "n": 10, **changes})


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"label": "sample"}, "embedded sample"),
        ({"total": 600}, "10 of 600 items"),
        ({"splits": ("dt",)}, "only dt of dt, lc, li"),
        ({"total": 600, "samples": False}, "not all items"),
    ],
)
def test_sample_data_and_partial_runs_need_force_and_the_files_say_so(tmp_path, capsys, changes, why):
    small(tmp_path / "runs", **changes)
    words = ["publish", str(tmp_path / "runs"), "-o", str(tmp_path / "out")]
    assert main(words) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line
    assert "--force" in line
    assert not (tmp_path / "out").exists()
    assert main([*words, "--force"]) == 0
    record = json.loads(next(tmp_path.rglob("data/**/*.json")).read_text("utf-8"))
    assert why in record["source_metadata"]["additional_details"]["notes"]
    card = ModelCard.load(tmp_path / "out/README.md")
    assert all(why in one.metric_args["notes"] for one in card.data.eval_results)
    assert why in card.text
    for file in (tmp_path / "out/.eval_results").glob("*.yaml"):
        assert all(why in entry["notes"] for entry in yaml.safe_load(file.read_text("utf-8")))


def test_several_models_have_folders_of_their_own(tmp_path, capsys):
    small(tmp_path / "runs", model="org/a")
    small(tmp_path / "runs", model="org/b")
    assert main(["publish", str(tmp_path / "runs"), "-o", str(tmp_path / "out")]) == 0
    assert "2 models" in capsys.readouterr().err
    for name in ("org/a", "org/b"):
        assert ModelCard.load(tmp_path / f"out/models/{name}/README.md").data.model_name == name
        assert (tmp_path / f"out/models/{name}/.eval_results/pak3h.yaml").is_file()
        assert len(list((tmp_path / f"out/data/pak3h/{name}").iterdir())) == 2


def test_a_local_model_needs_an_id(tmp_path, capsys):
    path = small(tmp_path / "runs")
    results = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**results, "model_name": "/home/somebody/weights/tiny"}))
    words = ["publish", str(tmp_path / "runs"), "-o", str(tmp_path / "out")]
    assert main(words) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("pak3h: error: tiny: a local model; pass --model-id developer/model")
    assert main([*words, "--model-id", "../../x"]) == 1
    assert "developer/model" in capsys.readouterr().err
    assert main([*words, "--model-id", "us/tiny"]) == 0
    assert not any(b"somebody" in text for text in contents(tmp_path / "out").values())


def test_no_secret_and_no_path_of_this_machine(published, runs):
    for name, text in contents(published.folder).items():
        assert b"sk-secret" not in text, name
        assert str(runs).encode() not in text, name


def test_nothing_to_publish(tmp_path, capsys):
    assert main(["publish", str(tmp_path), "-o", str(tmp_path / "out")]) == 1
    assert "no Pak3H results" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path, capsys):
    small(tmp_path / "runs")
    (tmp_path / "file").write_text("")
    assert main(["publish", str(tmp_path / "runs"), "-o", str(tmp_path / "file/out")]) == 1
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "error" in line]
    assert "cannot be" in line


def test_a_sample_file_of_many_rows_is_written_row_by_row(tmp_path, monkeypatch):
    """Never more than one record at a time: each is written before the next is asked for."""
    import pak3h_tasks.publish.publish as module

    small(tmp_path / "runs", n=50)
    alive, most = [], []
    made = module.instance_records

    def counted(*arguments, **named):
        for record in made(*arguments, **named):
            alive.append(record)
            yield record
            most.append(len(alive))
            alive.clear()

    monkeypatch.setattr(module, "instance_records", counted)
    publish([tmp_path / "runs"], tmp_path / "out")
    assert len(most) > 50
    assert max(most) == 1
