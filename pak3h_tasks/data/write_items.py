"""Write items as our JSONL: all or nothing, and never over a file by accident."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pak3h_tasks.errors import DataError
from pak3h_tasks.files import whole_file
from pak3h_tasks.schema import Dataset, Item, Lang
from pak3h_tasks.text.escape import quoted


def target_path(out: Path, dataset: Dataset, lang: Lang, *, force: bool) -> Path:
    """Where a converted file goes: ``OUT/{dataset}/{lang}.jsonl``.

    Raises:
        DataError: It is there already and `force` is off, or a .gz stands beside it.
    """
    path = out / dataset / f"{lang}.jsonl"
    packed = path.with_name(f"{path.name}.gz")
    if packed.exists():
        raise DataError(
            f"{quoted(str(packed), 300)} is there already and would hide behind the new file; remove it first"
        )
    if path.exists() and not force:
        raise DataError(f"{quoted(str(path), 300)} is there already; give --force to replace it, or another --out")
    return path


def write_items(items: Iterable[Item], path: Path) -> None:
    """Write items one a line, UTF-8, fields in schema order, empty optional fields left out.

    The file appears whole or not at all.

    Raises:
        DataError: The folder or the file cannot be written.
    """
    whole = whole_file(path, "check --out", make_folder=True)
    with whole as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for item in items:
            file.write(json.dumps(item.model_dump(exclude_none=True), ensure_ascii=False) + "\n")
