"""The agreed labels as a file between two steps, and the English items that carry them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pak3h_tasks.data.convert import Recipe, convert
from pak3h_tasks.data.faults import Faults
from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.agree import Decision
from pak3h_tasks.localise.sheets import read_sheet, write_sheet
from pak3h_tasks.localise.xlsx import SheetLayout
from pak3h_tasks.schema import SPLITS, Dataset, Item, Localization, parse_localization
from pak3h_tasks.text.escape import quoted


def read_english(path: Path, dataset: Dataset, columns: Mapping[str, str] | None = None) -> list[Item]:
    """Items of our JSONL or any layout `pak3h data convert` knows; what their `localization` says means nothing yet.

    Args:
        path: The file.
        dataset: Whose fields it has.
        columns: Our field -> its column, where the names differ.

    Raises:
        DataError: The file cannot be used: one line a fault.
        SettingsError: `columns` names unknown fields or columns.
    """
    return list(convert(path, Recipe(lang="en", dataset=dataset, mapping=columns or {}, localization="dt")).items)


def write_labels(path: Path, dataset: Dataset, decisions: Mapping[str, Decision], *, force: bool = False) -> None:
    """Write one row an item; an item discarded for lack of a majority has an empty label and the reason.

    Raises:
        DataError: The file exists and `force` is off.
    """
    rows = [
        {
            "dataset": dataset,
            "id": item_id,
            "localization": (decision.label or "").upper(),
            "reason": decision.reason,
        }
        for item_id, decision in decisions.items()
    ]
    write_sheet(path, SheetLayout(("dataset", "id", "localization", "reason")), rows, force=force)


def labelled(english: Sequence[Item], path: Path) -> list[Item]:
    """The items that have a label in the file `write_labels` wrote, with it; discarded ones are left out.

    Raises:
        DataError: An unknown label, or an id that is not among the items.
    """
    labels: dict[str, Localization] = {}
    known = {item.id for item in english}
    faults = Faults(path.name, "row")
    for row in read_sheet(path, ("id", "localization")):
        label = parse_localization(row["localization"])
        if row["id"] not in known:
            faults.add(f"unknown id {quoted(row['id'])}; take the labels of the same sample", row.number)
        elif label in SPLITS:
            labels[row["id"]] = label
        elif label:
            faults.add(f"unknown label {quoted(row['localization'])}; use DT, LC, LI, or nothing", row.number)
    if faults:
        raise faults.error()
    if not labels:
        raise DataError(f"{path}: no item has a label; there is nothing to translate")
    return [item.model_copy(update={"localization": labels[item.id]}) for item in english if item.id in labels]
