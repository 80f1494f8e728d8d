"""Names instead of paths, everywhere; models that are two stay two, and no folder of this machine is passed on."""

import csv
import dataclasses
import io
import json

import pytest

from pak3h_tasks.cli.main import main
from pak3h_tasks.data.sample_log import find_runs
from pak3h_tasks.report.build import build_report, load
from pak3h_tasks.report.compare import compare
from pak3h_tasks.report.leaderboard import leaderboard
from pak3h_tasks.report.model_file import NAME, ModelFile, write_model_file
from pak3h_tasks.report.page.leaderboard_page import leaderboard_page
from pak3h_tasks.report.page.report_page import report_page
from pak3h_tasks.report.render_data import as_csv, report_content
from pak3h_tasks.text.escape import json_text
from support.run_folder import write_run

MC = {"kinds": [("truthfulqa", "mc")], "langs": ["ur"], "n": 5}
LATER = "2026-12-24T08-00-00.000001"


def run_of(folder, name, model_args=None, **changes):
    """A run of a model that lm-eval calls so, in the folder that lm-eval would give it."""
    path = write_run(folder, **{**MC, "model": name.replace("/", "__"), **changes})
    content = json.loads(path.read_text())
    content["model_name"] = name
    content["config"]["model_args"] = model_args or f"pretrained={name}"
    path.write_text(json.dumps(content))
    return path


def labels(*paths):
    return [found.system.label for found in load(paths).systems]


@pytest.mark.parametrize(
    ("models", "shown"),
    [
        (["org/model"], ["org/model"]),
        (["gpt-4o"], ["gpt-4o"]),
        (["/data/models/qwen"], ["qwen"]),
        (["/data/models/qwen/"], ["qwen"]),
        (["C:\\models\\qwen"], ["qwen"]),
        (["./qwen"], ["qwen"]),
        (["/m/q.gguf"], ["q.gguf"]),
        (["/a/qwen", "/b/qwen"], ["a/qwen", "b/qwen"]),
        (["/a/x/qwen", "/b/x/qwen", "/b/y/qwen"], ["a/x/qwen", "b/x/qwen", "y/qwen"]),
        (["/qwen", "/a/qwen"], ["a/qwen", "qwen"]),
        (["/a/qwen", "C:\\a\\qwen"], ["C:/a/qwen", "a/qwen"]),
        (["org/qwen", "/a/org/qwen"], ["org/qwen", "qwen"]),
    ],
)
def test_a_path_is_shown_by_its_last_folder_and_as_much_more_as_is_needed(tmp_path, models, shown):
    for number, name in enumerate(models):
        run_of(tmp_path / str(number), name)
    assert sorted(labels(tmp_path)) == sorted(shown)


def test_paths_that_no_folder_tells_apart_are_numbered(tmp_path):
    run_of(tmp_path / "0", "/a/qwen")
    run_of(tmp_path / "1", "\\a\\qwen")
    assert sorted(labels(tmp_path)) == ["a/qwen", "a/qwen #2"]


def test_runs_of_one_path_are_one_model(tmp_path):
    run_of(tmp_path, "/data/qwen")
    run_of(tmp_path, "/data/qwen", langs=["en"], date=LATER)
    assert labels(tmp_path) == ["qwen"]


def test_the_file_names_every_run_below_it_and_they_are_one_model(tmp_path):
    run_of(tmp_path / "m" / "1", "/data/qwen")
    run_of(tmp_path / "m" / "2", "/other/machine/qwen2", langs=["en"])
    write_model_file(tmp_path / "m", ModelFile(name="Qwen2.5 (chat)"))
    run_of(tmp_path, "org/other")
    assert labels(tmp_path) == ["Qwen2.5 (chat)", "org/other"]


def test_two_folders_of_one_name_stay_two(tmp_path):
    for folder in ("a", "b"):
        run_of(tmp_path / folder, "/data/qwen")
        write_model_file(tmp_path / folder, ModelFile(name="Qwen"))
    assert labels(tmp_path) == ["Qwen (a)", "Qwen (b)"]
    assert labels(tmp_path / "a") == ["Qwen"]


def test_a_file_s_name_and_a_model_of_that_name_stay_two(tmp_path):
    run_of(tmp_path / "a", "/data/qwen")
    write_model_file(tmp_path / "a", ModelFile(name="org/qwen"))
    run_of(tmp_path / "b", "org/qwen")
    assert labels(tmp_path) == ["org/qwen", "org/qwen (a)"]


