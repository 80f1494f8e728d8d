"""What comes back of a batch, line by line and in any order, into the answer cache: read as online replies are."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from pak3h_tasks.backends.batches.ledger import Ledger, Record
from pak3h_tasks.backends.batches.request_files import Shape, ids_of, of_custom_id, unread_mark
from pak3h_tasks.backends.cache import AnswerCache
from pak3h_tasks.backends.lookup import FAILED, FIRST, refused, was_thinking
from pak3h_tasks.backends.protocol import Reply
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.backends.servers.failures import Failure, Fate, as_reason, of_status, without_key
from pak3h_tasks.backends.servers.wire import decoded, read_answer, text_of

_CHUNK = 500
_LONGEST_LINE = 4 * 2**20
_NO_ANSWER = "failed in a batch"


@dataclass
class Taken:
    """What was in a batch's output.

    Attributes:
        replies: Lines with a reply of the judge.
        refused: Lines that its content filter, or the judge itself, refused.
        failed: Reasons of lines without either; those questions are asked again.
        duplicates: Further lines for a question; a reply among them takes the place of a failure.
        strangers: Lines that are none of ours, or not of this batch.
        missing: Questions of these batches without a line.
    """

    replies: int = 0
    refused: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    duplicates: int = 0
    strangers: int = 0
    missing: int = 0

    def __add__(self, other: Taken) -> Taken:
        return Taken(
            self.replies + other.replies,
            self.refused + other.refused,
            self.failed + other.failed,
            self.duplicates + other.duplicates,
            self.strangers + other.strangers,
            self.missing + other.missing,
        )

    def __str__(self) -> str:
        said = [f"{self.replies:,} replies"]
        if self.refused:
            said.append(f"{self.refused:,} refused")
        if self.failed:
            reason, count = self.failed.most_common(1)[0]
            said.append(f"{self.failed.total():,} failed ({count:,} x {reason[:160]})")
        for count, what in (
            (self.missing, "questions without a line"),
            (self.duplicates, "repeated lines left out"),
            (self.strangers, "lines that are none of these questions left out"),
        ):
            if count:
                said.append(f"{count:,} {what}")
        return ", ".join(said)


def take(
    ledger: Ledger, records: Sequence[Record], paths: Iterable[Path], cache: AnswerCache, secret: str | None = None
) -> Taken:
    """Put the lines of output files into the cache.

    What was answered since the questions were written down stays; a failure replaces nothing but a failure. So the
    same files may be taken twice, in any order.

    Args:
        ledger: Where the questions are.
        records: Of which batches the files may hold lines.
        paths: Output and error files.
        cache: Where answers are kept.
        secret: The key, which an error may echo.
    """
    taken, answered, failed = Taken(), set[str](), dict[str, str]()
    with ExitStack() as stack:
        asked: dict[str, tuple[Record, BinaryIO, int]] = {}
        touched = {record.id for record in records[:1]} if len(records) == 1 else set()
        for record in records:
            path = ledger.path(record)
            if path.exists():
                stream: BinaryIO = stack.enter_context(path.open("rb"))
                asked |= {name: (record, stream, offset) for name, offset in ids_of(path)}
        lines = (line for path in paths for line in _lines(path))
        while some := list(itertools.islice(lines, _CHUNK)):
            found: list[tuple[bytes, Record, dict[str, Any]]] = []
            for line in some:
                row = decoded(without_key(line.decode("utf-8", "replace"), secret))
                name = row.get("custom_id") if isinstance(row, dict) else None
                if not isinstance(name, str) or name not in asked:
                    taken.strangers += 1
                    continue
                taken.duplicates += name in answered or name in failed
                if name in answered:
                    continue
                record, stream, offset = asked[name]
                touched.add(record.id)
                key, mark = of_custom_id(name)
                stream.seek(offset)
                body = json.loads(stream.readline())["body"]
                stored = _stored(row, record.shapes[mark], body, secret, taken)
                if FAILED in stored:
                    failed[name] = stored[FAILED]
                else:
                    failed.pop(name, None)
                    answered.add(name)
                found.append((key, record, stored))
            _keep(found, cache)
        taken.failed = Counter(failed.values())
        taken.missing = sum(record.id in touched for record, _, _ in asked.values()) - len(answered) - len(failed)
    return taken


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while line := stream.readline(_LONGEST_LINE):
            if line.strip():
                yield line


def _stored(
    row: Mapping[str, Any], shape: Shape, body: Mapping[str, Any], secret: str | None, taken: Taken
) -> dict[str, Any]:
    """The cache entry that a line becomes."""
    outcome = read_line(row, shape, body, secret)
    if isinstance(outcome, Failure):
        if outcome.fate is Fate.REFUSED:
            taken.refused += 1
            return {"refused": outcome.reason}
        return {FAILED: outcome.reason}
    taken.replies += 1
    room = shape.limit if was_thinking(outcome) else None
    reply = replace(outcome, left_out=shape.left_out, room=room)
    return {**reply.to_json(), unread_mark(reply, shape): True}


def read_line(
    row: Mapping[str, Any], shape: Shape, body: Mapping[str, Any], secret: str | None = None
) -> Reply | Failure:
    """The reply in an output line, or what went wrong.

    Args:
        row: The line.
        shape: How the question was put.
        body: The question's body.
        secret: The key, kept out of reasons.
    """
    response, error = row.get("response"), row.get("error")
    fields = response if isinstance(response, Mapping) else {}
    said, status = fields.get("body"), fields.get("status_code")
    if isinstance(status, str) and status.isascii() and status.isdigit():
        status = int(status[:9])
    if status is None and isinstance(said, Mapping) and "choices" in said:
        status = 200  # some leave it out
    if isinstance(status, int) and status < 400 and said:
        return read_answer(said, secret, form=shape.form, wanted=shape.choices, body=body)
    if isinstance(status, int) and 400 <= status < 600:
        return of_status(status, {}, said or error, secret, sent=text_of(body))
    fields = error if isinstance(error, Mapping) else {"message": error or "the line holds no reply"}
    words = [str(fields[name]) for name in ("code", "message") if fields.get(name)]
    return Failure(Fate.RETRY, as_reason(": ".join(words), secret))


def _keep(found: Sequence[tuple[bytes, Record, dict[str, Any]]], cache: AnswerCache) -> None:
    there = cache.get_many([key for key, _, _ in found])
    since: dict[float, set[bytes]] = {}
    for began in {record.began for _, record, _ in found}:
        since[began] = cache.written_since([key for key, record, _ in found if record.began == began], began)
    for key, record, stored in found:
        before = there.get(key)
        if before is None:
            before = {}
        elif FAILED not in before and (key in since[record.began] or (FAILED in stored and not before.get(FIRST))):
            continue
        if before.get(FIRST):  # the second time of asking
            if FAILED in stored:
                stored = before | stored
            elif "refused" in stored:
                stored = refused(stored["refused"], Reply.from_json(before))
        none = FAILED in stored and not stored.get(FIRST)
        cache.put(key, stored, kind=_NO_ANSWER if none else OpenAIChat.kind, model=record.model)
