"""The texts of an item, field by field: what is shown, translated and edited, and lists of answers in one cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pak3h_tasks.schema import Dataset

TEXT_FIELDS: dict[Dataset, tuple[str, ...]] = {
    "truthfulqa": ("question", "best_answer", "correct_answers", "incorrect_answers"),
    "alpaca": ("instruction", "input", "output"),
    "beavertails": ("prompt", "response"),
}
LIST_FIELDS = frozenset({"correct_answers", "incorrect_answers"})
_ESCAPE = "\N{SYMBOL FOR ESCAPE}"


def texts(dataset: Dataset, item: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every text of an item with the name of its field; a list gives one pair an answer."""
    for name in TEXT_FIELDS[dataset]:
        for text in item[name] if name in LIST_FIELDS else [item.get(name, "")]:
            yield name, text


def to_cell(value: str | list[str]) -> str:
    r"""A field as one text: answers one a line; a newline inside an answer is escaped.

    Example:
        >>> to_cell(["Yes.", "Of\ncourse."])
        'Yes.\nOf␛000Acourse.'
    """
    if isinstance(value, str):
        return value
    return "\n".join(answer.replace(_ESCAPE, f"{_ESCAPE}241B").replace("\n", f"{_ESCAPE}000A") for answer in value)


def from_cell(name: str, cell: str) -> str | list[str]:
    r"""Inverse of `to_cell`; blank lines of a list are no answers.

    Example:
        >>> from_cell("correct_answers", "Yes.\n\nOf␛000Acourse.\n")
        ['Yes.', 'Of\ncourse.']
    """
    if name not in LIST_FIELDS:
        return cell
    lines = (re.sub(f"{_ESCAPE}(241B|000A)", lambda match: chr(int(match[1], 16)), line) for line in cell.split("\n"))
    return [line for line in lines if line.strip()]
