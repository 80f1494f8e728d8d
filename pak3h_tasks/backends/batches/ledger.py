"""Which batches there are, on disk beside the answer cache: written down before each step, so that a kill loses none.

Of each file of questions there are ``ID.jsonl``, as it is uploaded, and ``ID.json``, the record. A record is written
before the upload, again with the uploaded file's id, and again with the batch's. No key and no credentials are in it.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock
from pydantic import BaseModel, ValidationError

from pak3h_tasks.backends.batches.request_files import RequestFile, Shape, ids_of, of_custom_id
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.files import write_text

logger = logging.getLogger(__name__)

FINAL = frozenset({"completed", "failed", "expired", "cancelled"})
"""States of a batch in which nothing more will come (OpenAI's)."""


def batches_path(cache_dir: Path) -> Path:
    """Folder of the records, beside the answer cache."""
    return cache_dir / "batches"


class Record(BaseModel):
    """One file of questions and what became of it.

    Attributes:
        id: Its name; also in the batch's metadata at the provider.
        model: The judge, as the user named it.
        url: Base URL of the server, without credentials; "": exported, for any server.
        endpoint: The lines' ``url``.
        lines: Questions.
        bytes: Size.
        began: When the questions were looked for in the cache, in seconds since 1970.
        shapes: How questions are put, by mark.
        job: How to score what comes back (`pak3h_tasks.cli.batch`).
        file_id: The uploaded file's.
        batch_id: The batch's.
        creating: Whether its creation was asked for, and nothing was heard since.
        status: What the provider called it last.
        done: Lines it has answered.
        failed: Lines it has failed.
        said: Why it failed, in the provider's words.
        taken: Whether what came back is in the cache.
        scored: Whether the job was done after that.
    """

    id: str
    model: str
    url: str
    endpoint: str
    lines: int
    bytes: int
    began: float
    shapes: dict[str, Shape]
    job: dict[str, Any] = {}
    file_id: str | None = None
    batch_id: str | None = None
    creating: bool = False
    status: str = "not submitted"
    done: int = 0
    failed: int = 0
    said: str = ""
    taken: bool = False
    scored: bool = False

    @property
    def exported(self) -> bool:
        """Whether somebody else runs it."""
        return not self.url

    @property
    def waiting(self) -> bool:
        """Whether answers are still to come from the provider, or to be taken."""
        return not self.exported and not self.taken


class Ledger:
    """The records in a folder.

    Args:
        folder: Made when needed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, record: Record, kind: str = "jsonl") -> Path:
        """A file of a record: ``jsonl`` its questions, ``output.jsonl`` and ``errors.jsonl`` what came back."""
        return self.folder / f"{record.id}.{kind}"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from submitting or collecting meanwhile.

        Raises:
            SettingsError: The folder cannot be written.
        """
        lock = FileLock(self.folder / ".lock")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except (OSError, NotImplementedError) as error:
            raise SettingsError(
                f"{self.folder}: batches are written down there, and it cannot be written ({error}); free it, or set "
                "PAK3H_CACHE_DIR to another folder"
            ) from None
        try:
            yield
        finally:
            lock.release()

    def records(self) -> list[Record]:
        """All of them, oldest first; one that cannot be read is said and left out."""
        found = []
        for path in sorted(self.folder.glob("*.json")):
            try:
                found.append(Record.model_validate_json(path.read_bytes()))
            except (ValidationError, ValueError, OSError) as error:
                logger.warning("batch record %s cannot be read (%s)", path, str(error).splitlines()[0])
        return sorted(found, key=lambda record: (record.began, record.id))

    def tidy(self) -> None:
        """Delete what a process that was killed was still writing; call it `locked`."""
        known = {path.stem for path in self.folder.glob("*.json")}
        for path in (*self.folder.glob("*.jsonl"), *self.folder.glob("*.part"), *self.folder.glob(".*.part")):
            if path.suffix == ".part" or path.name.partition(".")[0] not in known:
                path.unlink(missing_ok=True)

    def save(self, record: Record) -> None:
        """Write a record, whole or not at all.

        Raises:
            DataError: It cannot be written.
        """
        text = json.dumps(record.model_dump(mode="json"), ensure_ascii=False, indent=1)
        write_text(self.folder / f"{record.id}.json", text, "free the disk, or set PAK3H_CACHE_DIR to another folder")

    def enter(self, file: RequestFile, url: str, began: float, job: dict[str, Any]) -> Record:
        """Take a finished file of questions into the ledger, before anything else happens to it."""
        # an export of the same questions is the same export; a batch is not
        name = file.digest if not url else f"{file.digest}-{time.time_ns():x}"
        record = Record(
            id=name, model=file.model, url=url, endpoint=file.endpoint, lines=file.lines, bytes=file.bytes,
            began=began, shapes=dict(file.shapes), job=job,
        )  # fmt: skip
        file.path.replace(self.path(record))
        file.path = self.path(record)
        self.save(record)
        return record

    def forget_replies(self, record: Record) -> None:
        """Delete what was downloaded and the questions: the answers are in the cache."""
        for kind in ("output.jsonl", "errors.jsonl", "jsonl"):
            with suppress(OSError):
                self.path(record, kind).unlink()

    def forget(self, record: Record) -> None:
        """Delete everything about a record."""
        self.forget_replies(record)
        with suppress(OSError):
            self.path(record, "json").unlink()

    def waiting_keys(self) -> frozenset[bytes]:
        """Keys of questions whose answers are to come from a batch."""
        keys: set[bytes] = set()
        for record in self.records():
            if record.waiting:
                with suppress(OSError):
                    keys |= {of_custom_id(name)[0] for name, _ in ids_of(self.path(record))}
        return frozenset(keys)
