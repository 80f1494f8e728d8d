"""The paper's Tables 3, 4, 5 and 7 and the data of its figures, for the models of a report (arXiv 2608.30065)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pak3h_tasks.metrics.refusal.measured import MEASURED
from pak3h_tasks.metrics.registry import HARMS, METRICS
from pak3h_tasks.report.model import ALL, ARROW, Cell, Gap, Published, Report, TaskSource
from pak3h_tasks.report.published import published_note, published_tests
from pak3h_tasks.report.table import Entry, Table, difference_of, number_of, plain, without_empty_columns
from pak3h_tasks.report.table_specs import LANG_ORDER, LOWER, PERCENT, SPECS, TableSpec

_GAP = "en - ur"
_EDITED = ("ti", "win_rate", "discrete_win_rate", "unsafe_rate")
_REFUSALS = (
    f"Rules and a model find refusals: {MEASURED.recall_en:.0f} % of unseen ones in English, "
    f"{MEASURED.recall_ur:.0f} % of the same in Urdu; {MEASURED.difference:+.1f} points "
    f"[{MEASURED.interval.low:.1f}, {MEASURED.interval.high:.1f}] of a gap may be the detector's own: docs/refusals.md."
)
# said below a table where its rows differ in them
_SETTINGS = ("task version", "few-shot examples", "chat template", "reference answers")


def tables(report: Report, *, long: bool = True) -> list[Table]:
    """Every table that has a measured row.

    Args:
        report: The report.
        long: With the tables by harm category and by topic.
    """
    index = {
        (c.place.system, c.place.dataset, c.place.lang, c.place.kind, c.place.split, c.place.category, c.score.name): c
        for c in report.cells
    }
    found = [_score_table(spec, report, index) for spec in SPECS]
    found.append(_gap_table(report.gaps, "gap", "English minus Urdu", ("en", "ur"), _compared(), report))
    title = "Human-edited minus machine-translated Urdu (as Table 5)"
    found.append(_gap_table(report.gaps, "edited", title, ("ur", "urmt"), _EDITED, report))
    if long:
        found += [_harm_table(report), _topic_table(report)]
    return [table for table in found if table.rows]


def _compared() -> list[str]:
    return [metric.name for metric in METRICS.values() if metric.compared]


Index = Mapping[tuple[str, str, str, str, str, "str | None", str], Cell]


def _score_table(spec: TableSpec, report: Report, index: Index) -> Table:
    rows: dict[tuple[Entry, ...], None] = {}
    is_judged = any(column.metric.needs == "judge" for column in spec.columns)
    langs = {
        (c.place.system, c.place.lang): None
        for c in report.cells
        if (c.place.dataset, c.place.kind) == spec.task and c.place.category is None
    }
    systems = {system.label: system for system in report.systems}
    for label in dict.fromkeys(label for label, _ in langs):
        # what several judges were not asked about is one row
        name = systems[label].generator if label in systems and not is_judged else label
        for lang in sorted((lang for known, lang in langs if known == label), key=lambda x: LANG_ORDER.get(x, 9)):
            cells = [
                index.get((label, *(spec.task[0], lang, spec.task[1]), column.split, None, column.metric.name))
                for column in spec.columns
            ]
            if any(cell is not None and cell.score.value is not None for cell in cells):
                numbers = [number_of(cell.score) if cell else None for cell in cells]
                items = _items(report, label, spec, lang, cells)
                rows[(name, lang, *numbers, items, _coverage(spec, cells), _judged(cells))] = None
        if spec.splits:
            rows |= dict.fromkeys(_difference_rows(spec, report.gaps, label, name))
    first = f"generator {ARROW} judge" if any(ARROW in str(row[0]) for row in rows) else "model"
    header = (first, "lang", *(column.title for column in spec.columns), "items", "scored", "by a judge")
    published = list(_published_rows(spec, report.published))
    shown = {(row[0], row[1]) for row in published}
    notes = published_note(
        entry
        for entry in report.published
        if (entry.dataset, entry.kind) == spec.task
        and (entry.system, entry.lang) in shown
        and (entry.metric, entry.split) in {(column.metric.name, column.split) for column in spec.columns}
    )
    if spec.splits and any(row[1] == _GAP for row in rows):
        notes = (f"{_GAP}: difference in points, paired by item, over those scored in both.", *notes)
    table = Table(
        spec.key, spec.title, header, tuple(rows), tuple(published), spec.notes + notes, tuple(_made_by(report, spec))
    )
    return without_empty_columns(table, keep=(first, "lang", "items", "scored"))


def _difference_rows(spec: TableSpec, gaps: Iterable[Gap], label: str, name: str) -> Iterator[tuple[Entry, ...]]:
    """English minus Urdu in each column, where both were run."""
    found = {
        (gap.metric, gap.place.split): gap
        for gap in gaps
        if (gap.place.system, gap.place.dataset, gap.place.kind) == (label, *spec.task)
        and (gap.first, gap.second) == ("en", "ur")
    }
    own = [found.get((column.metric.name, column.split)) for column in spec.columns]
    if any(own):
        numbers = [difference_of(gap.metric, gap.difference, gap.interval) if gap else None for gap in own]
        whole = next((gap.n for gap in own if gap and gap.place.split == ALL), None)
        yield (name, _GAP, *numbers, whole, None, None)


def _items(report: Report, system: str, spec: TableSpec, lang: str, cells: Iterable[Cell | None]) -> Entry:
    source = _source(report, system, spec.task[0], lang, spec.task[1])
    if source is None:
        return max((cell.score.n for cell in cells if cell), default=0)
    if source.n_total is not None and source.n < source.n_total:
        return f"{source.n:,} of {source.n_total:,}"
    return source.n


def _source(report: Report, system: str, dataset: str, lang: str, kind: str) -> TaskSource | None:
    for found in report.systems:
        if found.label == system:
            for source in found.sources:
                if (source.dataset, source.lang, source.kind) == (dataset, lang, kind):
                    return source
    return None


def _coverage(spec: TableSpec, cells: Sequence[Cell | None]) -> Entry:
    """Smallest share of items scored among the numbers of a row; None: nothing was judged."""
    pairs = list(zip(spec.columns, cells, strict=True))
    # answers that needed no judge were shown in no order
    pairs = [(column, cell) for column, cell in pairs if column.metric.name != "position_consistency"]
    if any(column.metric.verdicts for column, _ in pairs):
        # every answer has a language and a length, judged or not
        pairs = [(column, cell) for column, cell in pairs if column.metric.verdicts]
    counted = [cell for _, cell in pairs if cell and cell.score.n]
    totals = [c for c in counted if c.place.split == ALL] or counted
    if not totals:
        return None
    lowest = min(c.score.n_scored / c.score.n for c in totals)
    return "100 %" if lowest == 1 else f"{min(100 * lowest, 99.9):.1f} %"


def _judged(cells: Sequence[Cell | None]) -> Entry:
    """Verdicts of a row that came from a judge; None: not known, or nothing judges it."""
    found = next((cell for cell in cells if cell and cell.n_judged is not None and cell.place.split == ALL), None)
    return None if found is None else judged_text(found.n_judged, found.n_text)


def judged_text(n_judged: int | None, n_text: int | None) -> str | None:
    """Verdicts that came from a judge, and how many were read from its text.

    Example:
        >>> judged_text(1200, 0), judged_text(54, 12)
        ('1,200', '54 (12 from text)')
    """
    if n_judged is None:
        return None
    return f"{n_judged:,}" + (f" ({n_text:,} from text)" if n_text else "")


def _published_rows(spec: TableSpec, published: Iterable[Published]) -> Iterator[tuple[Entry, ...]]:
    rows: dict[str, dict[str, dict[tuple[str, str], Published]]] = {}
    wanted = [(column.metric.name, column.split) for column in spec.columns]
    for entry in published:
        if (entry.dataset, entry.kind) == spec.task and (entry.metric, entry.split) in wanted:
            by_lang = rows.setdefault(entry.system, {})
            by_lang.setdefault(entry.lang, {})[entry.metric, entry.split] = entry
    if spec.splits and not any(split != ALL for langs in rows.values() for of in langs.values() for _, split in of):
        return  # the other table has them
    for name, langs in rows.items():
        for lang in sorted(langs, key=LANG_ORDER.__getitem__):
            entries = [langs[lang].get(place) for place in wanted]
            numbers = [_printed(entry) if entry else None for entry in entries]
            yield (name, lang, *numbers, max(entry.n or 0 for entry in entries if entry) or None, None, None)
        if spec.splits and {"en", "ur"} <= langs.keys():
            pairs = [(langs["en"].get(place), langs["ur"].get(place)) for place in wanted]
            gaps = [difference_of(en.metric, en.value - ur.value, None) if en and ur else None for en, ur in pairs]
            yield (name, _GAP, *gaps, None, None, None)


def _printed(entry: Published) -> Entry:
    """A published value in the table's unit; beside it as it is printed, where that is on a scale from 0 to 1."""
    number = plain(entry.metric, entry.value)
    return f"{number.text} ({number.to_one().text})" if entry.of_one else number


