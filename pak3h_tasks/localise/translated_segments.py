"""Finished pieces of a long translation on disk, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pak3h_tasks.data.append_file import AppendFile
from pak3h_tasks.errors import DataError


class TranslatedSegments:
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
            DataError: It was made with other settings, cannot be written, or another run is writing it.
        """
        self.done: dict[str, dict[str, Any]] = {}
        self._file = AppendFile(path)
        try:
            if restart:
                self._file.clear()
            if whole := self._file.whole_lines():
                self.done = _records(path, whole, made_by)
            else:
                self._write([dict(made_by)])
        except BaseException:
            self._file.close()
            raise

    def add(self, records: Iterable[dict[str, Any]]) -> None:
        """Keep finished pieces, at once on disk."""
        new = list(records)
        self.done |= {record["source"]: record for record in new}
        self._write(new)

    def __enter__(self) -> TranslatedSegments:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _write(self, records: Iterable[dict[str, Any]]) -> None:
        self._file.write(json.dumps(record).encode() for record in records)


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
