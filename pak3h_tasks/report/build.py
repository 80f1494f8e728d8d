"""From run folders to a `Report`: read, choose, count, compare."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from pak3h_tasks import __version__
from pak3h_tasks.data.load import SAMPLE_NOTICE
from pak3h_tasks.data.moderation_file import is_moderation_file
from pak3h_tasks.data.sample_log import Run, find_runs
from pak3h_tasks.data.sample_log_names import parse_log_name
from pak3h_tasks.errors import DataError
from pak3h_tasks.progress import watched
from pak3h_tasks.report.gaps import gaps
from pak3h_tasks.report.labelling import labelling_files, read_labelling
from pak3h_tasks.report.model import Cell, Gap, Labelling, Place, Report
from pak3h_tasks.report.model_names import models_of, named, without_folders
from pak3h_tasks.report.moderation_cells import pair_cells
from pak3h_tasks.report.published import published
from pak3h_tasks.report.run_choice import LoadedSystem, base_label, load_systems
from pak3h_tasks.report.scores import Options, score_cells

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
    return report_of(load(paths, by_run=by_run), options or Options(), now)


@dataclass(frozen=True)
class LoadedInputs:
    """What was read, kept so that a page can show samples too.

    Attributes:
        systems: Models.
        moderated: Outputs of `pak3h moderate`.
        notices: What was said while reading.
        labelling: Agreement of annotators, from `pak3h localise agree`.
    """

    systems: tuple[LoadedSystem, ...]
    moderated: tuple[Path, ...]
    notices: tuple[str, ...]
    labelling: tuple[Labelling, ...] = ()


def load(paths: Sequence[Path | str], *, by_run: bool = False, beside: Sequence[Path | str] = ()) -> LoadedInputs:
    """Read runs and moderation files.

    Args:
        paths: Run folders, results files, sample logs, moderation files.
        by_run: Make every run a system of its own.
        beside: What is shown together with these, so that its models have other names.

    Raises:
        DataError: A path is unusable, or there is nothing of Pak3H in any of them.
    """
    notices: list[str] = []
    labelled = dict.fromkeys(file for path in paths for file in labelling_files(Path(path)))
    runs, moderated = _find_inputs([Path(path) for path in paths], list(labelled), notices.append)
    others = _find_inputs([Path(path) for path in beside], [], lambda _: None)[0] if beside else []
    loaded = load_runs(named(runs, notices.append, others), by_run=by_run)
    return LoadedInputs(
        loaded.systems,
        tuple(moderated),
        tuple(dict.fromkeys([*_passed_on(notices, paths, runs), *loaded.notices])),
        read_labelling(list(labelled)),
    )


def runs_by_model(paths: Sequence[Path | str], *, by_run: bool = False) -> tuple[list[list[Run]], tuple[str, ...]]:
    """The runs in lists that `load_runs` can read one by one, as `load` reads all, and what was said of them.

    Args:
        paths: As for `load`.
        by_run: Likewise.

    Raises:
        DataError: A path is unusable, or there is nothing of Pak3H in any of them.
    """
    notices: list[str] = []
    runs, _ = _find_inputs([Path(path) for path in paths], [], notices.append)
    found: dict[str, list[Run]] = {}
    for run in named(runs, notices.append):
        found.setdefault(base_label(run, by_run), []).append(run)
    return list(found.values()), tuple(_passed_on(notices, paths, runs))


def load_runs(runs: Sequence[Run], *, by_run: bool = False) -> LoadedInputs:
    """As `load`, of runs that are known."""
    notices: list[str] = []
    systems = load_systems(runs, notices.append, by_run=by_run)
    if any(name.startswith("sample@") for found in systems for source in found.system.sources for name in source.data):
        notices.insert(0, SAMPLE_NOTICE)
    roots = [run.root or run.folder.parent for run in runs]
    return LoadedInputs(tuple(systems), (), tuple(dict.fromkeys(_passed_on(notices, roots, runs))))


def _passed_on(notices: Sequence[str], given: Sequence[Path | str], runs: Sequence[Run]) -> Iterator[str]:
    """Notices as pages and files may hold them: files named from the folders that were given."""
    roots = {path.absolute() if path.is_dir() else path.absolute().parent for path in map(Path, given)}
    models = models_of(runs)
    return (without_folders(notice, roots, models) for notice in notices)


def _find_inputs(
    paths: Sequence[Path], labelled: Sequence[Path], warn: Callable[[str], None]
) -> tuple[list[Run], list[Path]]:
    """Runs as `find_runs` gives them, and moderation files by name, below folders and among files."""
    moderated = sorted(dict.fromkeys(file for path in paths for file in _moderation_files(path)))
    known = [*moderated, *labelled]
    others = [path for path in paths if path.is_dir() or path not in known]
    # a folder of a localisation holds no runs
    others = [path for path in others if not any(path in file.parents for file in labelled) or list(_logs(path))]
    if not others and known:
        return [], moderated
    try:
        return find_runs(others, warn), moderated
    except DataError:
        # a folder with nothing but moderation files is no mistake; a path that does not exist is
        if moderated and all(path.is_dir() for path in others):
            return [], moderated
        raise


def _logs(folder: Path) -> Iterator[Path]:
    yield from folder.rglob("samples_*.jsonl")
    yield from folder.rglob("results_*.json")


def _moderation_files(path: Path) -> Iterator[Path]:
    if path.is_file():
        if parse_log_name(path.name) is None and is_moderation_file(path):
            yield path
        return
    for folder, _, names in os.walk(path):
        for name in names:
            file = Path(folder) / name
            if name.endswith(".jsonl") and parse_log_name(name) is None and is_moderation_file(file):
                yield file


def report_of(inputs: LoadedInputs, options: Options, now: datetime | None = None) -> Report:
    """The report of what was read."""
    notices = list(inputs.notices)
    systems = watched(inputs.systems, "values and intervals", unit="model")
    pairs, pair_gaps = pair_cells(inputs.moderated, notices.append, options.threshold)
    return Report(
        created=(now or datetime.now(timezone.utc)).isoformat(timespec="seconds"),
        package=f"pak3h-tasks {__version__}",
        systems=tuple(found.system for found in inputs.systems),
        cells=(*(cell for found in systems for cell in cells(found, options)), *pairs),
        gaps=(*(gap for found in inputs.systems for gap in language_gaps(found, notices.append)), *pair_gaps),
        published=published(),
        labelling=inputs.labelling,
        notices=tuple(dict.fromkeys(notices)),
    )


def cells(found: LoadedSystem, options: Options) -> Iterator[Cell]:
    """Every number of one model: of its items, and lm-eval's own totals where there are none."""
    for loaded in found.loaded.values():
        yield from score_cells(loaded.items, found.system.label, loaded.package, options)
    yield from found.aggregates


def language_gaps(found: LoadedSystem, warn: Callable[[str], None]) -> Iterator[Gap]:
    """Paired differences between the languages of one model.

    Args:
        found: The model.
        warn: Told where a language has items that the other lacks.
    """
    for dataset, kind in dict.fromkeys((dataset, kind) for dataset, _, kind in found.loaded):
        for first, second in LANGUAGE_PAIRS:
            one, other = (found.loaded.get((dataset, lang, kind)) for lang in (first, second))
            if one is not None and other is not None:
                n, shared = (one.items.n, other.items.n), len(set(one.items.ids) & set(other.items.ids))
                if shared < min(n):
                    warn(
                        f"{found.system.label}: {dataset} {kind}: {first} has {n[0]:,} items and {second} {n[1]:,}, "
                        f"but only {shared:,} ids are in both; their gap is of these alone"
                    )
                place = Place(found.system.label, dataset, first, kind)
                yield from gaps(one.items, other.items, place, (first, second))