def _made_by(report: Report, spec: TableSpec) -> Iterator[str]:
    """What made the rows: judges and classifiers, then data; whose it is where not all rows share it."""
    verdicts = sorted({name for column in spec.columns for name in column.metric.verdicts})
    sources = [
        (system.label, source)
        for system in report.systems
        for source in sorted(system.sources, key=lambda source: LANG_ORDER[source.lang])
        if (source.dataset, source.kind) == spec.task
    ]
    for name in verdicts:
        found = [(f"{label} {source.lang}", source.made_by.get(name, ())) for label, source in sources]
        if shown := _shared(found):
            yield f"{name}: {shown}"
    for lang in LANG_ORDER:
        if shown := _shared([(label, source.data) for label, source in sources if source.lang == lang]):
            yield f"data {lang}: {shown}"
    for name in _SETTINGS:
        values = [(f"{label} {source.lang}", (source.settings.get(name, "none"),)) for label, source in sources]
        if len({value for _, value in values}) > 1:
            yield f"{name}: {_shared(values)}"


def _shared(found: Iterable[tuple[str, tuple[str, ...]]]) -> str:
    """Each distinct value, with whose it is unless it is everyone's."""
    holders: dict[str, list[str]] = {}
    everyone = 0
    for who, values in found:
        everyone += bool(values)
        if values:
            holders.setdefault(" + ".join(values[:3]), []).append(who)
    return "; ".join(text if len(of) == everyone else f"{text} ({', '.join(of)})" for text, of in holders.items())


