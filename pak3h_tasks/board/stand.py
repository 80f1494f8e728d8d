"""What stands on disk of a model's runs, and which of it holds: read anew each time, so a kill leaves no wrong word.

Layout: ``RUNS/{name}-{key}/{start}/``, an attempt, where the key is made from what determines a model's answers. In an
attempt are ``attempt.json``, ``log.txt``, what lm_eval wrote (``out``) and its spool (``spool``), which has the answers
of a run that was killed before it wrote anything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from pak3h_tasks.board.config import Board, BoardModel
from pak3h_tasks.board.wanted import Tasks, Wanted
from pak3h_tasks.data.sample_log import Run, TaskLog, find_runs
from pak3h_tasks.errors import DataError
from pak3h_tasks.files import write_text
from pak3h_tasks.report.model_file import ModelFile, write_model_file

ATTEMPT, LOG, OUT, LOCK = "attempt.json", "log.txt", "out", "running.lock"


class AttemptTask(BaseModel):
    """A task as an attempt was to run it."""

    version: str
    fingerprint: str
    n: int
    n_all: int

    @classmethod
    def of(cls, wanted: Wanted) -> AttemptTask:
        """What a board wants now."""
        return cls(version=wanted.version, fingerprint=wanted.fingerprint, n=wanted.n, n_all=wanted.n_all)


class Attempt(BaseModel):
    """One call of lm_eval.

    Attributes:
        tasks: What it was to run.
        began: ISO time.
        package: Version of this package.
        arguments: lm_eval's.
        exit_code: None: it runs, or was killed with its board.
        said: Why it failed.
    """

    tasks: dict[str, AttemptTask]
    began: str
    package: str
    arguments: list[str]
    exit_code: int | None = None
    said: str = ""

    def save(self, folder: Path) -> None:
        """Write it into its folder."""
        text = json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1)
        write_text(folder / ATTEMPT, text, "free the disk, or name another folder for runs:", make_folder=True)


@dataclass(frozen=True)
class Stand:
    """What there is of a model.

    Attributes:
        model: The model.
        folder: Its folder; it need not exist.
        wanted: What is asked of it.
        runs: What holds, each run with the tasks that count alone.
        missing: What is still to be run.
        why: Missing task -> why what there is does not hold; absent: it was never run.
        failed: The last attempt, where it failed and tasks are missing.
        log: Its log.
    """

    model: BoardModel
    folder: Path
    wanted: tuple[Wanted, ...]
    runs: tuple[Run, ...]
    missing: tuple[Wanted, ...]
    why: Mapping[str, str] = field(default_factory=dict)
    failed: Attempt | None = None
    log: Path | None = None

    @property
    def n_missing(self) -> int:
        """Answers that are still to be generated."""
        return sum(one.n for one in self.missing)


def model_key(model: BoardModel) -> str:
    """What tells a model's answers from those of others: ten hex digits of all that determines them.

    Neither its display name, nor batch size and device: they are free to change.
    """
    text = json.dumps(model.generation(), sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def model_folder(runs_folder: Path, model: BoardModel, slug: str) -> Path:
    """Where a model's runs are, also those made under another name."""
    key = model_key(model)
    there = sorted(runs_folder.glob(f"*-{key}"))
    return there[0] if there else runs_folder / f"{slug}-{key}"


def attempts(folder: Path) -> list[tuple[Path, Attempt]]:
    """The attempts in a model's folder, newest first; one without a readable record is left out."""
    found = []
    for path in sorted(folder.glob(f"*/{ATTEMPT}"), reverse=True):
        try:
            found.append((path.parent, Attempt.model_validate_json(path.read_bytes())))
        except (ValidationError, OSError):
            continue
    return found


def stand(model: BoardModel, folder: Path, wanted: Sequence[Wanted]) -> Stand:
    """Look at what is there."""
    tried = attempts(folder)
    open_tasks = {one.name: one for one in wanted}
    why: dict[str, str] = {}
    runs: list[Run] = []
    for path, attempt in tried:
        for run in originals(path):
            kept: dict[str, TaskLog] = {}
            for name, log in run.tasks.items():
                if (one := open_tasks.get(name)) is None:
                    continue
                if fault := _fault(run, log, one, attempt):
                    why.setdefault(name, fault)
                else:
                    kept[name] = log
            if kept:
                runs.append(replace(run, tasks=kept, missing=(), model=model.name, root=folder))
                open_tasks = {name: one for name, one in open_tasks.items() if name not in kept}
    missing = tuple(one for one in wanted if one.name in open_tasks)
    last = next(((path, attempt) for path, attempt in tried if attempt.tasks.keys() & open_tasks.keys()), None)
    if last is not None and last[1].exit_code is None:
        for name in last[1].tasks.keys() & open_tasks.keys():
            why.setdefault(name, "the run was stopped before it was done")
    has_failed = last is not None and bool(last[1].exit_code)
    return Stand(
        model, folder, tuple(wanted), tuple(runs), missing,
        {one.name: why[one.name] for one in missing if one.name in why},
        last[1] if has_failed and last else None, last[0] / LOG if last else None,
    )  # fmt: skip


