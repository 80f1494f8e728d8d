"""Score the responses of a finished run from its sample logs or its spool, with the same code as inside the run.

Beside the original a complete scored copy appears: ``results_{date}_scored-{slug}.json`` and its sample logs. Nothing
of the original is touched, and every verdict is in the answer cache, so a rerun pays only for what is missing.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pak3h_tasks.backends.protocol import Missing
from pak3h_tasks.data.sample_log import Run, TaskLog, loglikelihoods, response
from pak3h_tasks.errors import DataError
from pak3h_tasks.files import write_text
from pak3h_tasks.harness.documents import making
from pak3h_tasks.harness.judges import Judge
from pak3h_tasks.harness.judging import made_by
from pak3h_tasks.harness.process import of_record, truthfulqa_mc
from pak3h_tasks.harness.records import Record, judgeable, judged
from pak3h_tasks.harness.summary import summarise, task_facts
from pak3h_tasks.progress import watched
from pak3h_tasks.results import Verdict
from pak3h_tasks.schema import Dataset
from pak3h_tasks.text.escape import finite

Judges = Mapping[str, "Judge | None"]
"""Judge by dataset; None: the verdicts that the log has are taken over, and only what needs no judge is made anew."""


@dataclass(frozen=True)
class Rescored:
    """What came of one run.

    Attributes:
        results: The results as lm-eval shapes them, with the new numbers.
        path: The scored results file.
        unscored: (task, answers without a verdict, of how many).
        lost: (task, answers the sample log lacks, of how many); a task with no answer at all is here, too.
    """

    results: dict[str, Any]
    path: Path
    unscored: tuple[tuple[str, int, int], ...]
    lost: tuple[tuple[str, int, int], ...] = ()


Cost = tuple[str, int, Missing]
"""A task, its answers, and what scoring them would still cost."""


def questions(costs: Iterable[Cost]) -> Missing:
    """What of it a judge would be asked, in all; PakBeaverTails is classified."""
    return sum((cost for task, _, cost in costs if "beavertails" not in task), Missing())


def missing(run: Run, judges: Judges) -> Iterator[Cost]:
    """What scoring a run would still cost: (task, answers, missing) of each task that has a judge."""
    for task in run.tasks.values():
        judge = judges.get(task.identity.dataset)
        if task.identity.kind != "gen" or judge is None:
            continue
        docs, texts, _ = _read(task)
        yield task.name, len(docs), judge.missing(*judgeable(task.identity.dataset, docs, texts))


def rescore(
    run: Run, judges: Judges, slug: str, model: str | None = None, known: Mapping[str, Any] | None = None
) -> Rescored:
    """Score a run's responses, those of a spool's multiple-choice tasks too, and write the scored copy.

    Args:
        run: From `find_runs`; not itself a scored copy.
        judges: By dataset.
        slug: Names the copy's files (`slug_of`).
        model: Name of the evaluated model, where the run does not know it (a spool).
        known: More that a spool does not know, as a results file says it (``n-samples``, ``n-shot``).

    Raises:
        DataError: A sample log cannot be read, or the copy cannot be written.
    """
    if not os.access(run.folder, os.W_OK):
        raise DataError(f"{run.folder}: the scored copy goes there, and it cannot be written; copy the run elsewhere")
    results = copy.deepcopy(run.results) or {**_results_of_a_spool(run, model), **copy.deepcopy(dict(known or {}))}
    without, lost = [], []
    for task in run.tasks.values():
        if task.identity.kind == "mc" and run.results:  # lm-eval has scored it, and nobody judges it
            _write(_beside(task.path, slug), task.path.read_text(encoding="utf-8", errors="replace"))
            continue
        judge = judges.get(task.identity.dataset)
        docs, texts, rows = _read(task)
        if missing_rows := _note_rows(results, task.name, len(rows)):
            lost.append((task.name, *missing_rows))
        if not rows:
            put_summary(results, task.name, [])  # the old numbers are not this judge's
            continue
        scoring = f"scoring {task.name.removeprefix('pak3h_')}"
        if task.identity.kind == "mc":
            pairs = watched(zip(docs, rows, strict=True), scoring, len(docs), unit="answer")
            metrics = [truthfulqa_mc(doc, _of_choices(doc, row)) for doc, row in pairs]
        else:
            made = judged(task.identity.dataset, docs, texts, judge)
            if judge is None:
                _take_over(made, rows)
            else:
                note_judge(results, task.name, task.identity.dataset, judge)
            answers = watched(zip(docs, made, strict=True), scoring, len(docs), unit="answer")
            metrics = [of_record(task.identity.dataset, doc, record) for doc, record in answers]
            without.append((task.name, unscored(metrics), len(metrics)))
        write_rows(_beside(task.path, slug), zip(rows, docs, metrics, strict=True))
        put_summary(results, task.name, metrics)
    path = _beside(run.path or run.folder / f"results_{run.date}.json", slug)
    write_results(path, results)
    return Rescored(results, path, tuple(without), tuple(lost))


def slug_of(names: Iterable[str]) -> str:
    """A file-name-safe slug of judge names.

    Example:
        >>> slug_of(["gpt-4o-mini", "PKU-Alignment/beaver-dam-7b@3a5b"])
        'gpt-4o-mini+beaver-dam-7b-3a5b'
        >>> slug_of(["hf:me/truth,me/info", "جج"])
        'truth+info+42de495d'
    """
    return "+".join(_slug(part) for name in names for part in name.split(","))


def _slug(name: str) -> str:
    readable = re.sub(r"[^\w.-]+", "-", name.split("/")[-1], flags=re.ASCII).strip("-.")[:60]
    # no name without a slug: a copy that has none would pass for the original
    return readable or hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _of_choices(doc: dict[str, Any], row: dict[str, Any]) -> list[tuple[float, bool]]:
    found = loglikelihoods(row)
    n = len(doc["choices"])
    return [(value, False) for value in (found if len(found) == n else [math.nan] * n)]


def _take_over(made: Sequence[Record], rows: Sequence[dict[str, Any]]) -> None:
    """Without a judge: the verdicts that the log has, where they are of the same answer."""
    for record, row in zip(made, rows, strict=True):
        logged = row["doc"].get("pak3h")
        if not isinstance(logged, dict) or not isinstance(verdicts := logged.get("verdicts"), dict):
            continue
        if logged.get("answer") != record["answer"]:
            why = "judged when answers were cleaned otherwise; give a judge"
            verdicts = {name: Verdict(None, reason=why).to_json() for name in verdicts}
        record["verdicts"] = verdicts


def unscored(metrics: Iterable[Mapping[str, Any]]) -> int:
    """How many documents a judge was to score and did not."""
    return sum(document.get("coverage", 1.0) != 1.0 for document in metrics)


def _read(task: TaskLog) -> tuple[list[dict[str, Any]], list[str], list[dict[str, Any]]]:
    docs, texts, rows, seen = [], [], [], set()
    for row in task.rows():
        doc = {name: value for name, value in row["doc"].items() if name != "pak3h"}
        if doc["id"] in seen:  # two ranks that both ran every document
            continue
        seen.add(doc["id"])
        docs.append(doc)
        texts.append(response(row))
        rows.append(row)
    return docs, texts, rows


def _note_rows(results: dict[str, Any], task: str, n: int) -> tuple[int, int] | None:
    """Say in the results how many answers there are; (how many are lost, of how many), None where none is.

    lm-eval's own count is 0 under --predict_only.
    """
    counts = results.get("n-samples", {}).get(task)
    ran = int(counts["effective"]) if counts else 0
    if counts:
        counts["effective"] = n
    return (ran - n, ran) if n < ran else (0, 0) if n == 0 else None


def write_rows(path: Path, rows: Iterable[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]) -> None:
    """Sample-log rows with new documents and metrics; (old row, document, metrics) each."""
    lines = []
    for row, doc, metrics in rows:
        kept = {name: value for name, value in row.items() if name not in row.get("metrics", ())}
        new = finite({**kept, "doc": doc, "metrics": list(metrics), **metrics})
        lines.append(json.dumps(new, ensure_ascii=False, allow_nan=False) + "\n")
    _write(path, "".join(lines))


def write_results(path: Path, content: Mapping[str, Any]) -> None:
    """JSON as lm-eval writes its results, but null for NaN, which a run of an older version may hold."""
    _write(path, json.dumps(finite(content), indent=2, ensure_ascii=False, default=str, allow_nan=False))


def _write(path: Path, text: str) -> None:
    # whole or not at all: a copy that was cut off would look like a run
    remedy = "verdicts are in the answer cache, so running this again where it can write costs nothing"
    write_text(path, text, remedy)


def _beside(path: Path, slug: str) -> Path:
    return path.with_name(f"{path.stem}_scored-{slug}{path.suffix}")


def note_judge(results: dict[str, Any], task: str, dataset: Dataset, judge: Judge | None) -> None:
    """Say in the results which judge made them, where `dataset.build` says which data did."""
    said = results["configs"][task].setdefault("dataset_kwargs", {}).setdefault("pak3h", {})
    said |= made_by(dataset, judge)


def put_summary(results: dict[str, Any], task: str, metrics: Sequence[Mapping[str, Any]]) -> None:
    """Replace a task's aggregates by those of `metrics`."""
    entry = results["results"].setdefault(task, {"alias": task})
    for key in [key for key in entry if "," in key]:
        del entry[key]
    entry |= summarise(metrics)
    better = results.setdefault("higher_is_better", {}).setdefault(task, {})
    if "coverage" not in better:  # a run with --predict_only knows no metric
        better |= task_facts(task)[1]


def _results_of_a_spool(run: Run, model: str | None) -> dict[str, Any]:
    results: dict[str, Any] = {
        "results": {}, "configs": {}, "versions": {}, "n-shot": {}, "higher_is_better": {}, "group_subtasks": {},
        "model_name": model or run.model, "config": {"model": model or run.model},
    }  # fmt: skip
    for task in run.tasks.values():
        of = task.identity
        said = {"dataset": of.dataset, "lang": of.lang, "kind": of.kind, "split": of.split}
        add_task(results, task.name, {**said, **making(of.dataset, of.lang, of.kind)})
    return results


def add_task(results: dict[str, Any], task: str, said: Mapping[str, Any]) -> None:
    """Enter a task that lm-eval did not run into a results dict."""
    version, better = task_facts(task)
    results["configs"][task] = {"task": task, "dataset_kwargs": {"pak3h": {k: v for k, v in said.items() if v}}}
    results["versions"][task] = version
    results["higher_is_better"][task] = better
    results["results"][task] = {"alias": task}
