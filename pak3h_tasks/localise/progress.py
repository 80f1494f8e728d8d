"""Finished pieces of a long translation on disk, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from pak3h_tasks.errors import DataError


class Progress:
    """An append-only JSONL file: what made it on the first line, then one finished piece a line.

    Attributes:
        done: Source text -> its record.
    """

    def __init__(self, path: Path, made_by: Mapping[str, Any], *, restart: bool = False) -> None:
        """Open or start the file.

        Args:
            path: Where it is.
            made_by: Settings that all of its pieces share.
            restart: Throw away what is there.

        Raises:
            DataError: It was made with other settings.
        """
        self.done: dict[str, dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        whole = b"" if restart else path.read_bytes()
        # A killed run may leave half a line.
        whole = whole[: whole.rfind(b"\n") + 1]
        if whole:
            self.done = _records(path, whole, made_by)
        self._file = path.open("r+b")
        self._file.truncate(len(whole))
        self._file.seek(len(whole))
        if not whole:
            self._write([dict(made_by)])

    def add(self, records: Iterable[dict[str, Any]]) -> None:
        """Keep finished pieces, at once on disk."""
        new = list(records)
        self.done |= {record["source"]: record for record in new}
        self._write(new)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _write(self, records: Iterable[dict[str, Any]]) -> None:
        for record in records:
            self._file.write(json.dumps(record).encode() + b"\n")
        self._file.flush()


def _records(path: Path, data: bytes, made_by: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    try:
        header, *records = map(json.loads, data.splitlines())
        done = {record["source"]: record for record in records}
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{path}: not the progress of a translation; move it away") from None
    if header != made_by:
        changed = ", ".join(key for key in made_by if header.get(key) != made_by[key])
        raise DataError(f"{path}: begun with other settings ({changed}); use those, or pass --restart to begin again")
    return done