def test_long_names_are_cut_and_stay_two(tmp_path):
    for folder in ("a", "b"):
        run_of(tmp_path / folder, "m")
        write_model_file(tmp_path / folder, ModelFile(name="x" * 1000 + folder))
    first, second = labels(tmp_path)
    assert first != second
    assert max(map(len, (first, second))) < 130


def test_a_damaged_file_is_said_once_and_the_runs_are_there(tmp_path):
    run_of(tmp_path, "org/model")
    run_of(tmp_path, "org/model", date=LATER, langs=["en"])
    (tmp_path / NAME).write_text("{")
    inputs = load([tmp_path])
    assert [found.system.label for found in inputs.systems] == ["org/model"]
    assert inputs.notices == (f"{NAME}: no JSON; mend it, or the runs keep their own names",)


def test_compared_models_of_one_name_are_told_apart(tmp_path):
    run_of(tmp_path / "1", "/a/qwen")
    run_of(tmp_path / "2", "/b/qwen", seed=1)
    first, second = ([tmp_path / name] for name in "12")
    found = compare(load(first, beside=second), load(second, beside=first))
    assert (found.first, found.second) == ("a/qwen", "b/qwen")


def test_arguments_that_are_paths_are_shown_without_folders_and_stay_two(tmp_path):
    for number in "12":
        run_of(tmp_path / number, "org/m", f"pretrained=org/m,delta=/home/me/{number}/delta")
    first, second = labels(tmp_path)
    assert first.startswith("org/m, delta=delta#")
    assert first != second
    assert "/home" not in first + second


@pytest.fixture
def from_a_machine(tmp_path):
    """A model and a judge that lie on a machine, with a cut log, in /.../home-of-someone/runs."""
    folder = tmp_path / "home-of-someone" / "runs"
    path = run_of(folder, "/mnt/secret-disk/qwen", kinds=[("truthfulqa", "gen")], judge="/mnt/secret-disk/judge")
    (log,) = path.parent.glob("samples_*")
    log.write_bytes(log.read_bytes() + b'{"doc')
    run_of(folder, "/mnt/secret-disk/unlogged", samples=False, langs=["en"])
    return folder


def test_nothing_that_is_passed_on_names_this_machine_s_folders(from_a_machine):
    inputs = load([from_a_machine])
    report = build_report([from_a_machine])
    board = leaderboard(inputs.systems, inputs.notices)
    texts = {
        "json": json_text(report_content(report)),
        "csv": as_csv(report),
        "page": report_page(report, inputs.systems),
        "board": leaderboard_page(board),
        "signatures": json.dumps([cell.score.signature for cell in report.cells]),
    }
    for name, text in texts.items():
        assert "secret-disk" not in text, name
        assert "home-of-someone" not in text, name
    assert "…qwen/samples_pak3h_truthfulqa_ur_gen" in texts["page"]
    (source,) = json.loads(texts["json"])["systems"][0]["sources"]
    assert source["files"][0].startswith("…qwen/samples_pak3h_truthfulqa_ur_gen_")
    assert any(notice.startswith("…qwen/samples_") and "cut off" in notice for notice in report.notices)
    assert "judge:judge|" in texts["signatures"]


def test_nor_does_what_commands_write(from_a_machine, tmp_path, capsys):
    for command, name in (("report", "r.json"), ("leaderboard", "l.json"), ("leaderboard", "l.csv")):
        assert main([command, str(from_a_machine), "-o", str(tmp_path / name)]) == 0
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "qwen" in text
        assert "secret-disk" not in text
        assert "home-of-someone" not in text
    assert "secret-disk" not in capsys.readouterr().err


def test_a_run_knows_the_outermost_folder_that_was_given(tmp_path):
    path = run_of(tmp_path / "a" / "b", "m")
    assert {run.root for run in find_runs([tmp_path / "a" / "b", tmp_path / "a", path])} == {tmp_path / "a"}
    assert {run.root for run in find_runs([path])} == {path.parent}


def test_a_name_of_markup_and_overrides_is_text_in_every_format(tmp_path):
    nasty = '=cmd|"/c calc"!A1 <script>alert(1)</script>\x1b[31m\u202e'
    run_of(tmp_path, "m")
    write_model_file(tmp_path, ModelFile(name=nasty))
    inputs = load([tmp_path])
    html = leaderboard_page(leaderboard(inputs.systems, inputs.notices))
    assert "&lt;script&gt;alert(1)" in html
    assert not set("\x1b\u202e") & set(html)
    rows = list(csv.DictReader(io.StringIO(as_csv(build_report([tmp_path])))))
    assert rows[0]["system"].startswith("'=cmd|")
    assert dataclasses.asdict(inputs.systems[0].system)["label"] == nasty
