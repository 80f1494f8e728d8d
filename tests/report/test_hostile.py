"""Model output, names and replies that try to be markup, formulas, commands or terminal controls stay text."""

import csv
import io
import json
import re
import time

import pytest

from pak3h_tasks.report.build import build_report
from pak3h_tasks.report.model_file import ModelFile, write_model_file
from pak3h_tasks.report.render_data import as_csv, report_content
from pak3h_tasks.report.render_tables import as_latex, as_markdown, terminal
from pak3h_tasks.report.table import Table
from pak3h_tasks.report.tables import tables
from pak3h_tasks.text.escape import csv_cell, json_text, latex, markdown, one_line
from support.run_folder import write_run

NASTY = (
    '=cmd|"/c calc"!A1 <script>alert(1)</script>\x1b[31m\u202e\u009b2J\n| [x](javascript:1) `{{7*7}}` '
    r"$\input{/etc/passwd}$%&#_^~"
)
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    path = write_run(folder, model="m", n=12, hostile=NASTY, judge=NASTY, unscored=0.2)
    results = json.loads(path.read_text())
    results["model_name"] = f"/{NASTY}"
    path.write_text(json.dumps(results))
    write_model_file(folder, ModelFile(name=NASTY))
    return build_report([folder])


@pytest.mark.parametrize("render", [terminal, as_markdown, as_latex])
def test_no_control_character_gets_through(report, render):
    text = render(tables(report), report.notices)
    assert "alert(1)" in text  # the names are shown, or this tests nothing
    assert not CONTROLS.search(text)


def test_data_formats_hold_no_control_character(report):
    for text in (as_csv(report), json_text(report_content(report))):
        assert "alert(1)" in text
        assert not CONTROLS.search(text)
    assert json.loads(json_text(report_content(report)))["systems"][0]["model"] == " ".join(NASTY.split())


def test_csv_cells_are_no_formulas_and_rows_stay_rows(report):
    read = list(csv.reader(io.StringIO(as_csv(report))))
    assert {len(row) for row in read} == {len(read[0])}
    assert len(read) == 1 + len(report.cells) + len(report.gaps) + len(report.published)
    numbers = re.compile(r"-?[\d.]+(e[+-]?\d+)?")
    for row in read:
        for value in row:
            assert not value.startswith(("=", "+", "@", "\t")), value
            assert not value.startswith("-") or numbers.fullmatch(value), value


def test_markdown_has_neither_html_nor_new_cells(report):
    text = as_markdown(tables(report), report.notices)
    assert "<script" not in text
    for block in text.split("\n\n"):
        if block.startswith("|"):
            cells = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(cells) == 1
    assert not re.search(r"(?<!\\)\]\(", text)


def test_latex_has_no_command_of_theirs(report):
    text = as_latex(tables(report), report.notices)
    known = (
        r"\\(begin|end|centering|small|caption|label|toprule|midrule|bottomrule|scriptsize|multicolumn|emph|usepackage"
    )
    known += r"|textbackslash|textasciicircum|textasciitilde|textless|textgreater|textquotedbl|textbar|[{}$&#_%\\])"
    assert re.sub(known, "", text).count("\\") == 0
    body = [line for line in text.splitlines() if not line.startswith("%")]
    assert not any(re.search(r"(?<!\\)%", line) for line in body)


def test_a_megabyte_on_one_line_is_cut(report):
    text = "x" * 1_000_000
    begun = time.process_time()
    assert len(one_line(text)) == len(markdown(text)) == len(latex(text)) == 200
    assert len(csv_cell(text)) == 2000
    assert time.process_time() - begun < 5  # linear in what is kept, not in what came


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "\n=", " =", "＝"])
def test_formula_starts(start):
    assert csv_cell(f"{start}1+1").startswith("'")
    assert not csv_cell("1=1").startswith("'")


@pytest.mark.parametrize("render", [terminal, as_markdown, as_latex])
def test_a_long_signature_below_a_table_is_not_cut(render):
    signature = "x" * 600
    table = Table("key", "title", ("model",), (("a",),), (), (), (f"made by {signature}",))
    text = render([table], [f"notice {signature}"])
    assert text.count(signature) == 2


def test_a_semicolon_starts_no_formula():
    """In many locales spreadsheets separate cells by semicolons."""
    assert csv_cell('model;=HYPERLINK("x")') == 'model;\'=HYPERLINK("x")'
    assert csv_cell('model; "+1') == "model; \"'+1"
    assert csv_cell("data a; data b-c") == "data a; data b-c"


@pytest.mark.parametrize("unscored", [0.0, 1.0])
def test_no_json_holds_what_strict_readers_refuse(tmp_path, unscored, capsys):
    """All equal, nothing scored, one item: no NaN reaches a file."""
    from pak3h_tasks.cli import compare, leaderboard, report

    def strict(name):
        raise AssertionError(f"{name} in a JSON file")

    for name in ("a", "b"):
        path = write_run(tmp_path / name, model=name, langs=("en", "ur"), n=1, unscored=unscored)
        path.write_text(path.read_text().replace('"truthful,none": 0.0', '"truthful,none": NaN'))
    out = tmp_path / "out.json"
    for command, paths in (
        (report, [tmp_path]),
        (leaderboard, [tmp_path]),
        (compare, [tmp_path / "a", tmp_path / "b"]),
    ):
        if command is compare and unscored:
            continue
        assert command.main([*map(str, paths), "-o", str(out)]) == 0
        json.loads(out.read_text(encoding="utf-8"), parse_constant=strict)
