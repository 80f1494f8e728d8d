"""Judges' answers on disk: one SQLite file that several processes and threads share and that survives kill -9.

Every answer is committed as it arrives (about 40 microseconds). In WAL mode with synchronous=NORMAL a commit is in the
operating system's hands: killing the process loses nothing; a power cut may lose the last commits, never the file.

A file that is damaged or no cache at all is moved aside, with one line; whatever it still gives is copied. `require`
stops a run before it pays for answers that nobody could keep. What goes wrong later is said once, when there is an
answer to keep, which stays in memory for this run and is tried again. A file that can only be read gives its answers.

Runs that share a file ask each question once: whoever is going to ask claims it first (`claim`), the others wait for
the answer. A claim lasts as long as its process renews it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
import shutil
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pak3h_tasks.backends.cache_file import NewerFormatError, connect, connect_read_only, move_aside
from pak3h_tasks.errors import BackendError

logger = logging.getLogger(__name__)

CLAIM_LASTS_S = 10.0
"""Seconds a claim holds without being renewed; that of a process that is gone from this machine ends at once."""

_KEYS_A_QUERY = 500  # SQLite's own limit was 999 before 3.32
_PROBE_BYTES = 2**18
_LEAST_FREE_BYTES = 2**24
_TRY_AGAIN_S = 2.0


def cache_path(cache_dir: Path) -> Path:
    """The answer cache inside PAK3H_CACHE_DIR."""
    return cache_dir / "answers.sqlite3"


def answer_key(material: Mapping[str, Any]) -> bytes:
    """sha256 of the canonical JSON of everything that changes an answer.

    Any text is allowed, lone surrogates included. Never put an API key in.

    Example:
        >>> answer_key({"model": "m", "prompt": "سوال"}) == answer_key({"prompt": "سوال", "model": "m"})
        True
    """
    text = json.dumps(material, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).digest()


@dataclass(frozen=True)
class CacheInfo:
    """What a cache holds.

    Attributes:
        path: The file.
        bytes: Its size with its WAL; 0 when there is none.
        entries: (kind, model, number of answers), sorted.
        fault: Why it cannot be used; None: it can.
    """

    path: Path
    bytes: int
    entries: tuple[tuple[str, str, int], ...]
    fault: str | None = None


class AnswerCache:
    """Key -> answer on disk; nothing but `require` and `clear` raises because of the file.

    Args:
        path: The file; its folder is made when needed.
        writable: False: answers are read, and none is kept.
        lock_timeout_s: Seconds to wait for another process before doing without the cache.
    """

    def __init__(self, path: Path, *, writable: bool = True, lock_timeout_s: float = 5.0) -> None:
        self.path = path
        self.fault: str | None = None
        self._writable, self._lock_timeout_s = writable, lock_timeout_s
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._unwritten: dict[bytes, tuple[str, str, bytes]] = {}
        self._write_after = 0.0
        self._owner = ""
        self._said = False

    def require(self) -> None:
        """Make sure that answers can be kept; a file that is no sound cache is moved aside first.

        Raises:
            BackendError: They cannot; one line says why and what to do.
        """
        if not self._writable:
            return
        with self._lock:
            try:
                self._close()
                self.fault = None
                self._move_aside(thorough=True)
                self.path.parent.mkdir(parents=True, exist_ok=True)
                if (free := shutil.disk_usage(self.path.parent).free) < _LEAST_FREE_BYTES:
                    raise OSError(f"the disk is full: {free / 1e6:.1f} MB are left")
                connection = self._connection = connect(self.path, self._lock_timeout_s)
                self._process = os.getpid()
                probe = os.urandom(16)  # a question nobody asks
                connection.execute("INSERT INTO claims VALUES (?, ?)", (probe, " " * _PROBE_BYTES))
                connection.execute("DELETE FROM claims WHERE key = ?", (probe,))
            except (sqlite3.Error, OSError) as error:
                self._close()
                newer = "; upgrade pak3h-tasks, or" if isinstance(error, NewerFormatError) else "; free it, or"
                raise BackendError(
                    f"answer cache {self.path} cannot be written ({error}), so nothing that is paid for would be kept"
                    f"{newer} set PAK3H_CACHE_DIR to another folder, or PAK3H_CACHE=read (or off) to go on without"
                ) from None

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """The answers there are, by key; entries that cannot be read count as absent."""
        with self._lock:
            connection = self._open()
            try:
                return self._select(connection, keys)
            except (sqlite3.Error, OSError) as error:
                self._close()
                self._note(error)
                return self._select(None, keys)

    def written_since(self, keys: Sequence[bytes], when: float) -> set[bytes]:
        """Those of the keys whose answer was stored after a time (seconds since 1970)."""
        with self._lock:
            connection = self._open()
            found = {key for key in keys if key in self._unwritten}
            if connection is not None:
                with suppress(sqlite3.Error, OSError):
                    for some, marks in _in_chunks(keys):
                        query = f"SELECT key FROM answers WHERE key IN ({marks}) AND created > ?"  # noqa: S608 - marks only
                        found |= {key for (key,) in connection.execute(query, (*some, when))}
            return found

    def claim(self, keys: Sequence[bytes]) -> tuple[set[bytes], dict[bytes, Any]]:
        """Claim what this process is going to ask.

        Returns:
            (the keys that are this process's to ask, the answers that have come since they were looked up). Of the
            rest, somebody else is asking: look again later.
        """
        ours = set(keys)
        with self._lock:
            connection = self._open()
            if connection is None or self.fault is not None or not self._writable:
                return ours, {}
            try:
                connection.execute("BEGIN IMMEDIATE")
                self._forget_the_dead(connection)
                connection.execute("INSERT OR REPLACE INTO claimants VALUES (?, ?)", (self._owner, time.time()))
                rows = [(key, self._owner) for key in keys]
                connection.executemany("INSERT OR IGNORE INTO claims VALUES (?, ?)", rows)
                for some, marks in _in_chunks(keys):
                    others = f"SELECT key FROM claims WHERE key IN ({marks}) AND owner != ?"  # noqa: S608 - marks only
                    ours -= {key for (key,) in connection.execute(others, (*some, self._owner))}
                found = self._select(connection, keys)
                connection.execute("COMMIT")
            except (sqlite3.Error, OSError) as error:
                self._roll_back(connection)
                self._note(error)
                return set(keys), {}
        return ours, found

    def renew(self) -> None:
        """Say that this process is still asking; due more often than every `CLAIM_LASTS_S`."""
        self._write("UPDATE claimants SET renewed = ? WHERE owner = ?", lambda: [(time.time(), self._owner)])

    def give_up(self, keys: Iterable[bytes] | None = None) -> None:
        """End this process's claims on these keys, or all of them: somebody else may ask now."""
        if keys is None:
            self._write("DELETE FROM claims WHERE owner = ?", lambda: [(self._owner,)])
        else:
            listed = list(keys)
            self._write("DELETE FROM claims WHERE key = ? AND owner = ?", lambda: [(k, self._owner) for k in listed])

    def put(self, key: bytes, answer: Mapping[str, Any], *, kind: str, model: str) -> None:
        """Store one answer; it is safe from kill -9 when this returns, or in memory where the file takes nothing."""
        if not self._writable:
            return
        data = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        with self._lock:
            self._unwritten[key] = (kind, model, data)
            if self.fault is None or time.monotonic() >= self._write_after:
                self._write_all()
            if self.fault is not None and not self._said:
                self._said = True
                logger.warning(
                    "answer cache %s cannot be used (%s): the run goes on, but new answers are in memory only, for "
                    "this run; see that it can be written, or run `pak3h cache clear` where it is damaged",
                    self.path,
                    self.fault,
                )

    def info(self) -> CacheInfo:
        """What it holds."""
        entries: list[tuple[str, str, int]] = []
        with self._lock:
            connection = self._open(create=False)
            if connection is not None:
                try:
                    entries = connection.execute(
                        "SELECT kind, model, COUNT(*) FROM answers GROUP BY kind, model ORDER BY kind, model"
                    ).fetchall()
                except (sqlite3.Error, OSError) as error:
                    self._close()
                    self._note(error)
        return CacheInfo(self.path, self._bytes(), tuple(entries), self.fault)

    def clear(self) -> int | Path:
        """Forget every answer.

        Returns:
            How many answers there were; for a file that is damaged or no cache at all, where it was moved to.

        Raises:
            BackendError: The file cannot be written or moved.
        """
        with self._lock:
            self._unwritten.clear()
            try:
                if aside := self._move_aside(thorough=True):
                    self.fault = None
                    return aside
            except OSError as error:
                raise BackendError(f"answer cache {self.path} cannot be moved: {error}") from None
            connection = self._open(create=False)
            if connection is not None and self.fault is None:
                try:
                    gone = connection.execute("DELETE FROM answers").rowcount
                    connection.execute("VACUUM")
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    return gone
                except sqlite3.Error as error:
                    self._note(error)
            self._close()
            if self.fault is None:
                return 0
            raise BackendError(f"answer cache {self.path} cannot be cleared: {self.fault}")

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            if self._unwritten:
                self._write_all()
            self._close()

    def _select(self, connection: sqlite3.Connection | None, keys: Sequence[bytes]) -> dict[bytes, Any]:
        found = {key: self._unwritten[key][2] for key in keys if key in self._unwritten} if self._unwritten else {}
        if connection is not None:
            for some, marks in _in_chunks(keys):
                query = f"SELECT key, answer FROM answers WHERE key IN ({marks})"  # noqa: S608 - marks only
                found = {**dict(connection.execute(query, some)), **found}
        answers = {}
        for key, data in found.items():
            with suppress(ValueError, TypeError, AttributeError):
                answers[key] = json.loads(data.decode("utf-8", "surrogatepass"))
        return answers

    def _write_all(self) -> None:
        connection = self._open()
        if connection is None:
            return
        try:
            for key, (kind, model, data) in list(self._unwritten.items()):
                row = (key, kind, model, data, time.time())
                connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)
                del self._unwritten[key]
        except (sqlite3.Error, OSError) as error:  # full, locked, damaged: what is there can still be read
            self._write_after = time.monotonic() + _TRY_AGAIN_S
            self._note(error)

    def _write(self, statement: str, rows: Any) -> None:
        """For claims, which are a courtesy: what goes wrong with them is nothing to talk about."""
        with self._lock:
            if self._connection is None or self._process != os.getpid() or self.fault is not None or not self._writable:
                return
            with suppress(sqlite3.Error, OSError):
                self._connection.executemany(statement, rows())

    def _forget_the_dead(self, connection: sqlite3.Connection) -> None:
        now = time.time()
        for owner, renewed in connection.execute("SELECT owner, renewed FROM claimants").fetchall():
            if owner != self._owner and (not 0 <= now - renewed < CLAIM_LASTS_S or _is_gone(owner)):
                connection.execute("DELETE FROM claims WHERE owner = ?", (owner,))
                connection.execute("DELETE FROM claimants WHERE owner = ?", (owner,))

    def _open(self, *, create: bool = True) -> sqlite3.Connection | None:
        # A connection must not be carried over a fork (sqlite.org/howtocorrupt.html, 2.6).
        if self._connection is not None and self._process != os.getpid():
            self._connection = None
        if self._connection is not None or self.fault is not None or (not create and not self.path.exists()):
            return self._connection
        self._process = os.getpid()
        if not self._writable:
            self._connection = connect_read_only(self.path, wanted=True)
            return self._connection
        try:
            if create:
                self._move_aside(thorough=False)
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = connect(self.path, self._lock_timeout_s)
            self._owner = _owner()
        except (sqlite3.Error, OSError) as error:
            self._note(error)
            self._connection = connect_read_only(self.path)
        return self._connection

    def _move_aside(self, *, thorough: bool) -> Path | None:
        self._close()  # Windows moves no file that is open
        moved = move_aside(self.path, thorough=thorough)
        if moved is None:
            return None
        aside, wrong = moved
        logger.warning("answer cache %s cannot be used (%s): moved to %s, a new one takes its place", self.path, wrong,
                       aside)  # fmt: skip
        return aside

    def _note(self, error: Exception) -> None:
        self.fault = self.fault or str(error) or type(error).__name__

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _close(self) -> None:
        if self._connection is not None and self._process == os.getpid():
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def _bytes(self) -> int:
        files = (self.path.with_name(self.path.name + suffix) for suffix in ("", "-wal", "-shm"))
        return sum(file.stat().st_size for file in files if file.exists())


def _in_chunks(keys: Sequence[bytes]) -> Iterable[tuple[Sequence[bytes], str]]:
    for start in range(0, len(keys), _KEYS_A_QUERY):
        some = keys[start : start + _KEYS_A_QUERY]
        yield some, ",".join("?" * len(some))


def _machine() -> str:
    """This machine, and this container: a process id means nothing in another one."""
    try:
        return f"{platform.node()}/{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return platform.node()


def _owner() -> str:
    return f"{_machine()}|{os.getpid()}|{uuid.uuid4().hex}"


def _is_gone(owner: str) -> bool:
    machine, _, rest = owner.partition("|")
    process = rest.partition("|")[0]
    if os.name != "posix" or machine != _machine() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
