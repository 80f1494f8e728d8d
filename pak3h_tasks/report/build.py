"""From run folders to a `Report`: read, choose, count, compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path

from pak3h_tasks import __version__
from pak3h_tasks.data.sample_log import find_runs
from pak3h_tasks.report.gaps import gaps
from pak3h_tasks.report.model import Cell, Gap, Place, Report
from pak3h_tasks.report.published import published
from pak3h_tasks.report.scores import Options, score_cells
from pak3h_tasks.report.systems import LoadedSystem, load_systems

LANGUAGE_PAIRS: tuple[tuple[str, str], ...] = (("en", "ur"), ("ur", "urmt"))
"""Compared within a model: English minus Urdu, and human-edited minus machine-translated Urdu."""


def build_report(
    paths: Sequence[Path | str],
    options: Options | None = None,
    *,
    by_run: bool = False,
    now: datetime | None = None,
) -> Report:
    """Everything a report shows, from what lm-eval, `pak3h score` and `pak3h moderate` wrote.

    Args:
        paths: Run folders, results files, sample logs.
        options: What to leave out; default: nothing.
        by_run: Make every run a column of its own, also of the same model.
        now: Time to put on it; default: the present.

    Raises:
        DataError: A path is unusable, or there is nothing of Pak3H in any of them.
    """
    notices: list[str] = []
    systems = load_systems(find_runs(paths, notices.append), notices.append, by_run=by_run)
    return report_of(systems, notices, options or Options(), now)


def report_of(
    systems: Sequence[LoadedSystem], notices: Sequence[str], options: Options, now: datetime | None = None
) -> Report:
    """The report of systems already read (so that a page can show their samples too)."""
    return Report(
        created=(now or datetime.now(timezone.utc)).isoformat(timespec="seconds"),
        package=f"pak3h-tasks {__version__}",
        systems=tuple(found.system for found in systems),
        cells=tuple(cell for found in systems for cell in _cells(found, options)),
        gaps=tuple(gap for found in systems for gap in language_gaps(found)),
        published=published(),
        notices=tuple(dict.fromkeys(notices)),
    )


def _cells(found: LoadedSystem, options: Options) -> Iterator[Cell]:
    for loaded in found.loaded.values():
        yield from score_cells(loaded.columns, found.system.label, loaded.package, options)
    yield from found.aggregates


def language_gaps(found: LoadedSystem) -> Iterator[Gap]:
    """Paired differences between the languages of one model."""
    for dataset, kind in dict.fromkeys((dataset, kind) for dataset, _, kind in found.loaded):
        for first, second in LANGUAGE_PAIRS:
            one, other = (found.loaded.get((dataset, lang, kind)) for lang in (first, second))
            if one is not None and other is not None:
                place = Place(found.system.label, dataset, first, kind)
                yield from gaps(one.columns, other.columns, place, (first, second))
