"""Files that appear whole or not at all: a reader never sees half of one, and a crash leaves the old one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from pak3h_tasks.errors import DataError

_SAID: tuple[tuple[type[OSError], str], ...] = (
    (FileNotFoundError, "no such file or folder; check the path"),
    (IsADirectoryError, "cannot be read (it is a folder); give a file"),
    (NotADirectoryError, "cannot be opened (a part of the path is a file, no folder); check the path"),
    (FileExistsError, "cannot be opened (a part of the path is a file, no folder); check the path"),
    (PermissionError, "cannot be opened (not permitted); check its permissions"),
)


def unusable(error: OSError) -> str:
    """What is wrong with a path and what to do, where the system's own words ("Is a directory") do not say it.

    Example:
        >>> unusable(IsADirectoryError(21, "Is a directory"))
        'cannot be read (it is a folder); give a file'
    """
    for kind, said in _SAID:
        if isinstance(error, kind):
            return said
    return f"cannot be used ({error.strerror or error}); check the path"


@contextlib.contextmanager
def whole_file(path: Path, remedy: str = "name another place", *, make_folder: bool = False) -> Iterator[Path]:
    """A temporary path beside `path`, moved there when the block ends well and removed when it does not.

    Args:
        path: The file to make.
        remedy: What the message advises where it cannot be written.
        make_folder: Make its folder, too; else one that is not there is a mistyped path.

    Raises:
        DataError: It cannot be written.
    """
    # the end of the name tells those who list data files or logs that it is none
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.replace(path)
    except OSError as error:
        if path.parent.is_dir():
            raise DataError(f"{path}: cannot be written ({error.strerror or error}); {remedy}") from None
        if make_folder or path.parent.exists():
            raise DataError(f"{path}: cannot be written ({path.parent} is no folder); {remedy}") from None
        raise DataError(f"{path}: cannot be written (no folder {path.parent}); make it, or {remedy}") from None
    finally:
        # where the folder itself is the trouble, the first message is the one to show
        with contextlib.suppress(OSError):
            part.unlink()


def write_text(path: Path, text: str, remedy: str = "name another place", *, make_folder: bool = False) -> None:
    """Write text as UTF-8; a lone surrogate, from a log that holds one as an escape, is written as an escape again.

    Raises:
        DataError: It cannot be written.
    """
    with whole_file(path, remedy, make_folder=make_folder) as part:
        part.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
