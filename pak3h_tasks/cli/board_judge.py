"""The judging step of `pak3h board`: what `pak3h score` does, online or by batches, over the runs of all models."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from pak3h_tasks.backends.batches.request_files import MOST_LINES
from pak3h_tasks.board.judge import BoardJob, needs_judging, shown
from pak3h_tasks.cli.score_batch import refuse_waiting, submit, take_all
from pak3h_tasks.cli.score_job import open_judges, to_be_asked
from pak3h_tasks.cli.step import say
from pak3h_tasks.data.sample_log import Run
from pak3h_tasks.errors import Pak3HError
from pak3h_tasks.harness.batches import saved, unsent
from pak3h_tasks.harness.judges import Judge, check_judge
from pak3h_tasks.harness.rescore import questions
from pak3h_tasks.schema import DATASETS
from pak3h_tasks.settings import Settings


def board_judges(
    settings: Settings, tokens_of: Callable[[str], Callable[[str], float]] | None = None
) -> tuple[dict[str, Judge | None], str, Settings]:
    """Judges that ask nobody, the name of their copies, and settings that say none where there is none.

    Args:
        settings: Judge and classifier.
        tokens_of: Makes a counter of tokens of a judge's name.
    """
    if settings.judge_model is None and settings.ti_judge_model is None:
        settings = settings.model_copy(update={"judge": "none"})
    judges, slug = open_judges(DATASETS, settings, unsent(tokens_of=tokens_of))
    return judges, slug, settings


def judge_runs(runs: Sequence[Run], settings: Settings, *, by_batch: bool) -> tuple[dict[int, Run], bool]:
    """Judge what has no verdict.

    Args:
        runs: Of all models, as they were generated.
        settings: Judge and classifier.
        by_batch: Put questions to a served judge into batches.

    Returns:
        What is shown of each run, by its id(), and whether no judge failed.
    """
    wanted = settings
    judges, slug, settings = board_judges(wanted)
    work = [run for run in runs if needs_judging(run, judges, slug)]
    complete = True
    if work and by_batch:
        complete = _by_batch(work, judges, slug, settings)
    elif work:
        complete = _online(work, judges, slug, settings)
    datasets = BoardJob(runs).datasets
    for what, names in (("judge", ("truthfulqa", "alpaca")), ("classifier", ("beavertails",))):
        if getattr(wanted, what) == "none":
            continue
        if lacking := [name for name in names if name in datasets and judges[name] is None]:
            say(f"note: no {what}, so no verdicts on {', '.join(lacking)}; name one in the file under {what}:")
    return {id(run): shown(run, judges, slug) for run in runs}, complete


def _online(work: Sequence[Run], unsent_judges: dict[str, Judge | None], slug: str, settings: Settings) -> bool:
    judges, _ = open_judges(DATASETS, settings)
    ready: dict[str, Judge | None] = {}
    complete = True
    for run in work:
        job = BoardJob([run])
        asked = to_be_asked(job, {name: unsent_judges[name] for name in job.datasets})
        for name in job.datasets:
            if name in ready:
                continue
            judge = judges[name]
            if judge is None or (name not in asked and name != "beavertails"):
                continue
            try:
                refuse_waiting(job, [name] if name != "beavertails" else [], settings)
                check_judge(judge, settings)
                ready[name] = judge
            except Pak3HError as error:
                say(f"failed: judging {name}: {error}")
                complete = False
                # what the cache has is used; the rest stays without a verdict until the next time
                ready[name] = None if name == "beavertails" else unsent_judges[name]
        _score(job, {**unsent_judges, **ready}, slug)
    return complete


def _by_batch(work: Sequence[Run], judges: dict[str, Judge | None], slug: str, settings: Settings) -> bool:
    job = BoardJob(work)
    complete = True
    paths = [str(path) for path in dict.fromkeys(run.folder for run in work)]
    saved_job = {"arguments": {"runs": paths, "format": "table"}, "settings": saved(settings)}
    try:
        take_all(settings, wait=False)
        submit(job, argparse.Namespace(form=None, max_lines=MOST_LINES), settings, saved_job)
    except Pak3HError as error:
        say(f"failed: judging by batch: {error}")
        complete = False
    waiting = 0
    for run in work:
        one = BoardJob([run])
        served = {name: judge if name in one.datasets else None for name, judge in judges.items()}
        waiting += questions(one.costs(served)).calls
        _score(one, judges, slug)
    if waiting:
        say(f"{waiting:,} questions wait in batches; the same command collects them later (pak3h batch status)")
    return complete


def _score(job: BoardJob, judges: dict[str, Judge | None], slug: str) -> None:
    (run,) = job.runs
    n = sum(n for _, n, _ in job.costs(judges))
    job.score(judges, slug)
    unscored = f"; {job.unscored:,} have no verdict" if job.unscored else ""
    say(f"{run.model}: judged {n:,} answers{unscored}")