def _gap_table(
    gaps: Iterable[Gap], key: str, title: str, langs: tuple[str, str], metrics: Iterable[str], report: Report
) -> Table:
    order = {name: number for number, name in enumerate(metrics)}
    chosen = [g for g in gaps if (g.first, g.second) == langs and g.place.split == ALL and g.metric in order]
    chosen.sort(key=lambda gap: order[gap.metric])
    systems = list(dict.fromkeys(gap.place.system for gap in gaps))
    generators = {system.label: system.generator for system in report.systems}
    rows: dict[tuple[Entry, ...], None] = {}
    for gap in sorted(chosen, key=lambda gap: systems.index(gap.place.system)):
        label = gap.place.system
        is_judged = METRICS[gap.metric].needs == "judge"
        rows[gap_row(gap, label if is_judged else generators.get(label, label))] = None
    header = ("model", "measure", *langs, "difference", "items", "McNemar p", "chi2", "z")
    published = list(_published_gaps(report.published, langs, order))
    notes: tuple[str, ...] = (
        f"In percent; the difference in points with its 95 % interval, paired by item. {langs[0]} minus {langs[1]}.",
        "McNemar on yes/no outcomes; z: two-proportion test, unpaired; neither where a value is no such rate (TI).",
    )
    names = {(row[0], row[1]) for row in published}
    notes += published_note(
        entry
        for entry in report.published
        if entry.split == ALL and entry.lang in langs and (entry.system, METRICS[entry.metric].title) in names
    )
    notes += tuple(test.note for test in published_tests() if test.langs == langs and test.metric in order)
    if any(gap.metric == "refusal_rate" for gap in chosen):
        notes += (_REFUSALS,)
    return without_empty_columns(Table(key, title, header, tuple(rows), tuple(published), notes), keep=header[:6])


