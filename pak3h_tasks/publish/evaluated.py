"""One model as it is published: what a report says of it, when it was run, and what the reader must be told first."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from pak3h_tasks.backends.protocol import name_without_folders
from pak3h_tasks.data.sample_log import Run, as_float
from pak3h_tasks.data.sample_log_names import identify
from pak3h_tasks.report.build import cells
from pak3h_tasks.report.model import ALL, Cell, Place, TaskSource
from pak3h_tasks.report.run_choice import LoadedSystem
from pak3h_tasks.report.run_settings import mapping
from pak3h_tasks.report.scores import Options
from pak3h_tasks.schema import SPLITS
from pak3h_tasks.text.escape import one_line

_LATEST = 253402300799.0  # year 9999, the last that datetime knows


@dataclass(frozen=True)
class TaskRun:
    """The run of one task, as its results file tells it.

    Attributes:
        run: The run.
        name: Name of the task.
    """

    run: Run
    name: str

    @property
    def config(self) -> Mapping[str, Any]:
        """The task's entry in the results file's ``configs``."""
        return mapping(mapping(self.run.results.get("configs")).get(self.name))

    @property
    def said(self) -> Mapping[str, Any]:
        """What our dataset function wrote into it: data, judge, package."""
        return mapping(mapping(self.config.get("dataset_kwargs")).get("pak3h"))


@dataclass(frozen=True)
class Evaluated:
    """A system of a report under the name it is published by.

    Attributes:
        found: What was read.
        model_id: ``developer/model``.
        name: What the model is called.
        cells: Its numbers without topics, as `pak3h report` has them.
        caveats: Why the numbers are not those of the whole benchmark: sample data, items that are missing.
    """

    found: LoadedSystem
    model_id: str
    name: str
    cells: tuple[Cell, ...]
    caveats: tuple[str, ...]

    @property
    def label(self) -> str:
        """Label of the system, on one line, and without the folders of a local model."""
        system = self.found.system
        return one_line(system.label.replace(system.model, self.name))

    @property
    def key(self) -> str:
        """8 hex digits of its name and settings, the same whatever other runs are published beside it."""
        settings = sorted([*scope, name, value] for (scope, name), value in self.found.distinction.items())
        weights = self.found.base.replace(self.found.system.model, "")  # such as a revision
        # by the name, too: lm-eval's results do not tell all that makes two models of one id differ (dtype, adapter)
        text = json.dumps([self.name, weights, settings], ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    @property
    def epoch(self) -> int:
        """When the newest of its runs began, in seconds since 1970; never the present, so that files stay the same."""
        return max(_epoch(run) for run in self.found.runs)

    @property
    def date(self) -> str:
        """The same as an ISO time."""
        return iso_time(self.epoch)

    def source(self, place: Place) -> TaskSource | None:
        """Where the numbers of a place come from; None: lm-eval's own totals."""
        loaded = self.found.loaded.get((place.dataset, place.lang, place.kind))
        return loaded.source if loaded else None

    def task_runs(self, place: Place) -> tuple[TaskRun, ...]:
        """The runs that a place's numbers are made from."""
        return tuple(self._task_runs(place))

    def _task_runs(self, place: Place) -> Iterator[TaskRun]:
        source = self.source(place)
        if source is not None:
            files = dict(zip(source.files, source.tasks, strict=True))
            for run in self.found.runs:
                for task in run.tasks.values():
                    if files.get(str(task.path)) == task.name:
                        yield TaskRun(run, task.name)
            return
        newest: dict[str, TaskRun] = {}
        for run in sorted(self.found.runs, key=lambda run: (run.date, run.scored)):
            for name in run.missing:
                identity = identify(name, mapping(mapping(run.results.get("configs")).get(name)))
                where = identity and (identity.dataset, identity.lang, identity.kind, identity.split or ALL)
                if where == (place.dataset, place.lang, place.kind, place.split):
                    newest[name] = TaskRun(run, name)
        yield from newest.values()


def evaluate(found: LoadedSystem, model_id: str, name: str) -> Evaluated:
    """A system with its numbers.

    Args:
        found: What was read.
        model_id: ``developer/model``.
        name: What the model is called.
    """
    # topics are for reading, not for comparing: n is 1 to 100
    numbers = tuple(cells(found, Options(topics=False)))
    made = Evaluated(found, model_id, one_line(name_without_folders(name)), numbers, ())
    return Evaluated(found, model_id, made.name, numbers, tuple(_caveats(made)))


def iso_time(epoch: int) -> str:
    """A time as ISO says it, in UTC.

    Example:
        >>> iso_time(1764539705)
        '2025-11-30T21:55:05Z'
    """
    return datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _caveats(model: Evaluated) -> Iterator[str]:
    found = model.found
    datasets = {cell.place.dataset for cell in model.cells}
    names = {name for source in found.system.sources for name in source.data}
    names |= {part[5:] for cell in model.cells for part in cell.score.signature.split("|") if part[:5] == "data:"}
    if datasets and any(name.startswith("sample@") for name in names):
        yield "the data is the embedded sample; its scores compare with nothing"
    for source in found.system.sources:
        where = f"{source.dataset} {source.lang} {source.kind}"
        if source.splits:
            yield f"of {where} only {', '.join(source.splits)} of {', '.join(SPLITS)} was run"
        elif source.is_partial:
            yield f"{where}: {source.n:,} of {source.n_total:,} items"
    yield from dict.fromkeys(f"{p.dataset} {p.lang} {p.kind}: not all items" for p in sorted(found.partial, key=str))


def _epoch(run: Run) -> int:
    said = as_float(run.results.get("date"))
    if said is not None and 0 < said < _LATEST:
        return int(said)
    # the stamp in the file names is local time of a place that nobody knows
    day, _, time = run.date.partition("T")
    try:
        stamp = datetime.fromisoformat(f"{day}T{time[:8].replace('-', ':')}")
    except ValueError:
        return 0
    return int(stamp.replace(tzinfo=timezone.utc).timestamp())
