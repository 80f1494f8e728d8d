"""Sheets in which people change items: a machine translation into the dataset, or English items into local ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pak3h_tasks.data.faults import Faults
from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.fields import TEXT_FIELDS, from_cell, to_cell
from pak3h_tasks.localise.guides import guide
from pak3h_tasks.localise.pseudonyms import same_person
from pak3h_tasks.localise.sheets import SheetRow, read_sheet, write_sheet
from pak3h_tasks.localise.xlsx import SheetLayout
from pak3h_tasks.schema import Dataset, HarmlessItem, Item
from pak3h_tasks.text.escape import quoted

DECISIONS = ("keep", "drop")


@dataclass(frozen=True)
class Task:
    """What a sheet is for.

    Attributes:
        mark: Of the columns people write in, such as ``question [ur]``; the originals are ``[en]``.
        guide: Name of its guidelines.
        decisions: What the column decision may hold.
    """

    mark: str
    guide: Literal["contextualise", "edit"]
    decisions: tuple[str, ...] = DECISIONS


POST_EDIT = Task("ur", "edit")


@dataclass(frozen=True)
class Edit:
    """What people made of one item.

    Attributes:
        item: The English item.
        texts: Field -> the new text, or list of answers; without space around.
        adapter: Pseudonym of who wrote it; empty: not done.
        reviewer: Pseudonym of the second person; may be empty.
        dropped: Left out of the dataset, for `comment`.
        flagged: To be revised, for `comment`.
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
    flagged: bool = False

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
    task: Task = POST_EDIT,
    comments: Mapping[str, str] | None = None,
    force: bool = False,
) -> None:
    """Write a sheet, English beside the draft, into each of `paths`.

    Pairs of one BeaverTails prompt stand together and show it once: it is changed for all of them.

    Args:
        paths: New .csv or .xlsx files.
        dataset: Whose fields the items have.
        english: The originals, labelled.
        drafts: What people start from, same order: their translations, or themselves.
        task: What the sheet is for.
        comments: Item id -> what stands under comment.
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
            *_text_columns(dataset, task.mark),
            "adapter",
            "reviewer",
            "decision",
            "comment",
        ),
        choices={"decision": task.decisions},
        guide=guide(task.guide),
        right_to_left=[f"{name} [ur]" for name in names if task.mark == "ur"],
    )
    rows = []
    shown: str | None = None
    for item, draft in _by_prompt(list(zip(english, drafts, strict=True))):
        row = {"dataset": dataset, "id": item.id, "localization": item.localization.upper()}
        row |= {f"{name} [en]": to_cell(getattr(item, name)) for name in names}
        row |= {f"{name} [{task.mark}]": to_cell(draft[name]) for name in names}
        prompt = _prompt(item)
        if prompt is not None and prompt == shown:
            row |= {"prompt [en]": "", f"prompt [{task.mark}]": ""}
        shown = prompt
        rows.append(row | {"comment": (comments or {}).get(item.id, "")})
    for path in paths:
        write_sheet(path, layout, rows, force=force)


def read_edits(
    paths: Sequence[Path], dataset: Dataset, english: Sequence[Item], *, task: Task = POST_EDIT
) -> dict[str, Edit]:
    """Edits by item id, in the order of the sheets; the English columns are for people and are not read.

    Args:
        paths: Sheets as `write_drafts` wrote them; several may share out the items.
        dataset: Whose fields they have.
        english: The originals, labelled.
        task: What the sheets are for.

    Raises:
        DataError: Rows of another dataset, unknown or repeated ids, a changed label, an unknown decision, a dropped
            item without a reason, or an LC or LI item whose reviewer is its adapter: one line a fault.
    """
    originals = {item.id: item for item in english}
    edits: dict[str, Edit] = {}
    lines: list[str] = []
    needed = (
        "dataset",
        "id",
        *(f"{name} [{task.mark}]" for name in TEXT_FIELDS[dataset]),
        "adapter",
        "reviewer",
        "decision",
    )
    for path in paths:
        faults = Faults(path.name, "row")
        for row in read_sheet(path, needed):
            edit = _edit(row, path, dataset, originals, faults, task)
            if edit is None:
                continue
            first = edits.setdefault(edit.item.id, edit)
            if first is not edit:
                faults.add(f"the item is in {first.file} already; give every row and sheet once", row.number)
        lines += faults.lines()
    if lines:
        raise DataError("\n".join(lines))
    return _with_prompts(edits)


def _prompt(item: Item) -> str | None:
    return item.prompt if isinstance(item, HarmlessItem) else None


def _by_prompt(pairs: Sequence[tuple[Item, Mapping[str, Any]]]) -> list[tuple[Item, Mapping[str, Any]]]:
    """Pairs of one prompt together, where the first of them is; other items in order."""
    first: dict[str, int] = {}
    places = [first.setdefault(_prompt(item) or f"\0{place}", place) for place, (item, _) in enumerate(pairs)]
    return [pair for _, pair in sorted(zip(places, pairs, strict=True), key=lambda entry: entry[0])]


def _with_prompts(edits: dict[str, Edit]) -> dict[str, Edit]:
    """Pairs whose prompt cell is empty with the prompt of another pair of the same English prompt."""
    prompts = {_prompt(edit.item): text for edit in edits.values() if (text := edit.texts.get("prompt"))}
    return {
        identifier: edit
        if edit.texts.get("prompt") or _prompt(edit.item) not in prompts
        else replace(edit, texts={**edit.texts, "prompt": prompts[_prompt(edit.item)]})
        for identifier, edit in edits.items()
    }


def _text_columns(dataset: Dataset, mark: str) -> list[str]:
    return [f"{name} [{lang}]" for name in TEXT_FIELDS[dataset] for lang in ("en", mark)]


def _edit(
    row: SheetRow, path: Path, dataset: Dataset, originals: Mapping[str, Item], faults: Faults, task: Task
) -> Edit | None:
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
        texts={name: _tidy(from_cell(name, row[f"{name} [{task.mark}]"])) for name in TEXT_FIELDS[dataset]},
        adapter=adapter,
        reviewer=reviewer,
        dropped=decision == "drop",
        comment=comment,
        file=path.name,
        row=row.number,
        flagged=decision == "revise",
    )
    if label and label != item.localization:
        faults.add(
            f"localization is {label.upper()}, the annotators agreed on {item.localization.upper()}; put it back",
            row.number,
        )
    if decision not in ("", *task.decisions):
        allowed = " or ".join((", ".join(task.decisions[:-1]), task.decisions[-1]))
        faults.add(f"unknown decision {quoted(decision)}; use {allowed}", row.number)
    elif (edit.dropped or edit.flagged) and not comment:
        what = "dropped" if edit.dropped else "to be revised"
        faults.add(f"is {what} without a reason; write it under comment", row.number)
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
