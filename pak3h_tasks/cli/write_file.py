"""Write a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from pak3h_tasks.errors import DataError


def write_file(path: Path, text: str) -> None:
    """Write text as UTF-8; a reader never sees half of it.

    Raises:
        DataError: It cannot be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        # a lone surrogate, from a log that holds one as an escape, must not cost the report
        part.write_text(text, encoding="utf-8", errors="backslashreplace")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise DataError(f"{path}: cannot be written ({error.strerror}); give another -o") from None
