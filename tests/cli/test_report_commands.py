"""pak3h report, leaderboard, compare and agreement as typed."""

import csv
import io
import json

import pytest

from pak3h_tasks.cli.main import main
from support.run_folder import write_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder, model="org/a", n=12, total=20)
    write_run(folder, model="org/b", n=12, seed=1)
    return folder


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("table", "Harmlessness"),
        ("markdown", "> org/a"),
        ("latex", "% \\usepackage"),
        ("json", "{"),
        ("csv", "source,"),
    ],
)
def test_report_formats_go_to_stdout_and_notes_to_stderr(runs, capsys, form, start):
    assert main(["report", str(runs), "--format", form]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(start)
    assert "12 of 20" in err
    assert "org/b" in out


@pytest.mark.parametrize("ending", ["json", "csv", "md", "tex", "txt"])
def test_output_by_its_ending(runs, tmp_path, capsys, ending):
    path = tmp_path / f"out.{ending}"
    assert main(["report", str(runs), "-o", str(path), "--no-length-control"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert f"written: {path}" in err
    assert "org/b" in path.read_text(encoding="utf-8").replace("\\/", "/")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]  # no half-written file is left
    if ending in ("txt", "md", "tex", "json"):
        assert "12 of 20" in path.read_text(encoding="utf-8")  # what the reader must know goes with the file


def test_figures_are_written_beside_the_table(runs, tmp_path, capsys):
    assert main(["report", str(runs), "--figures", str(tmp_path / "new" / "figures")]) == 0
    out, err = capsys.readouterr()
    assert "Honesty" in out
    assert "figure-2.svg" in err
    names = {path.name for path in (tmp_path / "new" / "figures").iterdir()}
    assert names >= {"figure-2.svg", "figure-3.svg", "figure-4.svg"}


def test_leaderboard_and_compare(runs, tmp_path, capsys):
    assert main(["leaderboard", str(runs)]) == 0
    assert "ur TI" in capsys.readouterr().out
    path = tmp_path / "board.json"
    assert main(["leaderboard", str(runs), "-o", str(path)]) == 0
    board = json.loads(path.read_text(encoding="utf-8"))
    assert [row["system"]["label"] for row in board["rows"]] == ["org/a", "org/b"] or board["rows"]
    capsys.readouterr()
    assert main(["compare", str(runs / "org__a"), str(runs / "org__b"), "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {(row["source"], row["system"], row["minus"]) for row in rows} == {("gap", "org/a", "org/b")}


def test_agreement(runs, tmp_path, capsys):
    labels = tmp_path / "labels.csv"
    labels.write_text("id,lang,truthful\n" + "\n".join(f"truthfulqa-{n:05d},ur,yes" for n in range(12)))
    arguments = ["agreement", "--verdicts", str(runs / "org__a"), "--human", str(labels)]
    assert main(arguments) == 0
    assert "org/a" in capsys.readouterr().out
    assert main([*arguments, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["agreement"][0]["labelled"] == 12


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", "{}/absent"], "no such file or folder"),
        (["report", "{}", "-o", "x.docx"], "give a file ending in"),
        (["report", "{}", "-o", "x.html", "--format", "csv"], "a page has no --format"),
        (["report", "{}", "-o", "/absent/x.csv"], "cannot be written"),
        (["compare", "{}", "{}"], "A holds 2 models"),
        (["compare", "{}", "{}", "-o", "x.html"], "has no page"),
    ],
)
def test_mistakes_are_one_line(runs, capsys, arguments, said):
    assert main([argument.format(runs) for argument in arguments]) == 1
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("pak3h: error: ")]
    assert len(errors) == 1
    assert said in errors[0]


@pytest.mark.parametrize("command", ["report", "leaderboard", "compare", "agreement"])
def test_help_ends_with_an_example(capsys, command):
    assert main([command, "--help"]) == 0
    assert f"example:\n  pak3h {command} " in capsys.readouterr().out
