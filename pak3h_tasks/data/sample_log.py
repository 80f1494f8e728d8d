"""Runs as lm-eval wrote them: results files, their sample logs, and our spools (lm-eval 0.4.13, evaluation_tracker.py).

Layout, for ``--output_path DIR --log_samples``: ``DIR/{model}/results_{date}.json`` and, beside it,
``samples_{task}_{date}.jsonl``; with ``--output_path DIR/name.json`` the results are ``DIR/name_{date}.json``. What
`pak3h score` adds has ``_scored-{slug}`` behind the date and is a run of its own. A spool is sample logs alone.
"""

from __future__ import annotations

import json
import logging
import math
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from pak3h_tasks.data.sample_log_names import LogName, TaskIdentity, identify, is_spool_folder, parse_log_name
from pak3h_tasks.errors import DataError
from pak3h_tasks.files import unusable
from pak3h_tasks.schema import LANGS, SPLITS

Warn = Callable[[str], None]
_log = logging.getLogger("pak3h")

_ADVICE = "give the folder that lm_eval wrote with --output_path FOLDER --log_samples"


@dataclass(frozen=True)
class TaskLog:
    """The sample log of one of our tasks.

    Attributes:
        name: The task's name.
        path: Its sample log; `rows` reads it anew each time.
        identity: Which dataset, language, kind and split it is.
        config: The task's entry in the results file's ``configs``; empty for a spool.
    """

    name: str
    path: Path
    identity: TaskIdentity
    config: dict[str, Any] = field(default_factory=dict, repr=False)

    def rows(self, warn: Warn = _log.warning, read: Callable[[int], None] = lambda _: None) -> Iterator[dict[str, Any]]:
        """Rows in file order, one at a time; ``row["doc"]`` is one of our documents.

        Args:
            warn: Told, in one line each, of a last line cut off by a crash, unreadable lines and rows of other tasks.
            read: Told the bytes of each line.

        Raises:
            DataError: The file cannot be read.
        """
        return _rows(self.path, warn, read)


@dataclass(frozen=True)
class Run:
    """One results file with its sample logs, or sample logs alone.

    Attributes:
        folder: Where the files are.
        path: The results file; None for a spool, or where it is lost.
        date: lm-eval's date stamp (local time), as in the file names: ``2026-11-30T21-41-45.470855``.
        scored: The slug of `pak3h score`; "" for what lm-eval wrote itself.
        model: The model's name; for a spool, which does not know it, the folder's name.
        results: The whole results file; empty for a spool.
        tasks: Our tasks that have a sample log, by name.
        missing: Our tasks that have results and no sample log.
        root: The outermost of the folders given that it lies in; of a file given, its own folder.
    """

    folder: Path
    path: Path | None
    date: str
    scored: str
    model: str
    results: dict[str, Any] = field(repr=False)
    tasks: dict[str, TaskLog]
    missing: tuple[str, ...] = ()
    root: Path | None = None

    def metrics(self, task: str) -> dict[str, float]:
        """lm-eval's own aggregates of a task, ``name`` and ``name_stderr`` without the filter's name."""
        entry = _mapping(_mapping(self.results.get("results")).get(task))
        numbers = {key.partition(",")[0]: as_float(value) for key, value in entry.items() if "," in key}
        return {name: value for name, value in numbers.items() if value is not None}


def find_runs(paths: Sequence[Path | str], warn: Warn = _log.warning) -> list[Run]:
    """Every run of our tasks below the folders and in the files given.

    Args:
        paths: Folders (searched in depth), results files and sample logs. A results file brings its sample logs along,
            a sample log its results file.
        warn: Told, in one line each, of files that are left out.

    Returns:
        Runs sorted by model, date and score slug.

    Raises:
        DataError: A path does not exist or is no such file, or there is nothing of Pak3H in any of them.
    """
    found: dict[Path, LogName] = {}
    for path in map(Path, paths):
        found.update(_collect(path))
    roots = {_absolute(path if path.is_dir() else path.parent) for path in map(Path, paths)}
    groups: dict[tuple[Path, str, str], list[tuple[Path, LogName]]] = defaultdict(list)
    for path, name in sorted(found.items()):
        groups[path.parent, _group_stamp(path, name), name.scored].append((path, name))
    runs = [run for (folder, _, _), files in groups.items() for run in _runs(folder, files, warn)]
    if not runs:
        raise DataError(f"{', '.join(map(str, paths)) or 'no path'}: no Pak3H results or samples; {_ADVICE}")
    runs = [replace(run, root=_root(run.folder, roots)) for run in runs]
    return sorted(runs, key=lambda run: (run.model, run.date, run.scored, str(run.folder)))


def _collect(path: Path) -> dict[Path, LogName]:
    if path.is_dir():
        files = (Path(folder) / name for folder, _, names in os.walk(path) for name in names)
        return {_absolute(file): name for file in files if (name := parse_log_name(file.name))}
    if not path.exists():
        raise DataError(f"{path}: no such file or folder; {_ADVICE}")
    own = parse_log_name(path.name)
    if own is None:
        raise DataError(f"{path}: neither results_DATE.json nor samples_TASK_DATE.jsonl; {_ADVICE}")
    # only the other half of the same run, and of other sample logs none
    siblings = {_absolute(path): own}
    for file in path.parent.iterdir():
        name = parse_log_name(file.name)
        if name and (name.date, name.scored) == (own.date, own.scored) and (name.task is None) != (own.task is None):
            siblings[_absolute(file)] = name
    return siblings


