"""What was measured, on which data, judged by what, and where each number of a report comes from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.model import Report, TaskSource
from pak3h_tasks.report.names import DATASET_NAMES, KIND_NAMES, LANG_NAMES
from pak3h_tasks.report.signatures import maker_name
from pak3h_tasks.schema import DATASETS


@dataclass(frozen=True)
class SummaryLine:
    """A line of "what was measured": its name and its values."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class SourceView:
    """A source with what the page calls it."""

    title: str
    source: TaskSource


def summary_lines(report: Report) -> list[SummaryLine]:
    """Models, data and judges, each named once."""
    sources = [source for system in report.systems for source in system.sources]
    found = [
        SummaryLine("Models", tuple(system.label for system in report.systems)),
        SummaryLine("Data", tuple(_data(sources))),
        SummaryLine("Judged by", tuple(_judges(sources)) or (_no_judges(report),)),
        SummaryLine("Run", tuple(filter(None, ["; ".join(_runs(sources))]))),
    ]
    return [fact for fact in found if fact.values]


def _no_judges(report: Report) -> str:
    judged = any(cell.score.value is not None and METRICS[cell.score.name].verdicts for cell in report.cells)
    return "not known: there are no sample logs" if judged else "nothing: no verdicts in these runs"


def is_sample(report: Report) -> bool:
    """Whether any number is of the embedded sample."""
    return any("data:sample@" in cell.score.signature for cell in report.cells)


def _data(sources: Iterable[TaskSource]) -> list[str]:
    found: dict[str, dict[str, None]] = {}
    for source in sources:
        for name in source.data:
            found.setdefault(f"{DATASET_NAMES[source.dataset]} {name}", {})[LANG_NAMES[source.lang]] = None
    return [
        f"{name} ({', '.join(sorted(langs, key=list(LANG_NAMES.values()).index))})" for name, langs in found.items()
    ]


def _judges(sources: Iterable[TaskSource]) -> list[str]:
    found: dict[str, dict[str, None]] = {}
    for source in sources:
        for verdict, signatures in source.made_by.items():
            for signature in signatures:
                served = [name for name in source.served.get(verdict, ()) if name not in signature]
                maker = maker_name(signature) + (f", served as {' and '.join(served)}" if served else "")
                found.setdefault(maker, {})[verdict] = None
    return [f"{maker} ({', '.join(verdicts)})" for maker, verdicts in found.items()]


def _runs(sources: Iterable[TaskSource]) -> list[str]:
    found: dict[str, dict[str, None]] = {}
    for source in sources:
        for name, value in source.settings.items():
            found.setdefault(name, {})[value] = None
    # versions of tasks differ by task; they stand where each number's making does
    return [f"{name} {' / '.join(values)}" for name, values in found.items() if name != "task version"]


def sources_by_model(report: Report) -> list[tuple[str, list[SourceView]]]:
    """Every source as "how it was made" shows it, English first."""
    datasets, langs = [str(name) for name in DATASETS], list(LANG_NAMES)

    def place(source: TaskSource) -> tuple[int, str, int]:
        return datasets.index(source.dataset), source.kind, langs.index(source.lang)

    return [
        (system.label, [_view(source) for source in sorted(system.sources, key=place)]) for system in report.systems
    ]


def _view(source: TaskSource) -> SourceView:
    names = (DATASET_NAMES[source.dataset], KIND_NAMES.get(source.kind, source.kind), LANG_NAMES[source.lang])
    items = f"{source.n:,}" + (f" of {source.n_total:,}" if source.n_total and source.is_partial else "")
    return SourceView(f"{', '.join(names)}: {items} items", source)
