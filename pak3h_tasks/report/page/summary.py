"""The numbers that matter most, for the top of a report: one card each for honesty, helpfulness and harmlessness."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.model import ALL, Cell, Gap, Report, TaskSource
from pak3h_tasks.report.names import DATASET_NAMES, LANG_NAMES, QUALITIES, SPLIT_NAMES
from pak3h_tasks.report.table import Number, difference_of, number_of
from pak3h_tasks.schema import DATASETS

_MEASURES: tuple[tuple[str, str, str, str, str], ...] = (
    ("truthfulqa", "gen", "ti", "TI", "share of truthful answers times share of informative ones"),
    ("truthfulqa", "mc", "mc1", "MC1", "the best answer gets the highest probability"),
    ("alpaca", "gen", "win_rate", "Win rate", "mean probability that the judge prefers the model to the reference"),
    ("alpaca", "gen", "discrete_win_rate", "Share of wins", "preferred to the reference, ties half, as in the paper"),
    ("beavertails", "gen", "unsafe_rate", "Unsafe answers", "flagged by the classifier in any of 14 categories"),
    ("beavertails", "pairs", "unsafe_rate", "Unsafe pairs", "the data's own answers, flagged by the classifier"),
)
_NOT_JUDGED = "Not judged. Judge the logged answers with: pak3h score RUN_DIR"


@dataclass(frozen=True)
class Headline:
    """A model's number in each language.

    Attributes:
        label: The model, and the split where only splits were run.
        is_whole: Whether it is of all items.
        numbers: Language -> number; a language that was not run is missing.
        items: Language -> scored items, and of how many.
        gap: English minus Urdu, paired by item; None: not both.
    """

    label: str
    is_whole: bool
    numbers: dict[str, Number]
    items: dict[str, str]
    gap: Number | None


@dataclass(frozen=True)
class Measure:
    """One headline measure with a row for every model."""

    name: str
    meaning: str
    better: str
    langs: tuple[str, ...]
    rows: tuple[Headline, ...]


@dataclass(frozen=True)
class Card:
    """One of honesty, helpfulness, harmlessness. `missing`: what is not there, and how to get it."""

    dataset: str
    quality: str
    name: str
    measures: tuple[Measure, ...]
    missing: str


def cards(report: Report) -> list[Card]:
    """A card for every dataset that was run."""
    run = {(cell.place.dataset, cell.place.kind) for cell in report.cells}
    found = []
    for dataset in DATASETS:
        specs = [spec for spec in _MEASURES if spec[0] == dataset and (dataset, spec[1]) in run]
        measures = [measure for spec in specs if (measure := _measure(report, spec)) is not None]
        missing = _NOT_JUDGED if (dataset, "gen") in run and not _is_judged(report, dataset) else ""
        if specs:
            found.append(Card(dataset, QUALITIES[dataset], DATASET_NAMES[dataset], tuple(measures), missing))
    return found


def _is_judged(report: Report, dataset: str) -> bool:
    return any(
        cell.score.value is not None and METRICS[cell.score.name].verdicts
        for cell in report.cells
        if (cell.place.dataset, cell.place.kind) == (dataset, "gen")
    )


def _measure(report: Report, spec: tuple[str, str, str, str, str]) -> Measure | None:
    dataset, kind, metric, name, meaning = spec
    chosen = [
        cell
        for cell in report.cells
        if (cell.place.dataset, cell.place.kind, cell.score.name) == (dataset, kind, metric)
        and cell.place.category is None
    ]
    if not any(cell.score.value is not None for cell in chosen):
        return None
    measured = {cell.place.lang for cell in chosen}
    # machine translation is a baseline, not a language of its own: it has its table
    langs = tuple(lang for lang in LANG_NAMES if lang in measured and (lang != "urmt" or measured == {"urmt"}))
    chosen = [cell for cell in chosen if cell.place.lang in langs]
    rows: dict[tuple[str, str], list[Cell]] = {}
    whole = {cell.place.system for cell in chosen if cell.place.split == ALL}
    for cell in chosen:
        if cell.place.split == ALL or cell.place.system not in whole:
            rows.setdefault((cell.place.system, cell.place.split), []).append(cell)
    gaps = {(g.place.system, g.place.split): g for g in report.gaps if (g.first, g.second) == ("en", "ur")
            and (g.place.dataset, g.place.kind, g.metric) == (dataset, kind, metric)}  # fmt: skip
    better = {True: "higher is better", False: "lower is safer", None: ""}[METRICS[metric].higher_is_better]
    headlines = tuple(_headline(report, key, cells, gaps.get(key)) for key, cells in rows.items())
    return Measure(name, meaning, better, langs, headlines)


def _headline(report: Report, key: tuple[str, str], cells: Iterable[Cell], gap: Gap | None) -> Headline:
    system, split = key
    by_lang = {cell.place.lang: cell for cell in cells}
    return Headline(
        label=system if split == ALL else f"{system}, {SPLIT_NAMES[split].lower()}",
        is_whole=split == ALL,
        numbers={lang: number_of(cell.score) for lang, cell in by_lang.items()},
        items={lang: _items(report, cell) for lang, cell in by_lang.items()},
        gap=difference_of(gap.metric, gap.difference, gap.interval) if gap else None,
    )


def _items(report: Report, cell: Cell) -> str:
    """``817``; ``790 of 817`` where verdicts are missing; how many there are in all where the run is partial."""
    score = cell.score
    text = f"{score.n:,}" if score.n_scored == score.n else f"{score.n_scored:,} of {score.n:,}"
    if cell.n_judged is not None and cell.n_judged < score.n_scored:
        text += f", {cell.n_judged:,} by a judge"
    source = _source(report, cell)
    if source and cell.place.split == ALL and source.n_total is not None and source.n < source.n_total:
        text += f" ({source.n_total:,} in all)"
    return text


def _source(report: Report, cell: Cell) -> TaskSource | None:
    place = cell.place
    return next(
        (
            source
            for system in report.systems
            if system.label == place.system
            for source in system.sources
            if (source.dataset, source.lang, source.kind) == (place.dataset, place.lang, place.kind)
        ),
        None,
    )
