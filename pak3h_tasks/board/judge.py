"""Which runs of a board still need a verdict, and which copy of a run counts: that of today's judge and classifier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pak3h_tasks.backends.batches.unsent import NOT_ASKED
from pak3h_tasks.backends.lookup import WAITS
from pak3h_tasks.board.stand import known_of_spool, scored
from pak3h_tasks.board.wanted import Wanted
from pak3h_tasks.data.sample_log import Run, TaskLog
from pak3h_tasks.data.sample_log_names import is_spool_folder
from pak3h_tasks.harness.documents import documents
from pak3h_tasks.harness.judges import Judge
from pak3h_tasks.harness.judging import made_by
from pak3h_tasks.harness.rescore import Cost, Judges, missing, rescore
from pak3h_tasks.schema import Dataset

_STAND_IN = {"truthfulqa": "best_answer", "alpaca": "output", "beavertails": "prompt"}


def datasets_of(tasks: Sequence[Wanted]) -> tuple[Dataset, ...]:
    """Datasets with answers that somebody judges."""
    return tuple(dict.fromkeys(one.identity.dataset for one in tasks if one.identity.kind == "gen"))


def needs_judging(run: Run, judges: Judges, slug: str) -> bool:
    """Whether scoring a run would bring anything: no copy is by these judges, or answers in it have no verdict.

    A spool is no finished run: it is scored in any case, so that its metrics are there.
    """
    by_somebody = [
        task for task in run.tasks.values() if task.identity.kind == "gen" and judges.get(task.identity.dataset)
    ]
    if not by_somebody and not is_spool_folder(run.folder):
        return False
    copy = scored(run, slug)
    if copy is None or any(_signature(copy, task.name) != _now(copy, task.name, judges) for task in by_somebody):
        return True
    if all(copy.metrics(task.name).get("coverage") == 1.0 for task in by_somebody):
        return False
    return any(cost.calls for _, _, cost in missing(run, judges)) or any(map(_was_not_asked, copy.tasks.values()))


def shown(run: Run, judges: Judges, slug: str) -> Run:
    """What the board shows of a run: the copy that these judges made, else the run itself, without verdicts."""
    copy = scored(run, slug)
    if copy is None:
        return run
    of_others = any(_signature(copy, task) not in (_now(copy, task, judges), None) for task in copy.tasks)
    return run if of_others else copy


def _now(copy: Run, task: str, judges: Judges) -> str | None:
    log = copy.tasks[task]
    judge = judges.get(log.identity.dataset) if log.identity.kind == "gen" else None
    return None if judge is None else next(iter(made_by(log.identity.dataset, judge).values()))


def _signature(copy: Run, task: str) -> str | None:
    """Who judged a task of a scored copy; None: nobody."""
    log = copy.tasks[task]
    said = (log.config.get("dataset_kwargs") or {}).get("pak3h") or {}
    found = said.get("classifier" if log.identity.dataset == "beavertails" else "judge")
    return None if found in (None, "none") or log.identity.kind != "gen" else str(found)


def _was_not_asked(log: TaskLog) -> bool:
    """Whether verdicts are missing because a batch was still to bring them, or its judge was not there."""
    marks = [mark.encode() for mark in (NOT_ASKED, WAITS)]
    with log.path.open("rb") as file:
        return any(mark in line for line in file for mark in marks)


class BoardJob:
    """Runs to be judged, as `pak3h score` has its own (`pak3h_tasks.cli.score_job.ScoreJob`).

    Args:
        runs: With the tasks that count alone.

    Attributes:
        unscored: Answers that got no verdict.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs, self.unscored = tuple(runs), 0
        logs = [log for run in self.runs for log in run.tasks.values()]
        self.datasets: tuple[str, ...] = tuple(
            dict.fromkeys(log.identity.dataset for log in logs if log.identity.kind == "gen")
        )

    def costs(self, judges: Judges) -> Iterator[Cost]:
        """Task by task, what scoring would still cost."""
        for run in self.runs:
            yield from missing(run, judges)

    def score(self, judges: Judges, slug: str) -> bool:
        """Score every run beside it; whether nothing is left unscored."""
        for run in self.runs:
            done = rescore(run, judges, slug, run.model, known_of_spool(run))
            self.unscored += sum(without for _, without, _ in done.unscored)
        return not self.unscored


def cost_of_missing(tasks: Sequence[Wanted], judges: Mapping[str, Judge | None]) -> Iterator[Cost]:
    """What judging answers will cost that are not there yet, if they are about as long as the data's own."""
    for one in tasks:
        judge = judges.get(one.identity.dataset)
        if one.identity.kind != "gen" or judge is None:
            continue
        docs: list[dict[str, Any]] = documents(one.items, one.identity.lang, "gen", one.name, one.data)
        # not the very text: what equals the reference is a tie without a question
        answers = [f"{doc[_STAND_IN[one.identity.dataset]]} …" for doc in docs]
        yield one.name, len(docs), judge.missing(docs, answers)
