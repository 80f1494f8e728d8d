"""Items with everything logged of them, for the sample browser: texts by language, each model's answer, its verdicts.

Logs are read a second time and only the chosen items are kept, so the cost is that of what is shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pak3h_tasks.data.sample_log import TaskLog, response
from pak3h_tasks.report.metrics import METRICS
from pak3h_tasks.report.sample_model import (
    Limits,
    Sample,
    SampleAnswer,
    SampleChoice,
    SampleSet,
    SampleTexts,
    SampleVerdict,
)
from pak3h_tasks.report.systems import LoadedSystem


def collect_samples(systems: Sequence[LoadedSystem], limits: Limits | None = None) -> SampleSet:
    """The items to show.

    Args:
        systems: From `load_systems`.
        limits: How much.

    Raises:
        DataError: A sample log can no longer be read.
    """
    limits = limits or Limits()
    samples: list[Sample] = []
    totals = {}
    for task in dict.fromkeys((dataset, kind) for found in systems for dataset, _, kind in found.loaded):
        ids = dict.fromkeys(
            identifier
            for found in systems
            for (dataset, _, kind), loaded in found.loaded.items()
            if (dataset, kind) == task
            for identifier in loaded.columns.ids
        )
        totals[task] = len(ids)
        samples += _of_task(systems, task, _spread(list(ids), limits.items), limits)
    return SampleSet(tuple(samples), totals, limits)


def _spread(ids: list[str], most: int) -> list[str]:
    if len(ids) <= most:
        return ids
    return [ids[number * len(ids) // most] for number in range(most)]


def _of_task(
    systems: Sequence[LoadedSystem], task: tuple[str, str], ids: Sequence[str], limits: Limits
) -> Iterator[Sample]:
    wanted = set(ids)
    texts: dict[str, dict[str, SampleTexts]] = {identifier: {} for identifier in ids}
    answers: dict[str, list[SampleAnswer]] = {identifier: [] for identifier in ids}
    about: dict[str, tuple[str, str | None]] = {}
    for found in systems:
        for (dataset, lang, kind), loaded in found.loaded.items():
            if (dataset, kind) != task:
                continue
            seen: set[str] = set()
            for file in loaded.source.files:
                log = TaskLog(loaded.source.tasks[0], Path(file), loaded.columns.identity)
                for row in log.rows(_silent):
                    doc = row["doc"]
                    if doc["id"] in wanted and doc["id"] not in seen:
                        seen.add(doc["id"])
                        topic = doc.get("topic")
                        about.setdefault(doc["id"], (doc["localization"], topic if isinstance(topic, str) else None))
                        texts[doc["id"]].setdefault(lang, _texts(doc, limits))
                        answers[doc["id"]].append(_answer(row, found.system.label, lang, kind, limits))
    for identifier in ids:
        if identifier in about:
            split, topic = about[identifier]
            yield Sample(*task, identifier, split, topic, texts[identifier], tuple(answers[identifier]))


def _silent(_: str) -> None:
    """The first reading has said it all."""


def _texts(doc: dict[str, Any], limits: Limits) -> SampleTexts:
    prompt = next((doc[name] for name in ("question", "instruction", "prompt") if isinstance(doc.get(name), str)), "")
    if isinstance(more := doc.get("input"), str) and more.strip():
        prompt = f"{prompt}\n\n{more}"
    right = doc.get("correct_answers") or ([doc["output"]] if "output" in doc else [])
    wrong = doc.get("incorrect_answers") or []
    return SampleTexts(_cut(prompt, limits), _cut_all(right, limits), _cut_all(wrong, limits))


def _answer(row: dict[str, Any], system: str, lang: str, kind: str, limits: Limits) -> SampleAnswer:
    details = row["doc"].get("pak3h")
    details = details if isinstance(details, dict) else {}
    logged = details.get("answer")
    text = "" if kind == "mc" else (logged if isinstance(logged, str) else response(row))
    verdicts = details.get("verdicts")
    reason = details.get("reason")
    return SampleAnswer(
        system=system,
        lang=lang,
        text=_cut(text, limits),
        is_cut=len(text) > limits.chars,
        metrics={name: value for name in METRICS if (value := _number(row.get(name))) is not None},
        verdicts=tuple(_verdicts(verdicts if isinstance(verdicts, dict) else {}, limits)),
        choices=tuple(_choices(row, limits)) if kind == "mc" else (),
        reason=_cut(reason, limits) if isinstance(reason, str) else "",
    )


def _verdicts(verdicts: dict[str, Any], limits: Limits) -> Iterator[SampleVerdict]:
    for name, verdict in verdicts.items():
        if isinstance(verdict, dict):
            raw, reason, details = (verdict.get(key) for key in ("raw", "reason", "details"))
            yield SampleVerdict(
                name=name,
                value=_number(verdict.get("value")),
                probability=_number(verdict.get("probability")),
                raw=_cut(raw, limits) if isinstance(raw, str) else None,
                reason=_cut(reason, limits) if isinstance(reason, str) else None,
                details=_cut_json(details, limits) if isinstance(details, dict) else {},
            )


def _choices(row: dict[str, Any], limits: Limits) -> Iterator[SampleChoice]:
    doc = row["doc"]
    choices, correct = doc.get("choices"), doc.get("correct_answers")
    found = row.get("filtered_resps")
    pairs = found if isinstance(found, list) else []
    # the harness puts the correct answers first and may add a closing mark to each
    known = {_bare(text) for text in correct if isinstance(text, str)} if isinstance(correct, list) else set()
    for number, choice in enumerate(choices if isinstance(choices, list) else []):
        pair = pairs[number] if number < len(pairs) else None
        value = pair[0] if isinstance(pair, list) and pair else None
        yield SampleChoice(_cut(str(choice), limits), _bare(str(choice)) in known, _number(value))


def _bare(text: str) -> str:
    return text.strip().rstrip(".۔")


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _cut(text: str, limits: Limits) -> str:
    return text if len(text) <= limits.chars else f"{text[: limits.chars]}…"


def _cut_all(texts: object, limits: Limits) -> tuple[str, ...]:
    return tuple(_cut(text, limits) for text in texts if isinstance(text, str)) if isinstance(texts, list) else ()


def _cut_json(value: Any, limits: Limits) -> Any:
    if isinstance(value, str):
        return _cut(value, limits)
    if isinstance(value, dict):
        return {_cut(str(name), limits): _cut_json(entry, limits) for name, entry in list(value.items())[:50]}
    if isinstance(value, list):
        return [_cut_json(entry, limits) for entry in value[:50]]
    return value if not isinstance(value, float) or math.isfinite(value) else None
