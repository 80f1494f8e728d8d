"""Geometry: dots stand where their values are."""

import pytest

from pak3h_tasks.report.build import build_report
from pak3h_tasks.report.page.charts import WIDTH, Group, Value, ceiling, dot_chart, grouped_chart
from pak3h_tasks.report.page.figures import figures

VALUES = {
    "All items": {"en": Value(50, 40, 60, 100), "ur": Value(0, 0, 10, 90)},
    "x" * 80: {"ur": Value(100, None, None, 1)},
}


def test_dots_stand_on_the_axis():
    chart = dot_chart("m", VALUES, ("en", "ur"), 100)
    english, urdu = chart.rows[0].marks
    ticks = {label: x for x, label in chart.ticks}
    assert list(ticks) == ["0", "20", "40", "60", "80", "100"]
    assert english.x == pytest.approx((ticks["40"] + ticks["60"]) / 2, abs=0.1)
    assert (english.low, english.high) == (ticks["40"], ticks["60"])
    assert urdu.x == ticks["0"] == pytest.approx(chart.left, abs=0.1)
    assert chart.rows[1].marks[0].x == ticks["100"] == pytest.approx(chart.right, abs=0.1)
    assert chart.rows[1].marks[0].low is None
    assert english.y < urdu.y < chart.rows[1].marks[0].y < chart.bottom < chart.height
    assert 0 < chart.left < chart.right < english.number_x <= WIDTH
    assert len(chart.rows[1].lines) <= 2


def test_the_description_says_what_is_drawn():
    assert dot_chart("m", VALUES, ("en", "ur"), 100).description.startswith(
        "All items: English 50.0 (40.0 to 60.0), n = 100; Urdu 0.0 (0.0 to 10.0), n = 90. xxx"
    )


def test_ends_are_round_and_hold_everything():
    assert [ceiling([value]) for value in (0, 1, 9.9, 10.1, 61, 99, 100)] == [1, 1, 10, 20, 80, 100, 100]


def test_figures_of_a_report(two_models):
    found = {figure.key: figure for figure in figures(build_report([two_models]))}
    assert set(found) == {
        *("models-alpaca-gen-win_rate", "split-alpaca-gen-win_rate", "split-truthfulqa-mc-mc1"),
        *("models-beavertails-gen-unsafe_rate", "split-beavertails-gen-unsafe_rate", "harm-gen", "topics"),
    }
    split = found["split-alpaca-gen-win_rate"]
    assert split.langs == ("en", "ur", "urmt")
    assert [chart.title for chart in split.charts] == ["org/alpha", "org/beta"]
    labels = [row.label for row in split.charts[0].rows]
    assert labels == ["All items", "Directly translated", "Locally contextualised", "Locally irrelevant"]
    assert len(found["harm-gen"].charts[0].rows) == 14
    sizes = [int(row.label.rpartition("(")[2][:-1]) for row in found["topics"].charts[0].rows]
    assert sizes == sorted(sizes, reverse=True)


def test_a_long_name_keeps_its_beginning_and_its_judge():
    value = {"en": Value(50, None, None, 9)}
    chart = grouped_chart("m", {"x" * 500 + " → gpt-4o-mini": Group({"DT": value})}, ("en", "ur"), 100)
    first, last = chart.rows[0].lines
    assert first.startswith("xxx")
    assert first.endswith("…")
    assert last.endswith("x → gpt-4o-mini")
    assert len(last) <= len(first)
