"""The paper's figures: every mark is the report's own number, its place is right, and files come out."""

import struct
import xml.etree.ElementTree as ET

import pytest

from pak3h_tasks.report.build import build_report
from pak3h_tasks.report.model import ALL
from pak3h_tasks.report.page.charts import WIDTH
from pak3h_tasks.report.page.figure_files import PNG_DPI, as_svg, write_figures
from pak3h_tasks.report.page.paper_figures import paper_figures
from pak3h_tasks.report.scores import Options
from support.run_folder import write_run

LANGS = ("en", "ur", "urmt")
JUDGES = ("gpt-4o-mini", "judge-b")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Two generators; both judges judge all honesty answers, the first one the others, too."""
    folder = tmp_path_factory.mktemp("runs")
    for model in ("org/a", "org/b"):
        for number, judge in enumerate(JUDGES):
            kinds = [("truthfulqa", "gen"), *([("alpaca", "gen"), ("truthfulqa", "mc")] if number == 0 else [])]
            date = f"2026-11-30T21-4{number}-45.470855"
            write_run(folder, model=model, kinds=kinds, langs=LANGS, judge=judge, n=45, date=date, scored=judge)
    return build_report([folder], Options(length_controlled=False))


@pytest.fixture(scope="module")
def by_key(report):
    return {figure.key: figure for figure in paper_figures(report)}


def score(report, system, metric, lang, split=ALL):
    (found,) = [
        c.score
        for c in report.cells
        if (c.place.system, c.score.name, c.place.lang, c.place.split, c.place.category)
        == (system, metric, lang, split, None)
    ]
    return found


def groups(chart):
    """Heading -> (its numbers by language, row label -> its row)."""
    found = {}
    for row in chart.rows:
        if row.is_heading:
            found[row.label] = ({mark.lang: mark.number for mark in row.marks}, {})
        else:
            found[list(found)[-1]][1][row.label] = row
    return found


def test_figure_2_has_a_group_a_generator_and_judge(report, by_key):
    (chart,) = by_key["figure-2"].charts
    found = groups(chart)
    assert list(found) == ["org/a → gpt-4o-mini", "org/b → gpt-4o-mini"]
    whole, rows = found["org/b → gpt-4o-mini"]
    assert whole["ur"] == f"{100 * score(report, 'org/b → gpt-4o-mini', 'discrete_win_rate', 'ur').value:.1f}"
    assert {label: {mark.colour for mark in row.marks} for label, row in rows.items()} == {
        split.upper(): {f"split-{split}"} for split in ("dt", "lc", "li")
    }
    ticks = {label: x for x, label in chart.ticks}
    for split in ("dt", "lc", "li"):
        for mark in rows[split.upper()].marks:
            value = score(report, "org/b → gpt-4o-mini", "discrete_win_rate", mark.lang, split).value
            assert mark.number == f"{100 * value:.1f}"
            last = list(ticks)[-1]
            share = (mark.x - ticks["0"]) / (ticks[last] - ticks["0"])
            assert share == pytest.approx(100 * value / float(last), abs=0.002)


def test_figure_3_has_a_line_over_all_items_and_one_by_category(report, by_key):
    figure = by_key["figure-3"]
    assert [chart.title for chart in figure.charts] == ["TI", "truthful", "informative"]
    for chart, metric in zip(figure.charts, ("ti", "truthful", "informative"), strict=True):
        names = [f"org/{model} → {judge}" for model in "ab" for judge in JUDGES]
        assert list(groups(chart)) == names
        solid = [line for line in chart.lines if not line.dashed]
        dashed = [line for line in chart.lines if line.dashed]
        assert len(solid) == len(dashed) == len(names) * len(LANGS)
        assert all(len(line.points.split()) == 3 for line in dashed)
        ticks = {label: x for x, label in chart.ticks}
        last = list(ticks)[-1]
        value = 100 * score(report, names[0], metric, "en").value
        at = ticks["0"] + (ticks[last] - ticks["0"]) * value / float(last)
        assert float(solid[0].points.partition(",")[0]) == pytest.approx(at, abs=0.1)
        marks = [mark for row in chart.rows for mark in row.marks if not row.is_heading]
        assert all(mark.hollow == (mark.lang != "en") for mark in marks)


def test_figure_4_shows_a_model_once_however_many_judged_it_from_0_to_1(report, by_key):
    choices, overlap = by_key["figure-4"].charts
    assert list(groups(choices)) == list(groups(overlap)) == ["org/a", "org/b"]
    assert list(groups(choices)["org/a"][1]) == ["MC1", "MC2", "MC3"]
    # one BLEU: the paper's
    assert list(groups(overlap)["org/a"][1]) == ["BLEU (official), raw", "ROUGE-1 (ASCII words)", "ROUGE-1"]
    assert choices.ticks[-1][1] == "1"
    value = score(report, "org/a → gpt-4o-mini", "bleu_official_max_raw", "ur").value
    marks = groups(overlap)["org/a"][1]["BLEU (official), raw"].marks
    assert [mark.number for mark in marks if mark.lang == "ur"] == [f"{value / 100:.3f}"]


def test_the_table_under_a_figure_has_its_numbers_their_gap_and_the_papers(report, by_key):
    table = by_key["figure-2"].table
    assert table.header == ("generator → judge", "category", *LANGS, "en - ur")
    rows = {row[:2]: row[2:] for row in table.rows}
    assert len(rows) == 2 * 4
    dt = score(report, "org/a → gpt-4o-mini", "discrete_win_rate", "en", "dt")
    assert rows["org/a → gpt-4o-mini", "DT"][0].value == 100 * dt.value
    paper = {row[:2]: row[2:] for row in table.published}
    assert [entry and entry.value for entry in paper["DeepSeek-V3.2 → gpt-4o-mini", "LI"]] == pytest.approx(
        [26.14, 16.07, None, 10.07]
    )
    assert any("Table 7" in note for note in table.notes)
    mc1 = {row[:2]: row for row in by_key["figure-4"].table.published}["GPT-4o-mini", "MC1"]
    assert [entry.text for entry in mc1[2:4]] == ["0.783", "0.562"]
    assert any("Section 5.3 and Figure 4" in note for note in by_key["figure-4"].table.notes)
    bleu = {row[:2]: row[2:] for row in by_key["figure-4"].table.rows}["org/a", "BLEU (official), raw"]
    assert bleu[-1].value == pytest.approx(bleu[0].value - bleu[1].value)


def test_files_are_svg_pdf_and_png_of_one_drawing(by_key, tmp_path):
    pytest.importorskip("typst")
    written, has_typst = write_figures(by_key.values(), tmp_path / "figures")
    assert has_typst
    names = [f"figure-{n}.{suffix}" for n in (2, 3, 4) for suffix in ("svg", "pdf", "png")]
    assert [path.name for path in written] == names
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == sorted(names)
    svg = ET.fromstring((tmp_path / "figures" / "figure-3.svg").read_text(encoding="utf-8"))
    # three panels side by side
    assert 3 * WIDTH < float(svg.get("width")) < 3.3 * WIDTH
    png = (tmp_path / "figures" / "figure-3.png").read_bytes()
    width, _ = struct.unpack(">II", png[16:24])
    # typst takes an SVG's pixels for 1/96 inch
    assert width == pytest.approx(float(svg.get("width")) * PNG_DPI / 96, rel=0.01)
    assert (tmp_path / "figures" / "figure-3.pdf").read_bytes().startswith(b"%PDF-")


def test_names_in_a_drawing_are_inert(tmp_path):
    write_run(tmp_path, model="org/<script>alert(1)</script>", kinds=[("alpaca", "gen")], n=12)
    (figure,) = paper_figures(build_report([tmp_path], Options(length_controlled=False)))
    svg = as_svg(figure)
    assert "<script" not in svg
    ET.fromstring(svg)


def test_other_answers_of_one_generator_are_a_group_of_their_own(tmp_path):
    for number, judge in enumerate(JUDGES):
        date = f"2026-11-30T21-4{number}-45.470855"
        write_run(tmp_path, kinds=[("truthfulqa", "gen")], judge=judge, n=20, date=date, scored=judge, seed=number)
    found = {f.key: f for f in paper_figures(build_report([tmp_path], Options(length_controlled=False)))}
    (overlap,) = found["figure-4"].charts
    assert list(groups(overlap)) == ["org/model", "org/model → judge-b"]
    assert len(found["figure-4"].table.rows) == 2 * 3


def test_an_urdu_name_leaves_its_date_and_arrow_as_they_are(tmp_path):
    write_run(tmp_path, model="اردو ماڈل 2026-12-03", kinds=[("alpaca", "gen")], n=12)
    (figure,) = paper_figures(build_report([tmp_path], Options(length_controlled=False)))
    # marks after the last Urdu letter and before the first; the date is in Latin surroundings
    assert ">\u200eاردو ماڈل\u200e 2026-12-03" in as_svg(figure)
