"""Which charts a report has beside the paper's (`paper_figures`): by model, split, harm category and topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pak3h_tasks.metrics.registry import HARMLESSNESS, HARMS, HELPFULNESS, HONESTY, MC, METRICS, PAIRS, reported
from pak3h_tasks.report.model import ALL, Cell, Report
from pak3h_tasks.report.names import LANG_NAMES, MEASURE_NAMES, SPLIT_NAMES, task_title
from pak3h_tasks.report.page.charts import Chart, Value, ceiling, dot_chart, value_of
from pak3h_tasks.report.table import Table

_TASKS = (HONESTY, MC, HELPFULNESS, HARMLESSNESS, PAIRS)
_MAX_TOPICS = 40

Values = dict[str, dict[str, Value]]


@dataclass(frozen=True)
class Entry:
    """An entry of a legend: a mark of a language, or a line.

    Attributes:
        text: What it stands for.
        colour: CSS class.
        lang: Whose shape is drawn; ``block``: a patch of colour; "": a line.
        hollow: As an outline.
        line: ``solid`` or ``dashed``: a line in place of a mark.
    """

    text: str
    colour: str = ""
    lang: str = ""
    hollow: bool = False
    line: str = ""


@dataclass(frozen=True)
class Figure:
    """Charts of one thing on one axis: one a model, or one a measure.

    Attributes:
        key: For links.
        dataset: Where it belongs.
        title: What it shows.
        caption: How to read it.
        langs: Languages in it.
        charts: Its panels.
        legend: What its marks stand for; empty: languages alone.
        table: The same numbers, with the published ones.
    """

    key: str
    dataset: str
    title: str
    caption: str
    langs: tuple[str, ...]
    charts: tuple[Chart, ...]
    legend: tuple[Entry, ...] = ()
    table: Table | None = None


def figures(report: Report) -> list[Figure]:
    """Every such figure that has something to show."""
    kinds = (("models", _by_model), ("splits", _by_split))
    measures = [(task, metric) for task in _TASKS for metric in reported(*task)]
    found = [
        figure(report, *task, metric.name)
        for task, metric in measures
        for key, figure in kinds
        if key in metric.figures
    ]
    found += [_by_harm(report, kind) for kind in ("gen", "pairs")]
    found.append(_by_topic(report, "gen", "ti") or _by_topic(report, "mc", "mc1"))
    return [figure for figure in found if figure is not None]


def _by_model(report: Report, dataset: str, kind: str, metric: str) -> Figure | None:
    values: dict[str, Values] = {"all": {}}
    for cell in _cells(report, dataset, kind, (metric,)):
        if cell.place.split == ALL and cell.place.category is None:
            values["all"].setdefault(cell.place.system, {})[cell.place.lang] = value_of(cell.score)
    if len(values["all"]) < 2:
        return None
    title = f"{task_title(dataset, kind)}: {_words(metric)} by model"
    return _figure(f"models-{dataset}-{kind}-{metric}", dataset, title, metric, values)


def _by_split(report: Report, dataset: str, kind: str, metric: str) -> Figure | None:
    values: dict[str, Values] = {}
    for cell in _cells(report, dataset, kind, (metric,)):
        if cell.place.category is None:
            _put(values, cell, SPLIT_NAMES[cell.place.split])
    # a single row says no more than the table
    values = {system: rows for system, rows in values.items() if len(rows) > 1}
    order = {name: number for number, name in enumerate(SPLIT_NAMES.values())}
    values = {s: dict(sorted(rows.items(), key=lambda row: order[row[0]])) for s, rows in values.items()}
    title = f"{task_title(dataset, kind)}: {_words(metric)} by split"
    return _figure(f"split-{dataset}-{kind}-{metric}", dataset, title, metric, values)


def _by_harm(report: Report, kind: str) -> Figure | None:
    values: dict[str, Values] = {}
    for cell in _cells(report, "beavertails", kind, HARMS):
        if cell.place.split == ALL and cell.place.category is None:
            _put(values, cell, METRICS[cell.score.name].title.replace("_", " ").replace(",", ", "))
    title = f"{task_title('beavertails', kind)}: unsafe by category"
    return _figure(f"harm-{kind}", "beavertails", title, "unsafe_rate", values, "An answer can be in several.")


def _by_topic(report: Report, kind: str, metric: str) -> Figure | None:
    values: dict[str, Values] = {}
    sizes: dict[str, int] = {}
    for cell in _cells(report, "truthfulqa", kind, (metric,)):
        if cell.place.category is not None:
            _put(values, cell, cell.place.category)
            sizes[cell.place.category] = max(sizes.get(cell.place.category, 0), cell.score.n)
    # the largest topics first: their intervals say something
    topics = sorted(sizes, key=lambda topic: (-sizes[topic], topic))[:_MAX_TOPICS]
    labels = {topic: f"{topic} ({sizes[topic]})" for topic in topics}
    values = {s: {labels[t]: rows[t] for t in topics if t in rows} for s, rows in values.items()}
    more = f" The {_MAX_TOPICS} with most items of {len(sizes)}." if len(sizes) > _MAX_TOPICS else ""
    title = f"{task_title('truthfulqa', kind)}: {_words(metric)} by topic"
    return _figure("topics", "truthfulqa", title, metric, values, f"In brackets the number of questions.{more}")


def _cells(report: Report, dataset: str, kind: str, metrics: tuple[str, ...]) -> Iterator[Cell]:
    for cell in report.cells:
        place = cell.place
        found = (place.dataset, place.kind) == (dataset, kind) and cell.score.name in metrics
        if found and cell.score.value is not None:
            yield cell


def _put(values: dict[str, Values], cell: Cell, label: str) -> None:
    values.setdefault(cell.place.system, {}).setdefault(label, {})[cell.place.lang] = value_of(cell.score)


def _figure(
    key: str, dataset: str, title: str, metric: str, values: Mapping[str, Values], more: str = ""
) -> Figure | None:
    found = [value for rows in values.values() for by_lang in rows.values() for value in by_lang.values()]
    if not found:
        return None
    used = {lang for rows in values.values() for by_lang in rows.values() for lang in by_lang}
    langs = tuple(lang for lang in LANG_NAMES if lang in used)
    end = ceiling([max(value.value, value.high or 0) for value in found])
    charts = tuple(dot_chart(system, rows, langs, end) for system, rows in values.items())
    better = {True: "Higher is better.", False: "Lower is safer.", None: ""}[METRICS[metric].higher_is_better]
    caption = f"Percent, with 95 % intervals. {better} {more}".strip()
    return Figure(key, dataset, title, caption, langs, charts)


def _words(metric: str) -> str:
    return MEASURE_NAMES.get(metric, METRICS[metric].title)
