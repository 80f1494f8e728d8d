"""Cells of a source table to the values of our fields: text, lists of answers, booleans, harm categories."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Mapping
from typing import Any

from pak3h_tasks.schema import HARM_CATEGORIES

_TRUE = {"true", "1", "1.0", "yes", "t", "y"}
_FALSE = {"false", "0", "0.0", "no", "f", "n"}


def is_missing(value: object) -> bool:
    """Whether a cell says nothing: null, or the NaN that pandas writes for it."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def text(value: object) -> object:
    """Text of a cell; numbers become text as written, anything else stays for the schema to refuse.

    Example:
        >>> text(42), text(7.0), text(" kept ")
        ('42', '7', ' kept ')
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def answers(value: object, separator: str = ";") -> object:
    """List of answers of a cell: a list, a list written as text, or text with separators; stripped, empties dropped.

    Example:
        >>> answers("Nothing happens; You digest them;"), answers(["a ", ""]), answers("['a', 'b']")
        (['Nothing happens', 'You digest them'], ['a'], ['a', 'b'])
    """
    if isinstance(value, str):
        written = _literal(value) if value.lstrip().startswith("[") else None
        value = written if isinstance(written, list) else value.split(separator)
    if not isinstance(value, list):
        return value
    stripped = [entry.strip() if isinstance(entry, str) else text(entry) for entry in value]
    return [entry for entry in stripped if entry != "" and not is_missing(entry)]


def boolean(value: object) -> object:
    """Truth value of a cell; what is neither stays for the schema to refuse.

    Example:
        >>> boolean("False"), boolean(1), boolean("maybe")
        (False, True, 'maybe')
    """
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else value


def categories(value: object) -> object:
    """The 14 harm categories of a cell: an object, or an object written as JSON or Python text.

    Example:
        >>> categories("{'self_harm': True}")
        {'self_harm': True}
    """
    if isinstance(value, str):
        value = _literal(value)
    return {name: boolean(flag) for name, flag in value.items()} if isinstance(value, dict) else value


def category_columns(columns: tuple[str, ...]) -> dict[str, str] | None:
    """Harm category -> column, where the 14 are columns of their own (``self_harm`` or ``category.self_harm``)."""
    for pattern in ("{}", "category.{}", "category_{}"):
        found = {name: pattern.format(name) for name in HARM_CATEGORIES}
        if set(found.values()) <= set(columns):
            return found
    return None


def gathered_categories(row: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, object] | None:
    """One object out of 14 columns; None where the row has none of them."""
    flags = {name: boolean(row.get(column)) for name, column in columns.items()}
    return None if all(is_missing(flag) or flag == "" for flag in flags.values()) else flags


def _literal(written: str) -> object:
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(written)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return written
