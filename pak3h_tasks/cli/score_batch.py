"""`pak3h score --batch`: questions into batches, and, with --wait, their answers into the cache and the scores."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pak3h_tasks.backends.batches.ledger import Record
from pak3h_tasks.backends.batches.outputs import Taken
from pak3h_tasks.backends.batches.request_files import RequestFiles
from pak3h_tasks.backends.lookup import LookedUp
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.cli.score_job import ScoreJob, job_of, open_judges, to_be_asked
from pak3h_tasks.errors import BackendError, SettingsError
from pak3h_tasks.harness.batches import api_of, collect, ledger_of, noting, open_cache, saved, server_url, unsent
from pak3h_tasks.harness.judges import check_judge
from pak3h_tasks.progress import Progress
from pak3h_tasks.settings import Settings

_ROUNDS = 3
_SAVED = ("runs", "outputs", "dataset", "lang", "split", "model", "data", "reference", "output_path", "format")
_PATHS = ("outputs", "reference", "output_path")


def score_by_batch(arguments: argparse.Namespace, settings: Settings) -> int:
    """Submit what the cache lacks; with ``--wait``, ask for what was lost once more, and score."""
    job = job_of(arguments, settings)
    work = {"arguments": _plain(arguments), "settings": saved(settings)}
    for number in range(1, _ROUNDS + 1):
        records = submit(job, arguments, settings, work)
        if not arguments.wait:
            if not records:
                print("pak3h: nothing to submit; pak3h batch status shows what is under way", file=sys.stderr)
            return 0
        taken = take_all(settings, poll_s=arguments.poll_s)
        if not taken.replies:  # nothing was under way, or asking again brings nothing
            break
        if number == 1:  # what was refused or never readable has been asked again now
            settings = settings.model_copy(update={"ask_again": False})
    return score_from_cache(job, settings)


def score_from_cache(job: ScoreJob, settings: Settings) -> int:
    """Score with what the cache has; 1 where something is unscored."""
    judges, slug = open_judges(job.datasets, settings, unsent())
    for dataset, judge in judges.items():
        if dataset == "beavertails" and judge is not None:
            check_judge(judge, settings)
    return 0 if job.score(judges, slug) else 1


def submit(job: ScoreJob, arguments: argparse.Namespace, settings: Settings, work: dict[str, Any]) -> list[Record]:
    """Put the questions that neither the cache nor a waiting batch has into batches.

    Every file and its record are on disk before the first upload; one that a kill has left there goes first.

    Args:
        job: What is to be scored.
        arguments: ``form`` and ``max_lines``.
        settings: Judge and server.
        work: The job, as `pak3h batch collect` finds it again.
    """
    began = time.time()
    ledger = ledger_of(settings)
    open_cache(settings).close()  # what cannot be kept should not be paid for
    with ledger.locked():
        ledger.tidy()
        interrupted = [record for record in at_this_server(ledger.records(), settings) if record.waiting]
        interrupted = [record for record in interrupted if record.batch_id is None]
        for record in interrupted:
            api_of(record, settings).submit(record)
            _say_submitted(record)
        if not (asked := to_be_asked(job, open_judges(job.datasets, settings, unsent())[0])):
            return interrupted
        files = RequestFiles(ledger.folder, skip=ledger.waiting_keys(), most_lines=arguments.max_lines)
        write_questions(job, asked, settings, files, form=arguments.form)
        records = [ledger.enter(file, server_url(file.model, settings), began, work) for file in files.close()]
        if files.skipped:
            print(f"pak3h: {len(files.skipped):,} questions wait in batches already", file=sys.stderr)
        for record in records:
            api_of(record, settings).submit(record)
            _say_submitted(record)
    return interrupted + records


def write_questions(
    job: ScoreJob,
    datasets: Sequence[str],
    settings: Settings,
    files: RequestFiles,
    *,
    form: str | None,
    without: Sequence[str] = (),
) -> None:
    """Write what the cache lacks; the server is asked what it takes, unless `form` says so.

    Raises:
        SettingsError: There are only local judges.
        BackendError: The server does not answer.
    """
    models = {"truthfulqa": settings.ti_judge_model or "", "alpaca": settings.judge_model or ""}
    served = [dataset for dataset in datasets if not models[dataset].startswith("hf:")]
    if datasets and not served:
        raise SettingsError(f"judge {models[datasets[0]]} runs on this machine; batches are for served ones")
    found = None if form in (None, "none") else form
    opened = noting(files.add, form=found, without=without, known=form is not None)  # type: ignore[arg-type]
    judges, _ = open_judges(served, settings, opened)
    for judge in judges.values():
        if judge is not None and form is None:
            check_judge(judge, settings)
    for _ in job.costs(judges):
        pass


def take_all(settings: Settings, *, wait: bool = True, poll_s: float = 60.0, ids: Sequence[str] = ()) -> Taken:
    """Take what waiting batches of this server have brought; `wait`: until none is running.

    Each batch's replies are in the cache when the next one is looked at.
    """
    ledger = ledger_of(settings)
    total = Taken()
    waiting = _chosen(settings, ids)
    in_trouble: set[str] = set()
    with Progress("batches", sum(record.lines for record in waiting) or None) as progress:
        counted: dict[str, int] = {}
        while True:
            for chosen in waiting:
                with ledger.locked():
                    record = next((r for r in ledger.records() if r.id == chosen.id and r.waiting), None)
                    try:
                        taken = None if record is None else collect(record, settings)
                    except BackendError as error:  # the others may still be had
                        print(f"pak3h: error: {chosen.id}: {error}", file=sys.stderr)
                        in_trouble.add(chosen.id)
                        continue
                if record is None:
                    continue
                done = record.lines if record.taken else min(record.done + record.failed, record.lines)
                for _ in range(done - counted.get(record.id, 0)):
                    progress.add()
                counted[record.id] = max(done, counted.get(record.id, 0))
                if taken is not None:
                    total += taken
                    said = f" ({record.said})" if record.said else ""
                    print(f"pak3h: {record.id} {record.status}{said}: {taken}", file=sys.stderr)
            waiting = [record for record in _chosen(settings, ids) if record.id not in in_trouble]
            if not waiting or not wait:
                return total
            time.sleep(poll_s)


def _chosen(settings: Settings, ids: Sequence[str]) -> list[Record]:
    records = [record for record in at_this_server(ledger_of(settings).records(), settings) if record.waiting]
    return [record for record in records if not ids or record.id in ids]


def at_this_server(records: Iterable[Record], settings: Settings) -> list[Record]:
    """Records of the server that the settings name: the key is not sent to any other."""
    return [record for record in records if not record.exported and record.url == server_url(record.model, settings)]


def count_waiting(job: ScoreJob, asked: Sequence[str], settings: Settings) -> int:
    """How many of the questions wait in batches."""
    waiting = ledger_of(settings).waiting_keys() if asked else frozenset()
    if not waiting:
        return 0
    there: set[bytes] = set()

    def note(judge: OpenAIChat, one: LookedUp[Any]) -> None:
        there.update({one.key, *judge.other_keys(one.request)} & waiting)

    judges, _ = open_judges(asked, settings, unsent(note))
    for _ in job.costs(judges):
        pass
    return len(there)


def refuse_waiting(job: ScoreJob, asked: Sequence[str], settings: Settings) -> None:
    """Do not ask online what a batch has been paid for.

    Raises:
        BackendError: Some of the questions wait in batches.
    """
    if waiting := count_waiting(job, asked, settings):
        raise BackendError(
            f"{waiting:,} of the questions wait in batches, so asking now would pay for them twice; "
            "pak3h batch collect takes the answers, pak3h batch cancel gives them up"
        )


def job_again(work: dict[str, Any], settings: Settings) -> tuple[ScoreJob, Settings]:
    """The job that a record was made for, and its settings, at the server of `settings`."""
    arguments = argparse.Namespace(**dict.fromkeys(_SAVED) | work["arguments"])
    for name in _PATHS:
        value = getattr(arguments, name)
        setattr(arguments, name, Path(value) if value else None)
    server = {name: value for name in ("judge_base_url", "cache_dir") if (value := getattr(settings, name)) is not None}
    found = Settings.from_environment(**server | work["settings"])
    return job_of(arguments, found), found


def _plain(arguments: argparse.Namespace) -> dict[str, Any]:
    """Arguments as JSON, with whole paths: `pak3h batch collect` may be called from another folder."""
    found = {name: value for name in _SAVED if (value := getattr(arguments, name)) is not None}
    for name in _PATHS:
        if name in found:
            found[name] = str(Path(found[name]).absolute())
    if "runs" in found:
        found["runs"] = [str(Path(path).absolute()) for path in found["runs"]]
    return found


def _say_submitted(record: Record) -> None:
    print(
        f"pak3h: {record.lines:,} questions to {record.model} in batch {record.batch_id} ({record.id}); "
        "pak3h batch collect takes the answers",
        file=sys.stderr,
    )
