"""Draw the English items that are to be localised, as the paper drew them, and write the annotation sheets."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.fields import TEXT_FIELDS, to_cell
from pak3h_tasks.localise.guides import guide
from pak3h_tasks.localise.outputs import refuse_existing, write_json, write_jsonl
from pak3h_tasks.localise.sheets import write_sheet
from pak3h_tasks.localise.workspace import Workspace
from pak3h_tasks.localise.xlsx import SheetLayout
from pak3h_tasks.schema import Dataset

# Pak3H, section 3: instructions, unique prompts, and all questions.
PAPER_SIZES: dict[Dataset, int | None] = {"alpaca": 4500, "beavertails": 3500, "truthfulqa": None}
MAX_RESPONSES = 5
LABELS = ("DT", "LC", "LI")
Key = tuple[str, ...]


def draw(
    dataset: Dataset,
    items: Sequence[dict[str, Any]],
    *,
    size: int | None,
    responses: int = MAX_RESPONSES,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """A seeded sample without repeats, in the order of `items`.

    What is drawn depends on the seed and the texts alone: not on their order, the process or the Python version.

    Args:
        dataset: Decides what counts as one: a question, an instruction with its input, or a prompt.
        items: Items with ids; repeats of a question, instruction or prompt-response pair count once, the first stays.
        size: How many questions, instructions or prompts; None: all.
        responses: At most so many different responses a prompt (BeaverTails).
        seed: Another seed, another sample.

    Raises:
        DataError: There are fewer than `size`.
    """
    groups: dict[Key, dict[Key, dict[str, Any]]] = {}
    for item in items:
        group, member = _identity(dataset, item)
        groups.setdefault(group, {}).setdefault(member, item)
    if size is not None and len(groups) < size:
        raise DataError(
            f"{dataset}: {size:,} asked for, but there are {len(groups):,} different ones; give --size, or --size all"
        )
    drawn = {
        groups[group][member]["id"]
        for group in _first(groups, size, seed)
        for member in _first(groups[group], responses, seed)
    }
    return [item for item in items if item["id"] in drawn]


def write_sample(
    workspace: Workspace,
    items: Sequence[dict[str, Any]],
    *,
    annotators: Sequence[str],
    formats: Sequence[str],
    note: dict[str, Any],
    force: bool = False,
) -> list[Path]:
    """Write the drawn items, how they were drawn, and one empty sheet an annotator; returns the sheets.

    Raises:
        DataError: One of the files exists and `force` is off.
    """
    dataset, folder = workspace.dataset, workspace.folder
    sheets = [folder / "annotate" / f"{name}.{suffix}" for name in annotators for suffix in formats]
    refuse_existing([folder / "items.jsonl", folder / "sample.json", *sheets], force=force)
    rows = [
        {"dataset": dataset, "id": item["id"], **{name: to_cell(item[name]) for name in TEXT_FIELDS[dataset]}}
        for item in items
    ]
    write_annotation_sheets(sheets, dataset, rows, force=force)
    write_jsonl(folder / "items.jsonl", items, force=force)
    write_json(folder / "sample.json", {**note, "items": len(items)}, force=force)
    return sheets


def write_annotation_sheets(
    sheets: Sequence[Path], dataset: Dataset, rows: Sequence[dict[str, str]], *, force: bool
) -> None:
    """Write the same items to be labelled into each of `sheets`, whose stem is the annotator's pseudonym.

    Raises:
        DataError: A sheet exists and `force` is off.
    """
    columns = ("dataset", "id", *TEXT_FIELDS[dataset], "label", "comment", "annotator")
    layout = SheetLayout(columns, choices={"label": LABELS}, guide=guide("annotate"))
    for path in sheets:
        write_sheet(path, layout, [{**row, "annotator": path.stem} for row in rows], force=force)


def _identity(dataset: Dataset, item: dict[str, Any]) -> tuple[Key, Key]:
    if dataset == "beavertails":
        return (item["prompt"],), (item["prompt"], item["response"])
    key = (item["question"],) if dataset == "truthfulqa" else (item["instruction"], item["input"])
    return key, key


def _first(keys: Iterable[Key], count: int | None, seed: int) -> list[Key]:
    # random.sample may draw differently in another Python version; random() of a seed in text form may not.
    return sorted(keys, key=lambda key: random.Random("\x1f".join((f"pak3h-sample {seed}", *key))).random())[:count]
