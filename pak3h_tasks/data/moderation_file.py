"""The output of ``pak3h moderate``: JSON Lines with all probabilities, appended batch by batch, read back to go on."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pak3h_tasks.data.append_file import AppendFile
from pak3h_tasks.errors import DataError
from pak3h_tasks.files import unusable
from pak3h_tasks.text.escape import quoted

_KIND = "pak3h-moderation-1"


@dataclass(frozen=True)
class ModerationRecord:
    """One classified pair; the texts themselves are not stored.

    Attributes:
        key: Hash of the pair's content, the classifier and the encoding (hex).
        lang: Language of the data set; ``-`` for a file of the user's.
        id: The item's id.
        localization: dt, lc, li or None.
        prompt: Hash of the prompt, to tell which pairs share one.
        is_safe: Human label or None.
        probabilities: Category -> probability; None: not scored.
        truncated: Whether the pair was cut; None: not scored.
        tokens: Length of the row; None: not scored.
        reason: Why it is not scored.
        made_by: Classifier and encoding, as a signature without a threshold.
        data: Short name of the data.
        kind: Tells our lines from other JSON.
    """

    key: str
    lang: str
    id: str
    localization: str | None
    prompt: str
    is_safe: bool | None
    probabilities: Mapping[str, float] | None
    truncated: bool | None
    tokens: int | None
    reason: str | None
    made_by: str
    data: str
    kind: str = _KIND

    @property
    def place(self) -> tuple[str, str, str]:
        """Which pair of which data this is about, and what made it; a later record replaces an earlier one."""
        return self.lang, self.id, self.key

    def to_json(self) -> dict[str, Any]:
        """Plain dict of JSON values."""
        return {name: getattr(self, name) for name in _FIELDS}


_FIELDS = tuple(field.name for field in dataclasses.fields(ModerationRecord))


def prompt_hash(prompt: str) -> str:
    """12 hex digits that equal prompts share."""
    return hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def read_moderation(path: Path) -> list[ModerationRecord]:
    """The records of a file, the last of each place, in order of first appearance; [] where there is no file.

    A last line that a kill cut off is ignored.

    Raises:
        DataError: The file is something else.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise DataError(f"{path}: {unusable(error)}") from None
    records: dict[tuple[str, str, str], ModerationRecord] = {}
    lines = text.split(b"\n")
    # After the last line feed: nothing, or what a kill left of a line.
    for number, line in enumerate(lines[:-1], 1):
        record = _record(line)
        if record is None:
            raise DataError(
                f"{path.name} line {number}: {quoted(line[:40].decode('utf-8', 'replace'))} is not a line of "
                "`pak3h moderate`; give another --output, or remove that line"
            )
        records[record.place] = record
    if not records and lines[-1].strip() and not lines[-1].startswith(b'{"key"'):
        raise DataError(f"{path.name}: is not an output of `pak3h moderate`; give another --output")
    return list(records.values())


def part_of(path: Path, rank: int) -> Path:
    """Where one of several processes writes its part of an output."""
    return path.with_name(f".{path.name}.rank-{rank}")


def join_parts(path: Path) -> list[ModerationRecord]:
    """Put the parts that several processes have written, be it in a run that was killed, into the output.

    Returns:
        All of its records then.

    Raises:
        DataError: It cannot be written.
    """
    parts = [part for part in sorted(path.parent.glob(f".{path.name}.rank-*")) if part.suffix != ".lock"]
    there = {record.place: record for record in read_moderation(path)}
    if parts:
        with ModerationWriter(path) as writer:
            for part in parts:
                fresh = [record for record in read_moderation(part) if there.get(record.place) != record]
                writer.write(fresh)
                there |= {record.place: record for record in fresh}
        for part in parts:
            part.unlink()
            part.with_name(f".{part.name}.lock").unlink(missing_ok=True)
    return list(there.values())


def is_moderation_file(path: Path) -> bool:
    """Whether a file's first line is one of `pak3h moderate`."""
    try:
        with path.open("rb") as file:
            return _record(file.readline(1_000_000)) is not None
    except OSError:
        return False


class ModerationWriter:
    """Appends records batch by batch (`AppendFile`).

    Args:
        path: The file; call `read_moderation` first, which refuses other files.

    Raises:
        DataError: It cannot be written, or another run is writing there.
    """

    def __init__(self, path: Path) -> None:
        self._file = AppendFile(path)

    def write(self, records: Iterable[ModerationRecord]) -> None:
        """Append a batch in one write."""
        texts = (json.dumps(record.to_json(), ensure_ascii=False, separators=(",", ":")) for record in records)
        self._file.write(text.encode("utf-8", "surrogatepass") for text in texts)

    def __enter__(self) -> ModerationWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _record(line: bytes) -> ModerationRecord | None:
    try:
        data: Any = json.loads(line.decode("utf-8", "surrogatepass"))
        if data["kind"] != _KIND:
            return None
        # A newer version may add fields.
        record = ModerationRecord(**{name: data[name] for name in _FIELDS})
        if len(bytes.fromhex(record.key)) != hashlib.sha256().digest_size:
            return None
        if not all(
            isinstance(text, str) for text in (record.lang, record.id, record.prompt, record.made_by, record.data)
        ):
            return None
        if record.probabilities is not None:
            values = {str(name): float(value) for name, value in record.probabilities.items()}
            if not values or not all(0 <= value <= 1 for value in values.values()):
                return None
        return record
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
