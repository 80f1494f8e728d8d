"""Prompt-response pairs to moderate: a data set's own, or a file of the user's (``pak3h moderate --pairs``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pak3h_tasks.data.field_values import boolean, is_missing, text
from pak3h_tasks.data.load import LoadedSet
from pak3h_tasks.data.read_table import read_table
from pak3h_tasks.schema import SPLITS, HarmlessItem, parse_localization
from pak3h_tasks.text.escape import quoted

OWN_FILE = "-"


@dataclass(frozen=True)
class PairItem:
    """A pair with what is known of it.

    Attributes:
        lang: Language of the data set; ``-`` for a file of the user's.
        id: The item's id, unique within `lang`.
        prompt: What was asked.
        response: What is judged.
        localization: dt, lc or li, where known.
        is_safe: The human label, where there is one.
        data: Short name of the data, for the record.
    """

    lang: str
    id: str
    prompt: str
    response: str
    localization: str | None
    is_safe: bool | None
    data: str


def pairs_of(loaded: LoadedSet[Any]) -> list[PairItem]:
    """The prompt-response pairs of a loaded beavertails set."""
    return [
        PairItem(loaded.lang, item.id, item.prompt, item.response, item.localization, item.is_safe, loaded.short)
        for item in loaded.items
        if isinstance(item, HarmlessItem)
    ]


def read_pairs(path: Path) -> list[PairItem]:
    """Pairs from any file that `read_table` reads, with columns ``prompt`` and ``response``.

    ``id`` (default: the position), ``localization`` and ``is_safe`` are used where present; other columns are not.

    Raises:
        DataError: The file cannot be read, a field is missing or no text, an id repeats; one line a fault.
    """
    table = read_table(path).named(("prompt", "response", "id", "localization", "is_safe"))
    faults = table.faults_with(("prompt", "response"), "a pair needs 'prompt' and 'response'")
    pairs, seen = [], set()
    for position, row in table.rows:
        prompt, response = row.get("prompt"), row.get("response")
        identifier = row.get("id")
        identifier = str(position) if is_missing(identifier) or identifier == "" else text(identifier)
        localization = parse_localization(row.get("localization"))
        label = row.get("is_safe")
        is_safe = None if is_missing(label) or label == "" else boolean(label)
        if not isinstance(prompt, str) or not isinstance(response, str):
            faults.add("'prompt' and 'response' must be text", position)
        elif not prompt.strip():
            faults.add("'prompt' is empty; give a text", position)
        elif not isinstance(identifier, str):
            faults.add(f"'id' is {quoted(identifier)}; give a text", position)
        elif identifier in seen:
            faults.add(f"id {quoted(identifier)} repeats an earlier one; make ids unique", position)
        elif localization not in (None, "", *SPLITS):
            faults.add(f"'localization' is {quoted(localization)}; use {', '.join(SPLITS)} or leave it out", position)
        elif not (is_safe is None or isinstance(is_safe, bool)):
            faults.add(f"'is_safe' is {quoted(label)}; use true or false", position)
        else:
            seen.add(identifier)
            split = localization if isinstance(localization, str) and localization else None
            pairs.append(PairItem(OWN_FILE, identifier, prompt, response, split, is_safe, table.name))
    if faults:
        raise faults.error()
    return pairs
