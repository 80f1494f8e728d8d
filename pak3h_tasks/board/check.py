"""What a board lacks, and the command that mends it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pak3h_tasks.board.judge import needs_judging, shown
from pak3h_tasks.board.stand import Stand
from pak3h_tasks.data.sample_log import Run
from pak3h_tasks.harness.rescore import Judges, missing


@dataclass(frozen=True)
class Finding:
    """One thing that a model lacks.

    Attributes:
        model: Its name.
        state: failed, stopped, not run, outdated, partial, cut off, not judged or unscored.
        what: Tasks or items, and why.
        remedy: A command.
    """

    model: str
    state: str
    what: str
    remedy: str


def findings(stands: Sequence[Stand], judges: Judges, slug: str, path: str) -> Iterator[Finding]:
    """Everything that is not as the board's file wants it.

    Args:
        stands: What there is.
        judges: Judges that ask nobody.
        slug: Name of their copies.
        path: The board's file, as commands name it.
    """
    again = f"pak3h board {shlex.quote(path)}"
    for stand in stands:
        yield from _missing(stand, again)
        for run in stand.runs:
            yield from _unjudged(stand, run, judges, slug, again)


def _missing(stand: Stand, again: str) -> Iterator[Finding]:
    by_reason: dict[tuple[str, str], list[str]] = {}
    for one in stand.missing:
        if stand.failed is not None and one.name in stand.failed.tasks:
            reason = "failed", f"{stand.failed.said} (log: {stand.log})"
        else:
            state, _, why = stand.why.get(one.name, "not run").partition(": ")
            reason = ("stopped", state) if state.startswith("the run was") else (state, why)
        by_reason.setdefault(reason, []).append(one.name)
    for (state, why), names in by_reason.items():
        yield Finding(stand.model.name, state, f"{', '.join(names)}{f': {why}' if why else ''}", again)


def _unjudged(stand: Stand, run: Run, judges: Judges, slug: str, again: str) -> Iterator[Finding]:
    if needs_judging(run, judges, slug):
        costs = [(task, cost.calls) for task, _, cost in missing(run, judges)]
        names = ", ".join(f"{task} ({calls:,} questions)" for task, calls in costs if calls)
        yield Finding(stand.model.name, "not judged", names or "verdicts are in the cache", again)
        return
    copy = shown(run, judges, slug)
    for task in copy.tasks.values():
        coverage = copy.metrics(task.name).get("coverage")
        is_judged = task.identity.kind == "gen" and judges.get(task.identity.dataset) is not None
        if is_judged and coverage not in (None, 1.0):
            n = next(one.n for one in stand.wanted if one.name == task.name)
            what = f"{task.name}: {round(n * (1 - coverage)):,} of {n:,} answers have no verdict"
            # all were asked: what is left was refused, could not be read, or is an unfinished thought
            yield Finding(stand.model.name, "unscored", what, f"PAK3H_ASK_AGAIN=1 {again}")
