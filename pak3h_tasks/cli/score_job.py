"""What `pak3h score` scores, runs or answers made elsewhere: what it would cost, and the scores themselves."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from pak3h_tasks.data.sample_log import find_runs
from pak3h_tasks.errors import DataError, SettingsError
from pak3h_tasks.harness.judges import Judge, OpenChat, open_judge
from pak3h_tasks.harness.rescore import Cost, Judges, missing, rescore, slug_of
from pak3h_tasks.harness.score_outputs import OutputsJob
from pak3h_tasks.progress import watched
from pak3h_tasks.settings import Settings
from pak3h_tasks.text.escape import finite, printable


class ScoreJob(Protocol):
    """What is to be scored."""

    @property
    def datasets(self) -> tuple[str, ...]:
        """Those with answers that somebody judges."""

    def costs(self, judges: Judges) -> Iterator[Cost]:
        """Task by task, what scoring would still cost."""

    def score(self, judges: Judges, slug: str) -> bool:
        """Score, write the copy and print the table; whether nothing is left unscored."""


def job_of(arguments: argparse.Namespace, settings: Settings) -> ScoreJob:
    """The job that the command line names.

    Raises:
        DataError: There is nothing to score.
    """
    return ScoreOutputs(arguments, settings) if arguments.outputs else ScoreRuns(arguments)


class ScoreRuns:
    """Finished runs and spools."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._form = arguments.format
        self._runs = [run for run in find_runs(arguments.runs) if not run.scored]
        tasks = [task.identity for run in self._runs for task in run.tasks.values()]
        if not tasks:
            paths = ", ".join(map(str, arguments.runs))
            raise DataError(f"{paths}: no logged responses to score; run lm_eval with --log_samples")
        self.datasets = tuple(sorted({task.dataset for task in tasks if task.kind == "gen"}))

    def costs(self, judges: Judges) -> Iterator[Cost]:
        """As `ScoreJob`."""
        n = sum(task.identity.kind == "gen" for run in self._runs for task in run.tasks.values())
        costs = (cost for run in self._runs for cost in missing(run, judges))
        yield from watched(costs, "looking into the cache", n, unit="task")

    def score(self, judges: Judges, slug: str) -> bool:
        """As `ScoreJob`."""
        complete = True
        printed = []
        for run in self._runs:
            done = rescore(run, judges, slug)
            printed.append(done.results)
            complete &= _report_unscored(done.unscored) & _report_lost(done.lost)
            if self._form == "table":
                if len(self._runs) > 1:
                    print(f"{printable(run.model)} {run.date}")
                _print_results(done.results)
            print(f"scored copy: {done.path}", file=sys.stderr)
        if self._form == "json":
            print(json.dumps(finite(printed), ensure_ascii=False, indent=2, default=str))
        return complete


class ScoreOutputs:
    """Answers made elsewhere."""

    def __init__(self, arguments: argparse.Namespace, settings: Settings) -> None:
        self._form = arguments.format
        outputs = Path(arguments.outputs)
        self._folder = arguments.output_path or outputs.with_name(f"{outputs.stem}_scored")
        self._job = OutputsJob.read(
            outputs,
            arguments.dataset,
            arguments.lang,
            arguments.split,
            settings.data,
            arguments.reference,
            arguments.model,
        )
        for line in self._job.shown:
            print(f"pak3h: {printable(line)}", file=sys.stderr)
        self.datasets = (str(arguments.dataset),)

    def costs(self, judges: Judges) -> Iterator[Cost]:
        """As `ScoreJob`."""
        if (judge := judges[self.datasets[0]]) is not None:
            yield self._job.missing(judge)

    def score(self, judges: Judges, slug: str) -> bool:
        """As `ScoreJob`."""
        done = self._job.score(judges[self.datasets[0]], self._folder, slug)
        complete = _report_unscored(done.unscored)
        if self._form == "json":
            print(json.dumps(done.results, ensure_ascii=False, indent=2, default=str))
        else:
            _print_results(done.results)
        print(f"results: {done.path}", file=sys.stderr)
        return complete


def open_judges(
    datasets: Iterable[str], settings: Settings, open_chat: OpenChat | None = None
) -> tuple[dict[str, Judge | None], str]:
    """Judge by dataset, and the slug of their names; none at all only where the user said so.

    Raises:
        SettingsError: There is no judge, and nobody said that there should be none.
    """
    judges = {dataset: open_judge(dataset, settings, open_chat) for dataset in dict.fromkeys(datasets)}
    there = {dataset: judge for dataset, judge in judges.items() if judge is not None}
    if judges and not there and "none" not in (settings.judge, settings.ti_judge, settings.classifier):
        wanted = "--classifier" if set(judges) == {"beavertails"} else "--judge"
        raise SettingsError(
            f"nothing to score {', '.join(judges)} with; give {wanted} (a judge needs OPENAI_API_KEY, "
            f"PAK3H_JUDGE_API_KEY or --judge-base-url), or {wanted} none for the metrics that need none"
        )
    names = copy_names(settings)
    return judges, slug_of(dict.fromkeys(names[dataset] for dataset in there)) or "no-judge"


def to_be_asked(job: ScoreJob, judges: Judges) -> list[str]:
    """Datasets of which a served judge would still be asked something."""
    asked = []
    for dataset, judge in judges.items():
        if dataset != "beavertails" and judge is not None:
            costs = job.costs({dataset: judge, **{other: None for other in judges if other != dataset}})
            if any(cost.calls for _, _, cost in costs):
                asked.append(dataset)
    return asked


def copy_names(settings: Settings) -> dict[str, str]:
    """By dataset, the name of a scored copy: the judge, and what else makes other verdicts of the same answers."""
    from pak3h_tasks.backends.servers.address import shown_setting

    references = "-references" if settings.ti_references else ""
    orders = "-both-orders" if settings.judge_both_orders else ""
    prompt = f"-prompt-{Path(settings.pairwise_prompt).stem}" if settings.pairwise_prompt else ""
    profile = f"-{settings.classifier_profile}" if settings.classifier_profile != "default" else ""
    threshold = f"-above-{settings.classifier_threshold:g}" if settings.classifier_threshold != 0.5 else ""
    return {
        "truthfulqa": f"{settings.ti_judge_model}{references}",
        "alpaca": f"{settings.judge_model}{orders}{prompt}",
        "beavertails": f"{shown_setting(settings.classifier)}{profile}{threshold}",
    }


def _print_results(results: dict[str, Any]) -> None:
    from pak3h_tasks.harness.summary import table as lm_eval_table

    print(lm_eval_table(results))


def _report_unscored(unscored: Sequence[tuple[str, int, int]]) -> bool:
    for task, without, n in unscored:
        if without:
            print(
                f"pak3h: {task}: {without} of {n} answers are unscored; pak3h score asks again for those "
                "that a judge has not answered yet, with --ask-again for those it refused or whose reply could not be "
                "read; an unfinished thought is no answer, which asking a judge cannot change",
                file=sys.stderr,
            )
    return not any(without for _, without, _ in unscored)


def _report_lost(lost: Sequence[tuple[str, int, int]]) -> bool:
    for task, count, n in lost:
        what = f"{count} of {n} answers are" if n else "all answers are"
        print(f"pak3h: {task}: {what} missing from the sample log; the table is without them", file=sys.stderr)
    return not lost
