"""One row of data to one item: the schema, unique ids, and characters that no text file may hold."""

from __future__ import annotations

import json

from pydantic import ValidationError

from pak3h_tasks.data.explain import explain, json_kind
from pak3h_tasks.data.faults import Faults
from pak3h_tasks.schema import ITEM_TYPES, Dataset, Item
from pak3h_tasks.text.terminal import quoted


class RowChecker:
    """Checks rows one after another and notes every fault of each; equal ids are two rows' fault, told once.

    Attributes:
        dataset: Whose fields the rows must have.
        faults: Where faults go.
    """

    def __init__(self, dataset: Dataset, faults: Faults) -> None:
        self.dataset = dataset
        self.faults = faults
        self._validate = ITEM_TYPES[dataset].model_validate
        self._positions: dict[str, int] = {}

    def check(self, row: object, position: int, *, may_hold_odd_characters: bool = True) -> Item | None:
        """The item of a row, or None when it has a fault (which is then in `faults`).

        Args:
            row: The decoded JSON value, or a table's row as a dict.
            position: Line or row number, from 1.
            may_hold_odd_characters: False when the caller knows that there is no NUL or lone surrogate.
        """
        if not isinstance(row, dict):
            self.faults.add(f'holds {json_kind(row)}, not an item; write one object a line: {{"id": ...}}', position)
            return None
        odd = odd_characters(row) if may_hold_odd_characters else []
        for message in odd:
            self.faults.add(message, position)
        try:
            item = self._validate(row)
        except ValidationError as error:
            for message in explain(error, self.dataset):
                self.faults.add(message, position)
            return None
        first = self._positions.setdefault(item.id, position)
        if first != position:
            self.faults.add(
                f"id {quoted(item.id)} is already used on {self.faults.unit} {first}; ids must be unique", position
            )
            return None
        return None if odd else item


def odd_characters(row: dict[str, object]) -> list[str]:
    """Messages about NULs and lone surrogates: both cut files and logs short further on."""
    messages = []
    for name, value in row.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        if "\0" in text or (text is not value and _json_nul(text)):
            messages.append(f"{quoted(name)} holds a NUL character; remove it")
        try:
            text.encode()
        except UnicodeEncodeError:
            messages.append(f"{quoted(name)} holds a lone surrogate (half of a character); write the whole character")
    return messages


def _json_nul(text: str) -> bool:
    # In a list or object, json has written NUL as an escape; an escaped backslash before it means plain text.
    return "\\u0000" in text.replace("\\\\", "")
