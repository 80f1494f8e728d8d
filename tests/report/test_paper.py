"""The paper in one folder: its numbers, the report's values in every form, and what is missing."""

import csv
import io
import re

import pytest

from pak3h_tasks.cli.main import main
from pak3h_tasks.report.build import build_report
from pak3h_tasks.report.paper import missing_parts
from support.run_folder import write_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder, model="org/a", kinds=[("alpaca", "gen"), ("truthfulqa", "gen"), ("truthfulqa", "mc")], n=40)
    return folder


@pytest.fixture(scope="module")
def paper(runs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "paper"
    assert main(["report", str(runs), "--paper", "-o", str(folder), "--no-length-control"]) == 0
    return folder


def rows(paper, name):
    return list(csv.DictReader(io.StringIO((paper / f"{name}.csv").read_text(encoding="utf-8"))))


def test_tables_and_figures_have_the_papers_numbers(paper):
    names = {path.stem for path in paper.iterdir()}
    assert names == {
        *("README", "table-1", "table-2", "table-4", "table-7", "table-8"),
        *("section-5.3-mc", "section-5.3-overlap", "tests", "figure-2", "figure-3", "figure-4"),
    }
    for name in names - {"README"}:
        assert {"md", "tex", "csv"} <= {path.suffix[1:] for path in paper.iterdir() if path.stem == name}
    text = (paper / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 30
    assert all((paper / link).is_file() for link in links)
    assert "## Table 7" in text
    assert "Table 7: Helpfulness by split" in text


def test_the_difference_by_category_is_in_every_form(runs, paper):
    (gap,) = [
        gap.difference
        for gap in build_report([runs]).gaps
        if (gap.metric, gap.place.split, gap.first) == ("discrete_win_rate", "lc", "en")
    ]
    (row,) = [row for row in rows(paper, "table-7") if row["source"] == "measured" and row["lang"] == "en - ur"]
    assert float(row["share of wins LC"]) == pytest.approx(100 * gap)
    assert float(row["share of wins LC low"]) < 100 * gap < float(row["share of wins LC high"])
    for ending in ("md", "tex"):
        assert f"{100 * gap:+.2f}" in (paper / f"table-7.{ending}").read_text(encoding="utf-8").replace("\\", "")
    (published,) = [r for r in rows(paper, "table-7") if (r["model"], r["lang"]) == ("Llama-3-70B-Instruct", "en - ur")]
    assert [float(published[f"share of wins{s}"]) for s in ("", " DT", " LC", " LI")] == [6.53, 5.89, 14.11, 12.83]


def test_published_tests_stand_with_ours_and_their_contradiction(paper):
    (row,) = [r for r in rows(paper, "tests") if r["source"] == "published" and r["z"]]
    assert (row["items"], row["chi2"], row["z"], row["McNemar p"]) == ("4445", "27.13", "8.47", "<0.001")
    text = (paper / "tests.md").read_text(encoding="utf-8")
    assert "chi2 is at least 59.8" in text


def test_values_that_the_paper_gives_from_0_to_1_are_shown_so_beside(paper):
    published = {(r["model"], r["lang"]): r for r in rows(paper, "section-5.3-mc") if r["source"] == "published"}
    assert published["GPT-4o-mini", "en"]["MC1"] == "78.30"
    assert "78.30 (0.783)" in (paper / "section-5.3-mc.md").read_text(encoding="utf-8")
    figure = [row for row in rows(paper, "figure-4") if row["measure"] == "MC1"]
    assert [row["en"] for row in figure if row["model"] == "GPT-4o-mini"] == ["0.783"]
    assert 0 < float(figure[0]["en"]) < 1


def test_what_is_missing_is_said_with_its_remedy(runs, paper):
    lines = list(missing_parts(build_report([runs])))
    assert "Table 3: no value of PakBeaverTails, pairs (English, Urdu): pak3h moderate" in lines
    assert "Table 7 and Figure 2: PakAlpaca, English: 40 of 4,445 items scored in all rows" in lines
    # said once, for all that need it
    urdu = [line for line in lines if "PakAlpaca, Urdu: 40 of 4,445" in line]
    assert [line.partition(":")[0] for line in urdu] == ["Table 5, Table 7 and Figure 2"]
    assert any(
        line.startswith("Table 5: PakAlpaca has no value in Machine-translated Urdu of org/a: ") for line in lines
    )
    assert "Table 4 and Figure 3: 1 of 4 judges; pak3h score judges the same answers again" in lines
    text = (paper / "README.md").read_text(encoding="utf-8")
    assert "no value of PakBeaverTails, pairs" in text


@pytest.mark.parametrize(
    "arguments", [["--paper"], ["--paper", "-o", "x.md"], ["--paper", "-o", "x", "--format", "csv"]]
)
def test_a_folder_is_asked_for(runs, capsys, arguments):
    assert main(["report", str(runs), *arguments]) == 1
    assert "--paper: give -o and a folder" in capsys.readouterr().err