def _root(folder: Path, roots: Collection[Path]) -> Path:
    return min((place for place in (folder, *folder.parents) if place in roots), key=lambda place: len(place.parts))


def _absolute(path: Path) -> Path:
    # not resolve(): a link into a content-addressed store must keep its telling name
    return Path(os.path.abspath(path))  # noqa: PTH100


def _group_stamp(path: Path, name: LogName) -> str:
    # one process, one spool folder, and every task of it has a stamp of its own
    return "" if is_spool_folder(path.parent) else name.date


def _runs(folder: Path, files: list[tuple[Path, LogName]], warn: Warn) -> Iterator[Run]:
    results_path, results = None, {}
    for path, name in files:
        if name.task is None and (content := _read_results(path, warn)) is not None:
            results_path, results = path, content
    configs = {name: config for name, config in _mapping(results.get("configs")).items() if isinstance(config, dict)}
    # a task twice in one folder and stamp: one process that ran it twice
    rounds: list[dict[str, TaskLog]] = []
    date, scored = files[0][1].date, files[0][1].scored
    for path, name in files:
        if name.task is None:
            continue
        config = configs.get(name.task) or {}
        identity = identify(name.task, config)
        if identity is None:
            continue
        tasks = next((tasks for tasks in rounds if name.task not in tasks), None)
        if tasks is None:
            rounds.append(tasks := {})
        tasks[name.task] = TaskLog(name.task, path, identity, config)
    missing = tuple(
        task for task, config in configs.items() if identify(task, config) and not any(task in t for t in rounds)
    )
    if not rounds and missing:
        rounds.append({})
    model = model_name(results) or folder.name
    for tasks in rounds:
        yield Run(folder, results_path, date, scored, model, results, tasks, missing)


def model_name(results: dict[str, Any]) -> str:
    """The evaluated model as lm-eval names it; "" where the results do not say."""
    for value in (results.get("model_name"), _mapping(results.get("config")).get("model")):
        if isinstance(value, str) and value:
            return value
    return ""


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _read_results(path: Path, warn: Warn) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        warn(f"{path}: cannot be read ({error.strerror}); left out")
        return None
    except (ValueError, RecursionError):
        warn(f"{path}: not complete JSON, perhaps cut off by a crash; its samples are used without it")
        return None
    if isinstance(content, dict) and isinstance(content.get("results"), dict):
        return content
    return None


def _rows(path: Path, warn: Warn, read: Callable[[int], None]) -> Iterator[dict[str, Any]]:
    number = foreign = 0
    broken: list[int] = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                read(len(line))
                if line.isspace():
                    continue
                try:
                    row = _parsed(line)
                except (ValueError, RecursionError):
                    broken.append(number)
                    continue
                if is_our_row(row):
                    yield row
                else:
                    foreign += 1
    except OSError as error:
        raise DataError(f"{path}: {unusable(error)}") from None
    if broken and broken[-1] == number:
        warn(f"{path}: line {number}, the last, is cut off (a crash or a full disk?); the lines before it are used")
        broken.pop()
    if broken:
        more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
        warn(f"{path}: no JSON in line {', '.join(map(str, broken[:3]))}{more}; left out")
    if foreign:
        warn(f"{path}: {foreign} rows are no Pak3H documents; left out")


def _parsed(line: bytes) -> Any:
    """A line's JSON; orjson is three times as fast, and refuses what lm-eval may write: NaN, lone surrogates."""
    try:
        return orjson.loads(line)
    except ValueError:
        return json.loads(line)


def is_our_row(row: object) -> bool:
    """Whether a row of a sample log holds a Pak3H document."""
    doc = row.get("doc") if isinstance(row, dict) else None
    return (
        isinstance(doc, dict)
        and isinstance(doc.get("id"), str)
        and doc.get("lang") in LANGS
        and doc.get("localization") in SPLITS
    )


def as_float(value: object) -> float | None:
    """A number of a file as a float; None for anything else, also for an integer that no float holds.

    Example:
        >>> as_float(1), as_float("1"), as_float(True), as_float(10**400)
        (1.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def loglikelihoods(row: dict[str, Any]) -> list[float]:
    """The log-likelihood of each choice of a multiple-choice row, which lm-eval logs as text; NaN: not readable.

    Example:
        >>> loglikelihoods({"resps": [[["-1.5", "False"]], [[-2.25, True]], []]})
        [-1.5, -2.25, nan]
    """
    found = []
    for choice in row.get("resps") or []:
        try:
            found.append(float(choice[0][0]))
        except (TypeError, ValueError, IndexError):
            found.append(math.nan)
    return found


def response(row: dict[str, Any]) -> str:
    """The first generation of a row, as generated; "" where there is none.

    Example:
        >>> response({"resps": [["ہاں"]]})
        'ہاں'
    """
    found: Any = row.get("resps")
    while isinstance(found, list) and found:
        found = found[0]
    return found if isinstance(found, str) else ""
