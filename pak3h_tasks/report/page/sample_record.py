"""A row of a sample log as the sample browser shows it: the item's texts, the answer, its numbers and verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pak3h_tasks.data.sample_log import response
from pak3h_tasks.metrics.registry import HARMS, reported
from pak3h_tasks.report.sample_rows import prompt_of

MAX_CHARS = 6000
"""Longest text on the page; the log has the whole of it."""
_MAX_REPLY_CHARS = 1500
_MAX_ENTRIES = 40


def texts_of(doc: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """The item itself: ``prompt``, and ``reference`` or ``correct`` and ``incorrect`` where it has them.

    Args:
        doc: The row's document.
        dataset: truthfulqa, alpaca or beavertails.
    """
    texts: dict[str, Any] = {"prompt": cut(prompt_of(doc, dataset))}
    if dataset == "alpaca" and isinstance(doc.get("output"), str):
        texts["reference"] = cut(doc["output"])
    if dataset == "truthfulqa":
        if isinstance(doc.get("best_answer"), str):
            texts["reference"] = cut(doc["best_answer"])
        for name in ("correct", "incorrect"):
            answers = doc.get(f"{name}_answers")
            if isinstance(answers, list):
                texts[name] = [cut(text) for text in answers[:_MAX_ENTRIES] if isinstance(text, str)]
    return texts


def answer_fields(row: Mapping[str, Any], dataset: str, kind: str) -> dict[str, Any]:
    """What the model did with the item.

    Args:
        row: The row.
        dataset: truthfulqa, alpaca or beavertails.
        kind: mc or gen.

    Returns:
        Each only where there is one: ``answer`` (as judged), ``raw`` (as generated, where it differs), ``choices``
        ([text, log-likelihood or None, is correct]), ``numbers`` (metric -> value), ``verdicts`` (name -> verdict),
        ``reason`` (why a multiple-choice item is not scored).
    """
    doc = row["doc"]
    details = doc.get("pak3h")
    details = details if isinstance(details, dict) else {}
    found: dict[str, Any] = {"numbers": _numbers(row, dataset, kind)}
    if kind == "mc":
        found["choices"] = _choices(row)
    else:
        raw = response(dict(row))
        judged = details.get("answer")
        answer = judged if isinstance(judged, str) else raw
        found["answer"] = cut(answer)
        if raw.strip() != answer.strip():
            found["raw"] = cut(raw)
    if isinstance(details.get("reason"), str):
        found["reason"] = cut(details["reason"], _MAX_REPLY_CHARS)
    verdicts = details.get("verdicts")
    if isinstance(verdicts, dict):
        found["verdicts"] = {
            cut(name, 80): _verdict(verdict)
            for name, verdict in list(verdicts.items())[:_MAX_ENTRIES]
            if isinstance(verdict, dict)
        }
    return found


def cut(text: str, limit: int = MAX_CHARS) -> str:
    """The text, or its beginning and how long it is.

    Example:
        >>> cut("abcdef", 3)
        'abc… [6 characters; the log has the rest]'
    """
    return text if len(text) <= limit else f"{text[:limit]}… [{len(text):,} characters; the log has the rest]"


def _numbers(row: Mapping[str, Any], dataset: str, kind: str) -> dict[str, float]:
    # harm categories stand in the verdict, as probabilities
    names = [metric.name for metric in reported(dataset, kind) if metric.name not in HARMS]
    return {name: number for name in names if (number := _number(row.get(name))) is not None}


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    except OverflowError:  # an integer no float holds
        return None
    return float(f"{number:.4g}") if math.isfinite(number) else None


def _choices(row: Mapping[str, Any]) -> list[list[Any]]:
    doc, replies = row["doc"], row.get("resps")
    choices, correct = doc.get("choices"), doc.get("correct_answers")
    if not isinstance(choices, list):
        return []
    # the harness may add a closing mark to an answer
    known = {_bare(text) for text in correct if isinstance(text, str)} if isinstance(correct, list) else set()
    replies = replies if isinstance(replies, list) and len(replies) == len(choices) else [None] * len(choices)
    pairs = list(zip(choices, replies, strict=True))[:_MAX_ENTRIES]
    return [[cut(text), _loglikelihood(reply), _bare(text) in known] for text, reply in pairs if isinstance(text, str)]


def _bare(text: str) -> str:
    return text.strip().rstrip(".۔")


def _loglikelihood(reply: Any) -> float | None:
    while isinstance(reply, list) and reply:
        reply = reply[0]
    try:
        return _number(float(reply))
    except (TypeError, ValueError, OverflowError):
        return None


def _verdict(verdict: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("value", "probability"):
        found[name] = _number(verdict.get(name))
    for name in ("raw", "reason", "signature"):
        if isinstance(verdict.get(name), str) and verdict[name]:
            found[name] = cut(verdict[name], _MAX_REPLY_CHARS)
    details = verdict.get("details")
    if isinstance(details, dict) and details:
        details = dict(details)
        probabilities = details.pop("probabilities", None)
        if isinstance(probabilities, dict):
            found["probabilities"] = {
                cut(name, 80): number
                for name, value in list(probabilities.items())[:_MAX_ENTRIES]
                if (number := _number(value)) is not None
            }
        if details:
            found["details"] = _plain(details)
    return found


def _plain(value: Any, depth: int = 0) -> Any:
    """JSON of any shape, kept small."""
    if isinstance(value, str):
        return cut(value, _MAX_REPLY_CHARS)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict) and depth < 4:
        return {cut(str(k), 80): _plain(v, depth + 1) for k, v in list(value.items())[:_MAX_ENTRIES]}
    if isinstance(value, list) and depth < 4:
        return [_plain(entry, depth + 1) for entry in value[:_MAX_ENTRIES]]
    return value if value is None or isinstance(value, (bool, int)) else cut(str(value), 80)
