"""Answers made elsewhere: a list of ``{id or instruction, output}``, alpaca_eval's model_outputs among them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pak3h_tasks.errors import DataError
from pak3h_tasks.schema import Dataset, Item
from pak3h_tasks.text.terminal import quoted

ANSWER_FIELDS = ("output", "answer", "response")


@dataclass(frozen=True)
class Matched:
    """Answers matched to items.

    Attributes:
        items: The items that have an answer, in data order.
        answers: (n_items,) their answers.
        without_answer: Ids of items without one.
        unmatched: One line each, of rows that belong to no item.
        duplicates: One line each, of rows for an item that already had one (the first counts).
        generator: Model name the rows carry, where they agree on one.
    """

    items: tuple[Item, ...]
    answers: tuple[str, ...]
    without_answer: tuple[str, ...]
    unmatched: tuple[str, ...]
    duplicates: tuple[str, ...]
    generator: str | None


def read_outputs(path: Path) -> list[dict[str, Any]]:
    """Rows of a JSON array or JSONL file, each an object with an answer.

    Raises:
        DataError: It cannot be read, or a row has no answer; one line a fault.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8; save it as UTF-8") from None
    try:
        if text.lstrip().startswith("["):
            rows = json.loads(text)
        else:
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: broken JSON ({error}); give a JSON array or one object a line") from None
    if not rows:
        raise DataError(f"{path}: no answers in it; give a list of {{id or instruction, output}}")
    faults = [
        fault
        for number, row in enumerate(rows, 1)
        if (fault := _fault(row)) is not None
        for fault in [f"{path} row {number}: {fault}"]
    ]
    if faults:
        more = [f"{path}: and {len(faults) - 20} more such rows"] if len(faults) > 20 else []
        raise DataError("\n".join([*faults[:20], *more]))
    return list(rows)


def _fault(row: object) -> str | None:
    if not isinstance(row, dict):
        return "is no object; give {id or instruction, output}"
    if not isinstance(answer_of(row), str):
        return f"has no text field {', '.join(map(repr, ANSWER_FIELDS))}; add the answer as 'output' (\"\" where there is none)"
    return None


def answer_of(row: Mapping[str, Any]) -> Any:
    """The answer of a row: its first field of `ANSWER_FIELDS`."""
    return next((row[name] for name in ANSWER_FIELDS if name in row), None)


def match(rows: Sequence[Mapping[str, Any]], items: Sequence[Item], dataset: Dataset) -> Matched:
    """Match rows to items: by ``id`` where a row has one, else by the text of the question.

    A text that several items share (the same instruction with different inputs) needs ``input`` or ``id``.

    Args:
        rows: From `read_outputs`.
        items: The dataset's items.
        dataset: Which dataset.
    """
    by_id = {item.id: item for item in items}
    by_text: dict[str, list[Item]] = {}
    for item in items:
        for text in _texts(item, dataset):
            by_text.setdefault(text, []).append(item)
    found: dict[str, str] = {}
    unmatched, duplicates = [], []
    for number, row in enumerate(rows, 1):
        candidates = _candidates(row, by_id, by_text, dataset)
        if len(candidates) != 1:
            why = "matches no item" if not candidates else f"matches {len(candidates)} items; add 'id' or 'input'"
            unmatched.append(f"row {number} ({quoted(_name(row, dataset))}) {why}")
        elif candidates[0].id in found:
            duplicates.append(
                f"row {number} ({quoted(candidates[0].id)}) answers an item a second time; the first counts"
            )
        else:
            found[candidates[0].id] = str(answer_of(row))
    with_answer = tuple(item for item in items if item.id in found)
    generators = {str(row["generator"]) for row in rows if row.get("generator")}
    return Matched(
        items=with_answer,
        answers=tuple(found[item.id] for item in with_answer),
        without_answer=tuple(item.id for item in items if item.id not in found),
        unmatched=tuple(unmatched),
        duplicates=tuple(duplicates),
        generator=generators.pop() if len(generators) == 1 else None,
    )


_TEXT_FIELD: dict[Dataset, str] = {"truthfulqa": "question", "alpaca": "instruction", "beavertails": "prompt"}


def _texts(item: Item, dataset: Dataset) -> set[str]:
    text = str(getattr(item, _TEXT_FIELD[dataset])).strip()
    extra = str(getattr(item, "input", "")).strip()
    # alpaca_eval's users merge the input into the instruction
    return {text, f"{text}\n\n{extra}"} if extra else {text}


def _candidates(
    row: Mapping[str, Any], by_id: Mapping[str, Item], by_text: Mapping[str, list[Item]], dataset: Dataset
) -> list[Item]:
    if row.get("id") is not None:
        return [item for item in [by_id.get(str(row["id"]))] if item is not None]
    text, extra = _name(row, dataset).strip(), str(row.get("input") or "").strip()
    if extra:
        return by_text.get(f"{text}\n\n{extra}", [])
    found = by_text.get(text, [])
    exact = [item for item in found if not str(getattr(item, "input", "")).strip()]
    return exact if len(exact) == 1 and len(found) > 1 else found


def _name(row: Mapping[str, Any], dataset: Dataset) -> str:
    return str(row.get("id") or row.get(_TEXT_FIELD[dataset]) or "")
