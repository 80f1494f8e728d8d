"""Ids that stay the same: from the source, from content, or from the same item in another language."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any

from pak3h_tasks.data.faults import Faults
from pak3h_tasks.schema import Dataset, Item
from pak3h_tasks.text.escape import quoted

# What makes an item this item; reference answers and labels may be corrected without becoming another one.
_IDENTITY: dict[Dataset, tuple[str, ...]] = {
    "truthfulqa": ("question",),
    "alpaca": ("instruction", "input"),
    "beavertails": ("prompt", "response"),
}
# What localising an item keeps, and so tells whether two files are in the same order. Not topic or source: they may be
# translated or replaced. In a random order, type and is_safe differ in about half of the rows.
_KEPT_IN_TRANSLATION = ("type", "is_safe", "category")
_MAX_DIFFERENT = 1 / 3

Fields = Mapping[str, Any]


def content_ids(dataset: Dataset, rows: Sequence[Fields]) -> tuple[list[str], int]:
    """Ids from content: the dataset's name and 16 hex digits of sha256 over what makes the item.

    Args:
        dataset: Which dataset.
        rows: Our fields of each row.

    Returns:
        One id a row, and how many rows repeat an earlier one and so got a counter (``-2``, ``-3``, ...) to be unique.

    Example:
        >>> content_ids("alpaca", [{"instruction": "Add.", "input": "1 2"}, {"instruction": "Add.", "input": "1 2"}])
        (['alpaca-44175c8d2f85d672', 'alpaca-44175c8d2f85d672-2'], 1)
    """
    times: Counter[str] = Counter()
    ids = []
    for row in rows:
        content = json.dumps([row.get(field, "") for field in _IDENTITY[dataset]], ensure_ascii=True, default=str)
        name = f"{dataset}-{hashlib.sha256(content.encode()).hexdigest()[:16]}"
        times[name] += 1
        ids.append(name if times[name] == 1 else f"{name}-{times[name]}")
    return ids, len(rows) - len(times)


def partners_by_position(rows: Sequence[Fields], partner: Sequence[Item], name: str, faults: Faults) -> list[Item]:
    """The partner item of each row when both files have the same rows in the same order.

    Args:
        rows: Our fields of each row.
        partner: The other language's items, in file order.
        name: What messages call the other file.
        faults: Of the source; says so when the orders cannot be the same.

    Raises:
        DataError: Another number of rows, or more than a third of them differ in something a translation keeps.
    """
    if len(rows) != len(partner):
        faults.raise_now(
            f"has {len(rows):,} rows and {name} {len(partner):,}, so they do not pair by position; "
            "pair by a column with --pair-on, or take ids from a column with --map id=COLUMN"
        )
    differ, compared = different_rows(rows, partner)
    if len(differ) > _MAX_DIFFERENT * compared:
        faults.raise_now(
            f"differs from {name} in {' or '.join(_KEPT_IN_TRANSLATION)} in {len(differ):,} of {compared:,} rows "
            f"(first: row {differ[0]}), so the order is not the same; pair by a column with --pair-on"
        )
    return list(partner)


def different_rows(rows: Sequence[Fields], partner: Sequence[Item]) -> tuple[list[int], int]:
    """Rows that differ from their partner in a label that a translation keeps.

    Returns:
        Their numbers (from 1), and how many rows have such a label on both sides and so could be compared.
    """
    differ, compared = [], 0
    for number, (row, item) in enumerate(zip(rows, partner, strict=True), 1):
        kept = item.model_dump(include=set(_KEPT_IN_TRANSLATION), exclude_none=True)
        same = [row[field] == value for field, value in kept.items() if row.get(field) is not None]
        compared += bool(same)
        if not all(same):
            differ.append(number)
    return differ, compared


def partners_by_text(
    texts: Sequence[Mapping[str, str]], partner: Sequence[Item], positions: Sequence[int], name: str, faults: Faults
) -> list[Item | None]:
    """The partner item of each row, found by the partner's own text that the row carries.

    Args:
        texts: For each row, partner field -> text, such as ``{"question": "What ...?"}``; outer spaces do not count.
        partner: The other language's items; equal ones are used in file order, each once.
        positions: The rows' positions in the source, for messages.
        name: What messages call the other file.
        faults: Gets one fault for a row without a partner.
    """
    waiting: dict[tuple[str, ...], deque[Item]] = defaultdict(deque)
    fields = tuple(texts[0]) if texts else ()
    for item in partner:
        waiting[tuple(str(getattr(item, field)).strip() for field in fields)].append(item)
    found: list[Item | None] = []
    for text, position in zip(texts, positions, strict=True):
        queue = waiting.get(tuple(text[field].strip() for field in fields))
        if queue:
            found.append(queue.popleft())
            continue
        why = "every item with it is paired already" if queue is not None else "no item has it"
        shown = " and ".join(f"{field} {quoted(text[field])}" for field in fields)
        faults.add(f"has no partner in {name} for {shown} ({why}); mend the text or leave the row out", position)
        found.append(None)
    return found