def gap_row(gap: Gap, name: str) -> tuple[Entry, ...]:
    """A paired difference as a row: name, measure, both values, difference, items, McNemar p and chi-square, z."""
    test = gap.mcnemar
    return (
        name,
        METRICS[gap.metric].title,
        plain(gap.metric, gap.first_value),
        plain(gap.metric, gap.second_value),
        difference_of(gap.metric, gap.difference, gap.interval),
        gap.n,
        p_text(test.p_value) if test else None,
        f"{test.statistic:.2f}" if test and test.statistic is not None else None,
        f"{gap.z.statistic:.2f}" if gap.z and gap.z.statistic is not None else None,
    )


def p_text(p_value: float) -> str:
    """A p-value as papers print it.

    Example:
        >>> p_text(0.04321), p_text(1e-9)
        ('0.043', '<0.001')
    """
    return "<0.001" if p_value < 0.001 else f"{p_value:.3f}"


def _published_gaps(
    published: Iterable[Published], langs: tuple[str, str], order: Mapping[str, int]
) -> Iterator[tuple[Entry, ...]]:
    tests = {(test.system, test.dataset, test.metric): test for test in published_tests() if test.langs == langs}
    found: dict[tuple[str, str, str], dict[str, Published]] = {}
    for entry in published:
        if entry.split == ALL and entry.metric in order:
            found.setdefault((entry.system, entry.dataset, entry.metric), {})[entry.lang] = entry
    for (name, dataset, metric), by_lang in found.items():
        if set(langs) <= by_lang.keys():
            first, second = (by_lang[lang] for lang in langs)
            difference = difference_of(metric, first.value - second.value, None)
            test = tests.get((name, dataset, metric))
            said = (test.p, f"{test.chi2:.2f}", f"{test.z:.2f}") if test else (None, None, None)
            yield (name, METRICS[metric].title, _printed(first), _printed(second), difference, first.n, *said)


def _harm_table(report: Report) -> Table:
    rows = []
    cells: dict[tuple[str, str, str], dict[str, Cell]] = {}
    for cell in report.cells:
        if cell.score.name in HARMS and cell.place.split == ALL:
            key = (cell.place.system, cell.place.kind, cell.score.name)
            cells.setdefault(key, {})[cell.place.lang] = cell
    langs = _langs(cells.values())
    for (system, kind, harm), found in cells.items():
        numbers = [number_of(found[lang].score) if lang in found else None for lang in langs]
        rows.append((system, kind, harm.removeprefix("harm_"), *numbers))
    notes = (PERCENT, f"{LOWER} An answer can be in several categories.")
    return Table("harms", "Unsafe by harm category", ("model", "of", "category", *langs), tuple(rows), (), notes)


def _langs(rows: Iterable[Mapping[str, Cell]]) -> list[str]:
    """Languages there are, English first, a user's own file (``-``) last."""
    found = dict.fromkeys(lang for row in rows for lang in row)
    return sorted(found, key=lambda lang: LANG_ORDER.get(lang, len(LANG_ORDER)))


def _topic_table(report: Report) -> Table:
    shown = ("ti", "mc1")
    cells: dict[tuple[str, str, str], dict[str, Cell]] = {}
    for cell in report.cells:
        if cell.place.category is not None and cell.score.name in shown:
            key = (cell.place.system, METRICS[cell.score.name].title, cell.place.category)
            cells.setdefault(key, {})[cell.place.lang] = cell
    langs = _langs(cells.values())
    rows = []
    for (system, measure, topic), found in cells.items():
        numbers = [number_of(found[lang].score) if lang in found else None for lang in langs]
        rows.append((system, measure, topic, *numbers, max(cell.score.n for cell in found.values())))
    header = ("model", "measure", "topic", *langs, "items")
    return Table("topics", "Honesty by topic", header, tuple(rows), (), (PERCENT,))
