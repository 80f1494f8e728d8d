"""The paper's tables of the study itself: data (Tables 1 and 6), generators, judges and settings (Tables 2 and 8)."""

from __future__ import annotations

from pak3h_tasks.metrics.registry import Task
from pak3h_tasks.report.model import ALL, Report, System
from pak3h_tasks.report.names import DATASET_NAMES, data_title
from pak3h_tasks.report.published import PublishedData, published_data, published_data_note, published_setup
from pak3h_tasks.report.signatures import judges_of, maker_name
from pak3h_tasks.report.table import Entry, Number, Table, without_empty_columns
from pak3h_tasks.report.table_specs import LANG_ORDER
from pak3h_tasks.schema import DATASETS

_ORDER = ("lc", "dt", "li")
"""As Table 1 has them."""
_DATA_NOTES = (
    "Items of the largest run of each data set; PakBeaverTails in pairs where pairs were moderated, else in prompts.",
    "Agreement: share of items with a majority of the annotators, in percent; pairwise: of annotator pairs that agree.",
    "Both are read from agreement.json of pak3h localise agree, where it is among the paths given.",
)
_SETTINGS = ("temperature", "max_tokens", "few-shot examples")


def study_tables(report: Report, *, long: bool = True) -> list[Table]:
    """Those that have a measured row.

    Args:
        report: The report.
        long: With generators, judges and settings.
    """
    found = [_data(report), _kappa(report), *([_setup(report), _settings(report)] if long else [])]
    return [table for table in found if table.rows]


def _data(report: Report) -> Table:
    """Items of each dataset by label, with how far annotators agreed on the labels."""
    counts = _counts(report)
    agreed = {one.dataset: one for one in report.labelling}
    rows: list[tuple[Entry, ...]] = []
    for dataset in DATASETS:
        if of := counts.get(dataset):
            one = agreed.get(dataset)
            share = None if one is None or one.agreement is None else Number(100 * one.agreement)
            pairwise = None if one is None or one.pairwise is None else Number(100 * one.pairwise)
            rows.append((DATASET_NAMES[dataset], *(of.get(s, 0) for s in _ORDER), of[ALL], share, pairwise))
    if len(rows) > 1:
        rows.append(("total", *(sum(of.get(s, 0) for of in counts.values()) for s in (*_ORDER, ALL)), None, None))
    paper: list[tuple[Entry, ...]] = [
        (DATASET_NAMES[one.dataset], *(one.splits[s] for s in _ORDER), one.total, Number(100 * one.agreement), None)
        for one in _published()
    ]
    paper.append(("total", *(sum(one.splits[s] for one in _published()) for s in _ORDER), _total(), None, None))
    header = ("data set", *(split.upper() for split in _ORDER), "total", "agreement", "pairwise")
    table = Table(
        "data", "Data by label (as Table 1)", header, tuple(rows), tuple(paper), (*_DATA_NOTES, *published_data_note())
    )
    return without_empty_columns(table, keep=header[:6])


def _counts(report: Report) -> dict[str, dict[str, int]]:
    """Dataset -> split -> items, of the run that has most; pairs before prompts."""
    found: dict[str, dict[str, int]] = {}
    kinds: dict[str, dict[str, dict[str, int]]] = {}
    for cell in report.cells:
        place = cell.place
        if place.category is None and place.dataset in DATASETS and place.lang in LANG_ORDER:
            of = kinds.setdefault(place.dataset, {}).setdefault(place.kind, {})
            of[place.split] = max(of.get(place.split, 0), cell.score.n)
    for dataset, by_kind in kinds.items():
        chosen = by_kind.get("pairs") or max(by_kind.values(), key=lambda of: of.get(ALL, 0))
        parts = {split: n for split, n in chosen.items() if split != ALL}
        found[dataset] = {**parts, ALL: chosen.get(ALL) or sum(parts.values())}
    return found


def _kappa(report: Report) -> Table:
    rows = tuple(
        (DATASET_NAMES[one.dataset], None if one.kappa is None else f"{one.kappa:.3f}", one.items)
        for one in report.labelling
    )
    paper = tuple((DATASET_NAMES[one.dataset], f"{one.kappa:.3f}", None) for one in _published())
    header = ("data set", "Fleiss' kappa", "items labelled")
    notes = ("Of the labels DT, LC and LI before any majority.", "Published values: Table 6.")
    return Table("kappa", "Agreement of the annotators (as Table 6)", header, rows, paper, notes)


def _published() -> list[PublishedData]:
    found = {one.dataset: one for one in published_data()}
    return [found[dataset] for dataset in DATASETS]


def _total() -> int:
    return sum(one.total for one in published_data())


def _setup(report: Report) -> Table:
    """Who answered and who judged, a row a generator, dataset and judge."""
    rows: dict[tuple[Entry, ...], dict[str, None]] = {}
    for system in report.systems:
        for source in system.sources:
            judges = judges_of(system, (source.dataset, source.kind))
            key = (data_title(source.dataset, source.kind), system.generator, " + ".join(judges) or None)
            rows.setdefault(key, {})[source.lang] = None
    for place in dict.fromkeys(cell.place for cell in report.cells if cell.place.kind == "pairs"):
        signature = next(cell.score.signature for cell in report.cells if cell.place == place)
        key = (data_title(place.dataset, place.kind), place.system, maker_name(signature))
        rows.setdefault(key, {})[place.lang] = None
    measured = [
        (*key, ", ".join(sorted(langs, key=lambda lang: LANG_ORDER.get(lang, 9))), None) for key, langs in rows.items()
    ]
    paper = [
        (
            data_title(one.dataset, one.kind),
            one.generator or None,
            one.judge,
            None,
            one.making,
        )
        for one in published_setup()
    ]
    header = ("data set", "generator", "judge or classifier", "languages", "library and definition")
    notes = ("Read from the signatures of the numbers; prompts and versions: below each table, and Table 8.",)
    return Table("setup", "Generators and judges (as Table 2)", header, tuple(measured), tuple(paper), notes)


def _settings(report: Report) -> Table:
    """Settings of generators, and what judged them, in full."""
    rows: dict[tuple[Entry, ...], None] = {}
    for system in report.systems:
        for task in dict.fromkeys((source.dataset, source.kind) for source in system.sources):
            rows[_setting(system, task)] = None
    paper = tuple(
        (one.generator, DATASET_NAMES[one.dataset], *(one.settings.get(name) for name in _SETTINGS), one.judge)
        for one in published_setup()
        if one.generator
    )
    header = ("generator", "data set", *_SETTINGS, "judged by")
    notes = (
        "max_tokens: the longest answer that was asked for; -: the run does not say, as of answers made elsewhere.",
        "Published values: the set-up of the experiments; judge: AlpacaEval's default configuration.",
    )
    return Table("settings", "Settings (as Table 8)", header, tuple(rows), paper, notes)


def _setting(system: System, task: Task) -> tuple[Entry, ...]:
    sources = [source for source in system.sources if (source.dataset, source.kind) == task]

    def said(*names: str) -> str | None:
        values = dict.fromkeys(source.settings[name] for source in sources for name in names if name in source.settings)
        return " / ".join(values) or None

    judged = dict.fromkeys(one for source in sources for made_by in source.made_by.values() for one in made_by)
    makers = "; ".join(judged) or None
    return (
        system.generator,
        data_title(*task),
        said("temperature"),
        said("max_gen_toks", "max_tokens"),
        said("few-shot examples"),
        makers,
    )
