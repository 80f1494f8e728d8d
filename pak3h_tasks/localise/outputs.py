"""New files only, and whole files only: human work is never overwritten, and a crash leaves no half file."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from pak3h_tasks.errors import DataError
from pak3h_tasks.files import whole_file


def refuse_existing(paths: Iterable[Path], *, force: bool) -> None:
    """Stop before any work where an output is already there.

    Raises:
        DataError: A file exists and `force` is off.
    """
    for path in paths:
        if path.exists() and not force:
            raise DataError(f"{path} exists already; name another place, or pass --force to replace it")


@contextlib.contextmanager
def new_file(path: Path, *, force: bool = False, keep_old: bool = False) -> Iterator[Path]:
    """A temporary path beside `path`, moved there when the block ends well.

    Args:
        path: The file to make.
        force: Replace it if it is there.
        keep_old: A file that is replaced stays as ``NAME.bak``, ``NAME.bak2``...; for what people may have filled in.

    Raises:
        DataError: `path` exists and `force` is off, or the folder cannot be written.
    """
    refuse_existing([path], force=force)
    with whole_file(path, make_folder=True) as temporary:
        yield temporary
        # Again: somebody may have saved their work there meanwhile.
        refuse_existing([path], force=force)
        if keep_old and path.exists():
            path.rename(_free_name(path))


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]], *, force: bool = False) -> None:
    """Write one JSON object a line, UTF-8 with Urdu readable as it is.

    Raises:
        DataError: As `new_file`.
    """
    with new_file(path, force=force) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_json(path: Path, value: Mapping[str, Any], *, force: bool = False) -> None:
    """Write one indented JSON object.

    Raises:
        DataError: As `new_file`.
    """
    with new_file(path, force=force) as temporary:
        temporary.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", newline="\n")


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.bak{number if number > 1 else ''}") for number in count(1))
    return next(name for name in names if not name.exists())
