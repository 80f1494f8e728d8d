"""Post-editing: the sheet in which people turn a machine translation into the dataset, and reading it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pak3h_tasks.data.faults import Faults
from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.fields import TEXT_FIELDS, from_cell, to_cell
from pak3h_tasks.localise.guides import guide
from pak3h_tasks.localise.pseudonyms import same_person
from pak3h_tasks.localise.sheets import SheetRow, read_sheet, write_sheet
from pak3h_tasks.localise.xlsx import SheetLayout
from pak3h_tasks.schema import Dataset, Item
from pak3h_tasks.text.escape import quoted

DECISIONS = ("keep", "drop")


@dataclass(frozen=True)
class Edit:
    """What people made of one item.

    Attributes:
        item: The English item.
        texts: Field -> Urdu text, or list of answers; without space around.
        adapter: Pseudonym of who wrote it; empty: not done.
        reviewer: Pseudonym of the second person; may be empty.
        dropped: Left out of the dataset, for `comment`.
        file: Name of the sheet.
        row: Its row there.
    """

    item: Item
    texts: dict[str, str | list[str]]
    adapter: str
    reviewer: str
    dropped: bool
    comment: str
    file: str
    row: int

    @property
    def place(self) -> str:
        """File and row, as people look it up."""
        return f"{self.file} row {self.row}"

    @property
    def needs_second_person(self) -> bool:
        """Whether more than wording was changed: LC and rescued LI."""
        return self.item.localization != "dt"


def write_drafts(
    paths: Sequence[Path],
    dataset: Dataset,
    english: Sequence[Item],
    drafts: Sequence[Mapping[str, Any]],
    *,
    force: bool = False,
) -> None:
    """Write the post-editing sheet, English beside the draft, into each of `paths`.

    Args:
        paths: New .csv or .xlsx files.
        dataset: Whose fields the items have.
        english: The originals, labelled.
        drafts: Their translations, same order.
        force: Replace files that are there.

    Raises:
        DataError: A file exists and `force` is off, or a text is too long for XLSX.
    """
    names = TEXT_FIELDS[dataset]
    layout = SheetLayout(
        columns=(
            "dataset",
            "id",
            "localization",
            *_text_columns(dataset),
            "adapter",
            "reviewer",
            "decision",
            "comment",
        ),
        choices={"decision": DECISIONS},
        guide=guide("edit"),
        right_to_left=[f"{name} [ur]" for name in names],
    )
    rows = [
        {"dataset": dataset, "id": item.id, "localization": item.localization.upper()}
        | {f"{name} [en]": to_cell(getattr(item, name)) for name in names}
        | {f"{name} [ur]": to_cell(draft[name]) for name in names}
        for item, draft in zip(english, drafts, strict=True)
    ]
    for path in paths:
        write_sheet(path, layout, rows, force=force)


def read_edits(paths: Sequence[Path], dataset: Dataset, english: Sequence[Item]) -> dict[str, Edit]:
    """Edits by item id, in the order of the sheets; the English columns are for people and are not read.

    Args:
        paths: Sheets as `write_drafts` wrote them; several may share out the items.
        dataset: Whose fields they have.
        english: The originals, labelled.

    Raises:
        DataError: Rows of another dataset, unknown or repeated ids, a changed label, an unknown decision, a dropped
            item without a reason, or an LC or LI item whose reviewer is its adapter: one line a fault.
    """
    originals = {item.id: item for item in english}
    edits: dict[str, Edit] = {}
    lines: list[str] = []
    needed = ("dataset", "id", *(f"{name} [ur]" for name in TEXT_FIELDS[dataset]), "adapter", "reviewer", "decision")
    for path in paths:
        faults = Faults(path.name, "row")
        for row in read_sheet(path, needed):
            edit = _edit(row, path, dataset, originals, faults)
            if edit is None:
                continue
            first = edits.setdefault(edit.item.id, edit)
            if first is not edit:
                faults.add(f"the item is in {first.file} already; give every row and sheet once", row.number)
        lines += faults.lines()
    if lines:
        raise DataError("\n".join(lines))
    return edits


def _text_columns(dataset: Dataset) -> list[str]:
    return [f"{name} [{lang}]" for name in TEXT_FIELDS[dataset] for lang in ("en", "ur")]


def _edit(row: SheetRow, path: Path, dataset: Dataset, originals: Mapping[str, Item], faults: Faults) -> Edit | None:
    item = originals.get(row["id"].strip())
    if row["dataset"].strip() != dataset:
        faults.add(f"is of dataset {quoted(row['dataset'])}, not {dataset}; give the sheets of one dataset", row.number)
        return None
    if item is None:
        faults.add(f"unknown id {quoted(row['id'])}; restore the id the sheet was made with", row.number)
        return None
    label, decision = row["localization"].strip().lower(), row["decision"].strip().lower()
    adapter, reviewer, comment = (row[column].strip() for column in ("adapter", "reviewer", "comment"))
    edit = Edit(
        item=item,
        texts={name: _tidy(from_cell(name, row[f"{name} [ur]"])) for name in TEXT_FIELDS[dataset]},
        adapter=adapter,
        reviewer=reviewer,
        dropped=decision == "drop",
        comment=comment,
        file=path.name,
        row=row.number,
    )
    if label and label != item.localization:
        faults.add(
            f"localization is {label.upper()}, the annotators agreed on {item.localization.upper()}; put it back",
            row.number,
        )
    if decision not in ("", *DECISIONS):
        faults.add(f"unknown decision {quoted(decision)}; use keep or drop", row.number)
    elif edit.dropped and not comment:
        faults.add("is dropped without a reason; write it under comment", row.number)
    elif edit.needs_second_person and not edit.dropped and same_person(adapter, reviewer):
        faults.add(
            f"{quoted(reviewer)} reviews their own adaptation; {item.localization.upper()} items need a second person",
            row.number,
        )
    return edit


def _tidy(value: str | list[str]) -> str | list[str]:
    if isinstance(value, list):
        return [_tidied(answer) for answer in value]
    return _tidied(value)


def _tidied(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()