def write_names(stands: Sequence[Stand]) -> None:
    """Beside each model's runs, what the board calls it: `pak3h report` of the same runs says so, too.

    Raises:
        DataError: The runs folder cannot be written.
    """
    for one in stands:
        if one.runs:
            model = one.model
            content = ModelFile(name=model.name, id=model.id, url=model.url, settings=model.generation())
            write_model_file(one.folder, content)


def stands_of(board: Board, tasks: Tasks) -> list[Stand]:
    """What there is of each model of a board."""
    slugs = board.slugs()
    return [
        stand(model, model_folder(board.runs_folder, model, slugs[model.name]), tasks.of(model))
        for model in board.models
    ]


def originals(attempt: Path) -> Iterator[Run]:
    """What an attempt generated: what lm_eval wrote, then spools."""
    for folder in (attempt / OUT, attempt / "spool"):
        if folder.is_dir():
            try:
                yield from (run for run in find_runs([folder], _quiet) if not run.scored)
            except DataError:
                continue


def scored(run: Run, slug: str) -> Run | None:
    """The scored copy of a run, with the same tasks; None: there is none, or it has not all of them."""
    try:
        copies = find_runs([run.folder], _quiet)
    except DataError:
        return None
    for copy in copies:
        if copy.scored == slug and copy.date == run.date and run.tasks.keys() <= copy.tasks.keys():
            tasks = {name: copy.tasks[name] for name in run.tasks}
            return replace(copy, tasks=tasks, missing=(), model=run.model, root=run.root)
    return None


def known_of_spool(run: Run) -> dict[str, Any]:
    """What the record of an attempt says that its spool does not, as a results file says it."""
    if run.path is not None:
        return {}
    found = next((attempt for path, attempt in attempts(run.folder.parents[2]) if path in run.folder.parents), None)
    if found is None:
        return {}
    tasks = {name: task for name, task in found.tasks.items() if name in run.tasks}
    shots = next((int(word.partition("=")[2]) for word in found.arguments if word.startswith("--num_fewshot=")), 0)
    return {
        "n-samples": {name: {"original": task.n_all, "effective": task.n} for name, task in tasks.items()},
        "n-shot": dict.fromkeys(tasks, shots),
    }


def _quiet(_: str) -> None:
    """What is cut off does not hold, and is run again."""


def _fault(run: Run, log: TaskLog, wanted: Wanted, attempt: Attempt) -> str:
    """Why a task's answers do not hold; "": they do."""
    made = attempt.tasks.get(log.name)
    version, fingerprint = (made.version, made.fingerprint) if made else ("?", "")
    if run.path is not None:
        said = (log.config.get("dataset_kwargs") or {}).get("pak3h") or {}
        version = str((run.results.get("versions") or {}).get(log.name, version))
        fingerprint = str(said.get("data_fingerprint", fingerprint))
    if version != wanted.version:
        return f"outdated: task version {version}, now {wanted.version}"
    if fingerprint != wanted.fingerprint:
        return f"outdated: other data ({fingerprint[:8]}, now {wanted.fingerprint[:8]})"
    n = _rows(log.path)
    was_to_be = made.n if made else _effective(run, log.name)
    if n < wanted.n or was_to_be != wanted.n:
        cut = was_to_be is not None and n < was_to_be
        return (
            f"{'cut off' if cut else 'partial' if n < wanted.n else 'outdated'}: {n:,} answers, now {wanted.n:,} items"
        )
    return ""


def _effective(run: Run, task: str) -> int | None:
    n: Any = ((run.results.get("n-samples") or {}).get(task) or {}).get("effective")
    return n if isinstance(n, int) else None


def _rows(path: Path) -> int:
    try:
        with path.open("rb") as file:
            return sum(line.endswith(b"\n") for line in file)
    except OSError:
        return 0
