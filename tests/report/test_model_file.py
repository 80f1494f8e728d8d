"""The file that names the runs beside it: written, read back, the nearest counts, a damaged one is a line."""

import json
from pathlib import Path

import pytest

from pak3h_tasks.data.sample_log import find_runs
from pak3h_tasks.report.model_file import NAME, ModelFile, model_file_of, write_model_file
from support.run_folder import write_run

MC = {"kinds": [("truthfulqa", "mc")], "langs": ["ur"], "n": 5}


def said_of(folder, given=None):
    told = []
    (run,) = find_runs([given or folder])
    return model_file_of(run, told.append), told


def test_what_is_written_is_read_back(tmp_path):
    content = ModelFile(name="ماڈل (chat)", id="org/model", url="https://example.org/m", settings={"dtype": "bfloat16"})
    write_run(tmp_path, **MC)
    write_model_file(tmp_path, content)
    assert said_of(tmp_path) == (content, [])
    assert "ماڈل" in (tmp_path / NAME).read_text(encoding="utf-8")


def test_what_a_newer_version_adds_is_ignored(tmp_path):
    write_run(tmp_path, **MC)
    (tmp_path / NAME).write_text('{"name": "m", "licence": "MIT"}')
    assert said_of(tmp_path) == (ModelFile(name="m"), [])


def test_the_nearest_counts_and_none_above_what_was_given(tmp_path):
    folder = write_run(tmp_path / "given", **MC).parent
    write_model_file(tmp_path, ModelFile(name="above"))
    assert said_of(tmp_path / "given") == (None, [])
    assert said_of(tmp_path)[0].name == "above"
    write_model_file(folder, ModelFile(name="nearest"))
    assert said_of(tmp_path)[0].name == "nearest"
    # of a file that is given, its own folder
    assert said_of(next(folder.glob("results_*")))[0].name == "nearest"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"name": "m"', "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"name": "\xe9"}'.encode("latin-1"), "no JSON"),
        ("[1]", "mend it"),
        ("{}", "name: field required"),
        ('{"name": "   "}', "name: string should have at least 1 character"),
        ('{"name": 7}', "name: input should be a valid string"),
        ('{"name": "a\\ud800"}', "name: "),
        ('{"name": "m", "url": "javascript:alert(1)"}', "url: string should match pattern"),
    ],
)
def test_a_damaged_file_is_one_line_and_the_runs_keep_their_names(tmp_path, text, said):
    write_run(tmp_path, **MC)
    (tmp_path / NAME).write_bytes(text.encode() if isinstance(text, str) else text)
    content, told = said_of(tmp_path)
    assert content is None
    (line,) = told
    assert line.startswith(str(tmp_path / NAME))
    assert said in line
    assert line.endswith("mend it, or the runs keep their own names")
    assert "\n" not in line


def test_a_folder_of_that_name_is_no_file(tmp_path):
    write_run(tmp_path, **MC)
    (tmp_path / NAME).mkdir()
    assert said_of(tmp_path) == (None, [])


def test_only_what_was_said_is_written(tmp_path):
    write_model_file(tmp_path / "new", ModelFile(name="m"))
    assert json.loads(Path(tmp_path / "new" / NAME).read_text()) == {"name": "m"}
