"""Human safe/unsafe labels from a file of ``id`` and ``is_safe``, to compare a classifier with."""

from __future__ import annotations

from pathlib import Path

from pak3h_tasks.data.field_values import boolean, is_missing, text
from pak3h_tasks.data.read_table import read_table
from pak3h_tasks.text.escape import quoted


def read_human_labels(path: Path) -> dict[tuple[str | None, str], bool]:
    """Labels by (language, id) from CSV, TSV, JSON, JSON Lines or Parquet.

    A ``lang`` column is optional; without it the language is None and a label holds for the id in every language.
    Rows without a label are left out.

    Raises:
        DataError: A column is missing, a label is neither true nor false, or an id has two different labels.
    """
    table = read_table(path)
    faults = table.faults_with(("id", "is_safe"), "labels need 'id' and 'is_safe'")
    labels: dict[tuple[str | None, str], bool] = {}
    for position, row in table.rows:
        identifier, lang, value = text(row.get("id")), row.get("lang"), row.get("is_safe")
        if is_missing(value) or value == "":
            continue
        label = boolean(value)
        key = (None if is_missing(lang) or lang == "" else str(lang), str(identifier))
        if is_missing(identifier) or identifier == "":
            faults.add("'id' is empty; give one", position)
        elif not isinstance(label, bool):
            faults.add(f"'is_safe' is {quoted(value)}; use true or false", position)
        elif labels.setdefault(key, label) != label:
            faults.add(f"id {quoted(key[1])} has two different labels; keep one", position)
    if not labels and not faults:
        faults.add("holds no label; fill 'is_safe' with true or false")
    if faults:
        raise faults.error()
    return labels
