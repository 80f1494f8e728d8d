"""One row of data to one item: the schema, unique ids, odd characters; and every fault said as what and what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pak3h_tasks.data.faults import Faults
from pak3h_tasks.errors import closest
from pak3h_tasks.schema import DATASETS, ITEM_TYPES, Dataset, Item, item_fields
from pak3h_tasks.text.escape import quoted

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MAX_MESSAGE = 400


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
            for message in fault_messages(error, self.dataset):
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


def fault_messages(error: ValidationError, dataset: Dataset) -> Iterator[str]:
    """One message a fault of an item; a misspelt field is one fault, not an unknown and a missing one."""
    details = error.errors(include_url=False)
    if other := _other_dataset(details, dataset):
        name = next(str(one["loc"][0]) for one in details if one["type"] == "extra_forbidden")
        yield f"unknown field {quoted(name)}: an item of {other}, not of {dataset}; give another file or --dataset"
        return
    missing = {str(detail["loc"][0]) for detail in details if detail["type"] == "missing"}
    meant: set[str] = set()
    for detail in details:
        if detail["type"] == "extra_forbidden":
            name = str(detail["loc"][0])
            guess = closest(name, list(item_fields(dataset)))
            if guess in missing:
                meant.add(guess)
            remedy = f"did you mean {guess!r}?" if guess else f"the fields are {', '.join(item_fields(dataset))}"
            yield f"unknown field {quoted(name)}; {remedy}"
    for detail in details:
        if detail["type"] == "missing" and str(detail["loc"][0]) not in meant:
            yield f"'{detail['loc'][0]}' is missing; give it"
        elif detail["type"] not in ("missing", "extra_forbidden"):
            yield _one(detail)[:_MAX_MESSAGE]


def _other_dataset(details: Sequence[ErrorDetails], dataset: Dataset) -> Dataset | None:
    """The dataset that has every field which is too many, and none of this one's that are missing."""
    extra, missing = (
        {str(one["loc"][0]) for one in details if one["type"] == kind} for kind in ("extra_forbidden", "missing")
    )
    fits = (one for one in DATASETS if one != dataset and extra <= set(item_fields(one)))
    return next(fits, None) if extra and missing and len(missing) > 1 else None


def json_kind(value: object) -> str:
    """What a JSON value is, in words.

    Example:
        >>> json_kind(None), json_kind(True), json_kind(2), json_kind({})
        ('null', 'true', 'a number', 'an object')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return "a number"
    names: Mapping[type, str] = {str: "text", list: "a list", tuple: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)


def _one(detail: ErrorDetails) -> str:
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    where = _place(detail["loc"])
    if kind == "value_error":
        return f"{where} {context['error']}"
    if kind == "literal_error":
        shown = quoted(value) if isinstance(value, str) else json_kind(value)
        return f"{where} is {shown}; use {context['expected']}"
    wanted = _WANTED.get(kind)
    if wanted is None:
        return f"{where}: {detail['msg']} (got {quoted(value)})"
    got = json_kind(value)
    return f"{where} must be {wanted}, not {got}" + (
        f" ({quoted(value)})" if got not in ("null", "true", "false") else ""
    )


def _place(loc: tuple[Any, ...]) -> str:
    if len(loc) < 2:
        return f"'{loc[0]}'" if loc else "the item"
    inner = f"entry {loc[1] + 1}" if isinstance(loc[1], int) else quoted(loc[1])
    return f"'{loc[0]}' {inner}"


_WANTED = {
    "string_type": "text",
    "list_type": "a list of texts",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "an object of the 14 BeaverTails categories",
}
