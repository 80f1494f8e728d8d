"""The paper's Figures 2 to 4 for the models and judges of a report: one chart each, and its numbers as a table below.

English circles and Urdu triangles, as there; machine-translated Urdu is a square on its corner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pak3h_tasks.metrics.registry import HELPFULNESS, HONESTY, MC, METRICS, Task, reported
from pak3h_tasks.report.model import ALL, ARROW, Cell, Gap, Report, System
from pak3h_tasks.report.names import LANG_NAMES, SPLIT_NAMES
from pak3h_tasks.report.page.charts import Group, Style, Value, ceiling, grouped_chart, value_of
from pak3h_tasks.report.page.figures import Entry, Figure
from pak3h_tasks.report.published import published_note
from pak3h_tasks.report.signatures import generator_judge
from pak3h_tasks.report.table import Number, Table, difference_of, number_of, plain
from pak3h_tasks.schema import SPLITS

_PAIR = f"generator {ARROW} judge"
_LANGS = tuple(lang for lang in LANG_NAMES if lang != "-")


@dataclass(frozen=True)
class _Row:
    """A row of marks: a metric of a split."""

    label: str
    task: Task
    metric: str
    split: str = ALL


@dataclass(frozen=True)
class _Panel:
    """One chart: its rows, and the metric whose value over all items stands beside a group's name ("": none)."""

    title: str
    rows: tuple[_Row, ...]
    whole: str = ""


@dataclass(frozen=True)
class _Plan:
    """What a figure shows.

    Attributes:
        number: As the paper numbers it.
        panels: Its charts.
        name: A system -> the name of its group; None: it has none. Systems of one name are shown once.
        of_one: Whether values are from 0 to 1, as in the paper, not percent.
        group: What its groups are, for the table.
        rows: What its rows are, for the table.
    """

    number: str
    dataset: str
    title: str
    caption: str
    panels: tuple[_Panel, ...]
    name: Callable[[System], str]
    group: str
    rows: str
    style: Style
    legend: tuple[Entry, ...]
    of_one: bool = False


def paper_figures(report: Report) -> list[Figure]:
    """Figures 2, 3 and 4, those that have something to show."""
    found = [_drawn(report, plan()) for plan in (_win_rates, _honesty, _choices_and_overlap)]
    return [figure for figure in found if figure is not None]


def _win_rates() -> _Plan:
    colours = {split.upper(): f"split-{split}" for split in SPLITS}
    return _Plan(
        number="2",
        dataset="alpaca",
        title="Win rates by generator, judge and category",
        caption=f"Share of wins on PakAlpaca in percent, with 95 % intervals, a group for each {_PAIR}; beside its "
        "name over all items.",
        panels=tuple(_by_category(HELPFULNESS, name) for name in _named_in("2", HELPFULNESS)),
        name=lambda system: generator_judge(system, HELPFULNESS),
        group=_PAIR,
        rows="category",
        style=Style(colours),
        legend=(
            *(Entry(LANG_NAMES[lang], "ink", lang) for lang in _LANGS),
            *(Entry(f"{split.upper()}: {SPLIT_NAMES[split].lower()}", f"split-{split}", "block") for split in SPLITS),
        ),
    )


def _honesty() -> _Plan:
    return _Plan(
        number="3",
        dataset="truthfulqa",
        title="Honesty by category and judge",
        caption="PakTruthfulQA in percent, with 95 % intervals. TI: share truthful times share informative.",
        panels=tuple(_by_category(HONESTY, name) for name in _named_in("3", HONESTY)),
        name=lambda system: generator_judge(system, HONESTY),
        group=_PAIR,
        rows="category",
        style=Style(hollow=("ur", "urmt"), lines=True),
        legend=(
            *(Entry(LANG_NAMES[lang], f"lang-{lang}", lang, hollow=lang != "en") for lang in _LANGS),
            Entry("all items", "ink", line="solid"),
            Entry("from category to category", "ink", line="dashed"),
        ),
    )


