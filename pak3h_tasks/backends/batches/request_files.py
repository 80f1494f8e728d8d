"""Files of questions, a line each, as OpenAI's Batch API and `vllm run-batch` take them.

A line's ``custom_id`` is the question's cache key and the mark of its `Shape`: nothing that anybody else wrote is in
it. How a reply is read depends on how the question was put, and that is what the shape says.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict

from pak3h_tasks.backends.lookup import LookedUp, is_drawn, was_thinking
from pak3h_tasks.backends.protocol import Reply
from pak3h_tasks.backends.servers.address import name_for
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.backends.servers.constrain import Form, asked_again
from pak3h_tasks.backends.servers.wire import path_of

MOST_LINES = 50_000
MOST_BYTES = 200 * 10**6
"""OpenAI's limits of one file."""

_PREFIX = "pak3h-"
_KEY_LETTERS = 43  # 32 bytes in base 64
_ID_LENGTH = len(_PREFIX) + _KEY_LETTERS + 7
_BEGIN = b'{"custom_id":"'
# Python's splitlines, which some servers read files with, ends a line here; JSON escapes the others by itself.
_LINE_ENDS = str.maketrans({"\x85": "\\u0085", "\N{LINE SEPARATOR}": "\\u2028", "\N{PARAGRAPH SEPARATOR}": "\\u2029"})


class Shape(BaseModel):
    """How a question was put.

    Attributes:
        asks: Which time of asking this is, 1 or 2.
        choices: The replies that are wanted.
        form: How the judge is held to them.
        left_out: What the server does not take though an answer may depend on it.
        limit: Tokens the reply may have.
        drawn: Whether another reply may come of the same question.
    """

    model_config = ConfigDict(frozen=True)

    asks: int
    choices: tuple[str, ...]
    form: Form | None
    left_out: tuple[str, ...]
    limit: int | None
    drawn: bool

    @property
    def mark(self) -> str:
        """Six hex digits."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:6]


@dataclass
class RequestFile:
    """A file of questions.

    Attributes:
        path: Where it is.
        model: The judge, as the user named it.
        endpoint: Path of the endpoint at the server, /v1 included.
        shapes: How its questions are put, by mark.
        lines: How many there are.
        bytes: Its size.
        digest: First 16 hex digits of its sha256.
    """

    path: Path
    model: str
    endpoint: str
    shapes: dict[str, Shape] = field(default_factory=dict)
    lines: int = 0
    bytes: int = 0
    digest: str = ""


class RequestFiles:
    """Writes questions into files of one model and endpoint each, each question once.

    Args:
        folder: Where they go; made when needed.
        skip: Keys of questions that wait for an answer elsewhere.
        any_server: Whether the answers are to be found whatever the judge's base URL is.
        most_lines: Of a file.
        most_bytes: Of a file.
    """

    def __init__(
        self,
        folder: Path,
        *,
        skip: frozenset[bytes] = frozenset(),
        any_server: bool = False,
        most_lines: int = MOST_LINES,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.files: list[RequestFile] = []
        self.skipped: set[bytes] = set()
        self._folder, self._skip, self._any_server = folder, skip, any_server
        self._most_lines, self._most_bytes = most_lines, most_bytes
        self._seen: set[bytes] = set()
        self._open: dict[tuple[str, str], tuple[RequestFile, BinaryIO, hashlib._Hash]] = {}

    def add(self, judge: OpenAIChat, one: LookedUp[object]) -> None:
        """Write one question, unless it is there or skipped."""
        key = judge.key_of(one.request, any_server=self._any_server)
        if key in self._seen:
            return
        self._seen.add(key)
        if key in self._skip:
            self.skipped.add(key)
            return
        unread = None if one.left is None else one.left.reply
        request, room = one.request, False
        if unread is not None:
            if request.choices and not was_thinking(unread):
                judge.find_form(request)
            request, room = asked_again(request, unread, judge.dialect.form)
        dialect = judge.dialect
        body = dialect.body(name_for(judge.model), request, room=room)
        left_out = dialect.left_out(request)
        shape = Shape(
            asks=1 if unread is None else 2,
            choices=request.choices,
            form=dialect.form if request.choices else None,
            left_out=left_out,
            limit=body.get(dialect.limit),
            drawn=is_drawn(request, left_out),
        )
        self._write(judge.model, f"/v1{path_of(request)}", key, shape, body)

    def close(self) -> list[RequestFile]:
        """Finish the files; those there are, in the order of their first question."""
        for place in list(self._open):
            self._finish(place)
        return self.files

    def _write(self, model: str, endpoint: str, key: bytes, shape: Shape, body: dict[str, object]) -> None:
        place = (model, endpoint)
        rest = _rest_of_line(endpoint, body)
        if place in self._open:
            file = self._open[place][0]
            if file.lines >= self._most_lines or file.bytes + len(_BEGIN) + _ID_LENGTH + len(rest) > self._most_bytes:
                self._finish(place)
        if place not in self._open:
            self._folder.mkdir(parents=True, exist_ok=True)
            file = RequestFile(self._folder / f"questions-{len(self.files) + 1}.part", model, endpoint)
            self._open[place] = (file, file.path.open("wb"), hashlib.sha256())
            self.files.append(file)
        file, stream, digest = self._open[place]
        file.shapes[shape.mark] = shape
        line = _BEGIN + custom_id(key, shape).encode() + rest
        file.lines += 1
        file.bytes += len(line)
        stream.write(line)
        digest.update(line)

    def _finish(self, place: tuple[str, str]) -> None:
        file, stream, digest = self._open.pop(place)
        stream.close()
        file.digest = digest.hexdigest()[:16]


def _rest_of_line(endpoint: str, body: dict[str, object]) -> bytes:
    row = {"method": "POST", "url": endpoint, "body": body}
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":")).translate(_LINE_ENDS)
    return b'",' + text.encode("utf-8", "replace")[1:] + b"\n"


def custom_id(key: bytes, shape: Shape) -> str:
    """Name of a question in a file, 56 letters (some providers take at most 64)."""
    return f"{_PREFIX}{base64.urlsafe_b64encode(key).decode().rstrip('=')}-{shape.mark}"


def of_custom_id(name: str) -> tuple[bytes, str]:
    """(cache key, mark of the shape) of what `custom_id` gave.

    Example:
        >>> of_custom_id("pak3h-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-3f2c9a") == (bytes(32), "3f2c9a")
        True
    """
    letters, mark = name[len(_PREFIX) : len(_PREFIX) + _KEY_LETTERS], name[-6:]
    return base64.urlsafe_b64decode(letters + "="), mark


def ids_of(path: Path) -> Iterator[tuple[str, int]]:
    """(custom_id, offset of its line) of a file that `RequestFiles` wrote."""
    offset = 0
    with path.open("rb") as stream:
        for line in stream:
            if line.startswith(_BEGIN):
                yield line[len(_BEGIN) : line.index(b'"', len(_BEGIN))].decode("ascii"), offset
            offset += len(line)


def unread_mark(reply: Reply, shape: Shape) -> str:
    """What the cache is told of a batch's reply in case it cannot be read: ``first``, or ``unread`` for good."""
    final = shape.asks > 1 and (not shape.drawn or was_thinking(reply))
    return "unread" if final else "first"
