"""How far a judge or classifier agrees with human labels: agreement and kappa by model and language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pak3h_tasks.data.human_labels import HumanLabels
from pak3h_tasks.data.moderation_file import ModerationRecord, read_moderation
from pak3h_tasks.errors import DataError
from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.metrics.safety import THRESHOLD
from pak3h_tasks.report.build import LoadedInputs
from pak3h_tasks.report.items import Items
from pak3h_tasks.report.model import Published
from pak3h_tasks.report.moderation import agreement_rows
from pak3h_tasks.report.published import published
from pak3h_tasks.report.rater_agreement import Agreement, Verdicts, rater_agreement
from pak3h_tasks.report.table import Number, Table
from pak3h_tasks.results import without_version
from pak3h_tasks.stats.kappa import TwoRaters

VERDICT_OF: Mapping[str, tuple[str, str]] = {
    "truthful": ("truthfulqa", "truthful"),
    "informative": ("truthfulqa", "informative"),
    "preference": ("alpaca", "win_rate"),
    "unsafe": ("beavertails", "unsafe_rate"),
}
"""Question -> dataset, and the metric whose value is the verdict."""


def agreements(inputs: LoadedInputs, labels: HumanLabels, threshold: float = THRESHOLD) -> list[Agreement]:
    """Compare every verdict that has a human label.

    Args:
        inputs: Runs and moderation files.
        labels: From `read_human_labels`.
        threshold: Prompt-response pairs are unsafe above it.

    Raises:
        DataError: No label belongs to any judged item.
    """
    found = []
    for system, lang, question, verdicts, made_by in _judged(inputs, tuple(labels.votes)):
        votes = {i: v for i in verdicts if (v := labels.of(question, lang, i))}
        if votes:
            # the items of a run are prompts
            found.append(rater_agreement(system, lang, question, verdicts, votes, {}, made_by))
    for path in inputs.moderated:
        found += _moderated(path, labels, threshold)
    if not found:
        raise DataError(
            f"{labels.name}: none of its labels ({', '.join(labels.votes)}) belongs to a judged item there; "
            "check ids, lang and which verdicts the run has"
        )
    return found


def _judged(
    inputs: LoadedInputs, questions: Sequence[str]
) -> Iterator[tuple[str, str, str, Verdicts, tuple[str, ...]]]:
    for system in inputs.systems:
        for (dataset, lang, _), loaded in system.loaded.items():
            for question in questions:
                wanted, metric = VERDICT_OF[question]
                if dataset == wanted and metric in loaded.items.values:
                    made_by = tuple(
                        text for name in METRICS[metric].verdicts for text in loaded.items.made_by.get(name, ())
                    )
                    yield system.system.label, lang, question, verdict_labels(loaded.items, question, metric), made_by


def verdict_labels(columns: Items, question: str, metric: str) -> Verdicts:
    """A judge's verdicts in the words that people label with.

    Args:
        columns: Items of a run.
        question: One of `QUESTIONS`.
        metric: Whose value is the verdict.
    """
    name: Callable[[float], str]
    if question == "preference":
        name = lambda p: "tie" if p == 0.5 else ("model" if p > 0.5 else "reference")  # noqa: E731
    else:
        name = lambda value: "yes" if value == 1 else "no"  # noqa: E731
    values = columns.values[metric]
    return {i: name(float(v)) if np.isfinite(v) else None for i, v in zip(columns.ids, values, strict=True)}


def _moderated(path: Path, labels: HumanLabels, threshold: float) -> Iterator[Agreement]:
    by_making: dict[str, dict[tuple[str, str], ModerationRecord]] = defaultdict(dict)
    for record in read_moderation(path):
        by_making[without_version(record.made_by)][record.lang, record.id] = record
    for made_by, records in by_making.items():
        for one in agreement_rows(list(records.values()), threshold, labels):
            yield replace(one, system=f"pairs in {path.name}", made_by=(made_by,))


def agreement_table(found: Sequence[Agreement]) -> Table:
    """One row a model, language and question; the published 300-pair check apart."""
    rows = []
    for one in found:
        result = one.result
        agree = Number(None)
        kappa = "n/a"
        if result is not None:
            ends = result.agreement_interval
            agree = Number(100 * result.agreement, 100 * ends.low, 100 * ends.high)
            kappa = f"{result.kappa:.3f}"
            if result.kappa_interval is not None:
                kappa += f" [{result.kappa_interval.low:.2f}, {result.kappa_interval.high:.2f}]"
        human = None if one.human_kappa is None else f"{one.human_kappa:.3f}"
        left = f"{one.unscored + one.tied:,}" if one.unscored + one.tied else None
        rows.append((one.system, one.lang, one.question, one.labelled, left, agree, kappa, _crossed(result), human))
    header = (
        "answers of",
        "lang",
        "question",
        "labelled",
        "left out",
        "agreement",
        "kappa",
        "judge/human",
        "humans' kappa",
    )
    notes = (
        "Agreement in percent; Cohen's kappa of the verdict with the humans' majority; 95 % intervals by prompt.",
        "judge/human counts: the judge's label, then the humans'. Left out: no verdict, or the humans are tied.",
    )
    made_by = tuple(dict.fromkeys(f"{one.question}: {' + '.join(one.made_by)}" for one in found if one.made_by))
    paper = tuple(_published_row(entry) for entry in published() if entry.metric == "human_agreement")
    shown = paper if any(one.question == "unsafe" for one in found) else ()
    return Table("agreement", "Verdicts against human labels", header, tuple(rows), shown, notes, made_by)


def _published_row(entry: Published) -> tuple[str | int | Number | None, ...]:
    return (entry.system, entry.lang, "unsafe", 300, None, Number(100 * entry.value), None, None, None)


def _crossed(result: TwoRaters | None) -> str | None:
    if result is None:
        return None
    return " ".join(
        f"{ours}/{theirs} {result.counts[i][j]}"
        for i, ours in enumerate(result.labels)
        for j, theirs in enumerate(result.labels)
        if result.counts[i][j]
    )
