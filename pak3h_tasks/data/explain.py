"""Pydantic's errors about one item, said as where, what and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pak3h_tasks.schema import Dataset, item_fields
from pak3h_tasks.text.terminal import quoted

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_MAX_MESSAGE = 400


def explain(error: ValidationError, dataset: Dataset) -> Iterator[str]:
    """One message a fault of an item; a misspelt field is one fault, not an unknown and a missing one."""
    details = error.errors(include_url=False)
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


def closest(name: str, known: list[str]) -> str | None:
    """The known name that `name` most likely means, if any.

    Example:
        >>> closest("Best Answer", ["question", "best_answer"]), closest("qestion", ["question"]), closest("x", ["id"])
        ('best_answer', 'question', None)
    """
    found = difflib.get_close_matches(name.strip().lower().replace(" ", "_"), known, n=1, cutoff=0.75)
    return found[0] if found else None


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
