"""Answers made elsewhere: a list of ``{id or instruction, output}``, alpaca_eval's model_outputs among them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pak3h_tasks.data.faults import Faults
from pak3h_tasks.data.field_values import is_missing, text
from pak3h_tasks.data.read_table import read_table
from pak3h_tasks.schema import Dataset
from pak3h_tasks.text.clean import without_surrogates
from pak3h_tasks.text.escape import quoted

ANSWER_FIELDS = ("output", "answer", "response")
TEXT_FIELD: Mapping[Dataset, str] = {"truthfulqa": "question", "alpaca": "instruction", "beavertails": "prompt"}


@dataclass(frozen=True)
class AnswerRow:
    """One answer and what it says of the item it belongs to.

    Attributes:
        position: Line or row in the file, from 1.
        answer: The answer; lone surrogates are replaced.
        id: Id of the item, or None.
        text: Its question, instruction or prompt; "" where the row has none.
        input: Its input, where the row has one beside the instruction.
    """

    position: int
    answer: str
    id: str | None
    text: str
    input: str


@dataclass(frozen=True)
class Outputs:
    """A file of answers.

    Attributes:
        name: The file's name, for messages.
        unit: What a position counts: ``line`` or ``row``.
        rows: Its rows.
        generator: Name of the model, where the rows carry one.
    """

    name: str
    unit: str
    rows: tuple[AnswerRow, ...]
    generator: str | None

    @property
    def fingerprint(self) -> str:
        """First 8 hex digits of the sha256 over the rows."""
        parts = [[row.id, row.text, row.input, row.answer] for row in self.rows]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:8]


def read_outputs(path: Path, dataset: Dataset) -> Outputs:
    """Answers in any file that `read_table` reads.

    The answer is called ``output`` (or ``answer``, ``response``), the item ``id`` or ``instruction`` (``question``,
    ``prompt``: as the dataset calls it), with ``input`` beside it or merged into it; ``generator`` names the model.
    Other columns are left alone.

    Raises:
        DataError: It cannot be read, a row has no answer or names no item, or several models answer in it; one line a
            fault.
    """
    table = read_table(path).named((*ANSWER_FIELDS, "id", TEXT_FIELD[dataset], "instruction", "input", "generator"))
    faults = Faults(table.name, table.unit)
    rows: list[AnswerRow] = []
    generators: dict[str, None] = {}
    for position, row in table.rows:
        if (fault := _fault(row, dataset)) is not None:
            faults.add(fault, position)
            continue
        rows.append(_row(position, row, dataset))
        if not is_missing(row.get("generator")) and (name := without_surrogates(str(row["generator"])).strip()):
            generators[name] = None
    if len(generators) > 1 and not faults:
        names = ", ".join(quoted(name) for name in list(generators)[:3])
        faults.add(f"holds answers of {len(generators)} models ({names}...); give each a file of its own")
    if faults:
        raise faults.error()
    return Outputs(table.name, table.unit, tuple(rows), next(iter(generators), None))


def _fault(row: Mapping[str, Any], dataset: Dataset) -> str | None:
    given = [name for name in ANSWER_FIELDS if name in row]
    if not given:
        return f"has no 'output' ({_columns(row)}); give the model's answer under that name"
    if len(given) > 1:
        # a data file with the model's answers beside its own outputs: which one is which cannot be guessed
        return f"has both {quoted(given[0])} and {quoted(given[1])}; keep the model's answer alone, as 'output'"
    answer = row[given[0]]
    if is_missing(answer):
        return f'has a null {quoted(given[0])}; write "" for an empty answer (a loss), or remove the row (not scored)'
    if not isinstance(answer, str):
        return f"has {quoted(answer)} as {quoted(given[0])}; give a text"
    if is_missing(row.get("id")) and not _text_of(row, dataset).strip():
        return f"names no item ({_columns(row)}); give its 'id' or its '{TEXT_FIELD[dataset]}'"
    return None


def _columns(row: Mapping[str, Any]) -> str:
    return "it has " + (", ".join(quoted(name, limit=30) for name in list(row)[:8]) or "nothing")


def _row(position: int, row: Mapping[str, Any], dataset: Dataset) -> AnswerRow:
    answer = next(row[name] for name in ANSWER_FIELDS if name in row)
    given = row.get("id")
    return AnswerRow(
        position=position,
        answer=without_surrogates(answer),
        id=None if is_missing(given) else without_surrogates(str(text(given))).strip(),
        text=_text_of(row, dataset),
        input="" if is_missing(row.get("input")) else without_surrogates(str(row["input"])),
    )


def _text_of(row: Mapping[str, Any], dataset: Dataset) -> str:
    for name in (TEXT_FIELD[dataset], "instruction"):
        if not is_missing(row.get(name)):
            return without_surrogates(str(row[name]))
    return ""