def _choices_and_overlap() -> _Plan:
    panels = (("Multiple choice", MC), ("Overlap with the reference answers", HONESTY))
    return _Plan(
        number="4",
        dataset="truthfulqa",
        title="Multiple choice and overlap with the references",
        caption="PakTruthfulQA on a scale from 0 to 1, as in the paper, with 95 % intervals. BLEU is the paper's, of "
        "the texts as they are: BLEU (official), raw. Its ROUGE-1 is ROUGE-1 (ASCII words), which drops every Urdu "
        "letter; ROUGE-1 keeps them.",
        panels=tuple(
            # by name: BLEU comes before ROUGE, as in the paper
            _Panel(title, tuple(_Row(METRICS[m].title, task, m) for m in sorted(_named_in("4", task))))
            for title, task in panels
        ),
        name=lambda system: system.generator,
        group="model",
        rows="measure",
        style=Style(),
        legend=tuple(Entry(LANG_NAMES[lang], f"lang-{lang}", lang) for lang in _LANGS),
        of_one=True,
    )


def _named_in(number: str, task: Task) -> list[str]:
    return [metric.name for metric in reported(*task) if number in metric.figures]


def _by_category(task: Task, metric: str) -> _Panel:
    return _Panel(METRICS[metric].title, tuple(_Row(s.upper(), task, metric, s) for s in SPLITS), metric)


Cells = Mapping[tuple[str, Task, str, str], dict[str, Cell]]
"""(System, task, metric, split) -> language -> its number."""


def _drawn(report: Report, plan: _Plan) -> Figure | None:
    cells: dict[tuple[str, Task, str, str], dict[str, Cell]] = {}
    for cell in report.cells:
        place = cell.place
        if place.category is None and cell.score.value is not None:
            key = (place.system, (place.dataset, place.kind), cell.score.name, place.split)
            cells.setdefault(key, {})[place.lang] = cell
    panels = [(panel, _groups(report, plan, panel, cells)) for panel in plan.panels]
    panels = [(panel, groups) for panel, groups in panels if groups]
    if not panels:
        return None
    values = [value for _, groups in panels for group in groups.values() for value in _values(group)]
    used = {lang for _, groups in panels for g in groups.values() for by in (g.whole, *g.rows.values()) for lang in by}
    langs = tuple(lang for lang in _LANGS if lang in used)
    end = 1.0 if plan.of_one else ceiling([max(value.value, value.high or 0) for value in values])
    return Figure(
        key=f"figure-{plan.number}",
        dataset=plan.dataset,
        title=f"{plan.title} (as Figure {plan.number})",
        caption=plan.caption,
        langs=langs,
        charts=tuple(grouped_chart(panel.title, groups, langs, end, plan.style) for panel, groups in panels),
        legend=tuple(entry for entry in plan.legend if entry.lang not in LANG_NAMES or entry.lang in langs),
        table=_table(report, plan, langs, cells),
    )


def _named(report: Report, plan: _Plan) -> Iterator[tuple[str, System]]:
    """Systems with the name of their group."""
    for system in report.systems:
        yield plan.name(system), system


def _groups(report: Report, plan: _Plan, panel: _Panel, cells: Cells) -> dict[str, Group]:
    found: dict[str, Group] = {}
    for name, system in _named(report, plan):
        rows = {
            row.label: {lang: value_of(cell.score, of_one=plan.of_one) for lang, cell in by_lang.items()}
            for row in panel.rows
            if (by_lang := cells.get((system.label, row.task, row.metric, row.split)))
        }
        task = panel.rows[0].task
        whole = cells.get((system.label, task, panel.whole, ALL), {})
        if rows or whole:
            group = Group(rows, {lang: value_of(cell.score) for lang, cell in whole.items()})
            # the same answers, judged by another, are shown once; other answers have their own group
            found[name if found.get(name, group) == group else system.label] = group
    return found


def _values(group: Group) -> list[Value]:
    return [value for by_lang in (group.whole, *group.rows.values()) for value in by_lang.values()]


def _table(report: Report, plan: _Plan, langs: tuple[str, ...], cells: Cells) -> Table:
    """The figure's numbers, a row a mark, with English minus Urdu paired by item, and what the paper has."""
    gaps = {
        (g.place.system, (g.place.dataset, g.place.kind), g.metric, g.place.split): g
        for g in report.gaps
        if (g.first, g.second) == ("en", "ur")
    }
    several = len(plan.panels) > 1 and plan.rows == "category"
    rows: dict[tuple[str, ...], tuple[str | Number | None, ...]] = {}
    for name, system in _named(report, plan):
        for panel, row in _all_rows(plan):
            key = (system.label, row.task, row.metric, row.split)
            if by_lang := cells.get(key):
                head = (name, *((panel.title,) if several else ()), row.label)
                numbers = [number_of(by_lang[lang].score) if lang in by_lang else None for lang in langs]
                gap = gaps.get(key)
                difference = _plain_difference(by_lang) if gap is None else _difference(gap)
                shown = tuple(_shown(plan, [*numbers, difference]))
                if rows.get(head, (*head, *shown)) != (*head, *shown):
                    head = (system.label, *head[1:])
                rows[head] = (*head, *shown)
    header = (plan.group, *(("measure",) if several else ()), plan.rows, *langs, "en - ur")
    paper = list(_published(report, plan, langs, several))
    notes: tuple[str, ...] = ("Values over all scored items; en - ur: over the items scored in both, paired.",)
    wanted = {(row.task, row.metric, row.split) for _, row in _all_rows(plan)}
    notes += published_note(e for e in report.published if ((e.dataset, e.kind), e.metric, e.split) in wanted)
    scale = "from 0 to 1" if plan.of_one else "in percent"
    title = f"Figure {plan.number} as a table: {plan.title.lower()}, {scale}"
    return Table(f"figure-{plan.number}", title, header, tuple(rows.values()), tuple(paper), notes)


def _all_rows(plan: _Plan) -> Iterator[tuple[_Panel, _Row]]:
    for panel in plan.panels:
        if panel.whole:
            yield panel, _Row("all", panel.rows[0].task, panel.whole)
        for row in panel.rows:
            yield panel, row


def _published(
    report: Report, plan: _Plan, langs: tuple[str, ...], several: bool
) -> Iterator[tuple[str | Number | None, ...]]:
    values: dict[tuple[str, Task, str, str], dict[str, Number]] = {}
    for entry in report.published:
        name = entry.row_name if plan.group == _PAIR else entry.system
        key = (name, (entry.dataset, entry.kind), entry.metric, entry.split)
        values.setdefault(key, {})[entry.lang] = plain(entry.metric, entry.value)
    for name in dict.fromkeys(key[0] for key in values):
        for panel, row in _all_rows(plan):
            if by_lang := values.get((name, row.task, row.metric, row.split)):
                numbers = [by_lang.get(lang) for lang in langs]
                en, ur = (by_lang[lang].value if lang in by_lang else None for lang in ("en", "ur"))
                gap = None if en is None or ur is None else Number(en - ur, signed=True)
                head = (name, *((panel.title,) if several else ()), row.label)
                yield (*head, *_shown(plan, [*numbers, gap]))


def _difference(gap: Gap) -> Number:
    return difference_of(gap.metric, gap.difference, gap.interval)


def _plain_difference(by_lang: Mapping[str, Cell]) -> Number | None:
    """English minus Urdu of a measure that is not tested, where both have as many items."""
    en, ur = (by_lang[lang].score if lang in by_lang else None for lang in ("en", "ur"))
    if en is None or ur is None or en.value is None or ur.value is None or en.n_scored != ur.n_scored:
        return None
    return difference_of(en.name, en.value - ur.value, None)


def _shown(plan: _Plan, numbers: list[Number | None]) -> list[Number | None]:
    return [number.to_one() if number is not None and plan.of_one else number for number in numbers]
