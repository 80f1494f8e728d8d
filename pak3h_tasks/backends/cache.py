"""Judges' answers on disk: one SQLite file that several processes and threads share and that survives kill -9.

Every answer is committed as it arrives (about 40 microseconds). In WAL mode with synchronous=NORMAL a commit is in the
operating system's hands: killing the process loses nothing; a power cut may lose the last commits, never the file.
A cache is a convenience: whatever is wrong with the file is said in one line and the run goes on without it. A damaged
file is left where it is, since it may hold paid answers (or be no cache at all); `AnswerCache.clear` moves it aside.
A file that can only be read still gives its answers.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pak3h_tasks.errors import BackendError

logger = logging.getLogger(__name__)

_FORMAT = 1
_APPLICATION = 0x50334843  # "P3HC": tells our file from somebody else's database
_TABLE = """CREATE TABLE IF NOT EXISTS answers (
    key BLOB PRIMARY KEY, kind TEXT NOT NULL, model TEXT NOT NULL, answer BLOB NOT NULL, created REAL NOT NULL
) WITHOUT ROWID"""
_KEYS_A_QUERY = 500  # SQLite's own limit was 999 before 3.32


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
    """Key -> answer on disk; `get_many`, `put` and `info` never raise because of the file.

    Args:
        path: The file; its folder is made when needed.
        lock_timeout_s: Seconds to wait for another process before doing without the cache.
    """

    def __init__(self, path: Path, *, lock_timeout_s: float = 5.0) -> None:
        self.path = path
        self.fault: str | None = None
        self._lock_timeout_s = lock_timeout_s
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """The answers there are, by key; entries that cannot be read count as absent."""
        found: dict[bytes, Any] = {}
        with self._lock:
            connection = self._open()
            if connection is None:
                return found
            try:
                for start in range(0, len(keys), _KEYS_A_QUERY):
                    some = keys[start : start + _KEYS_A_QUERY]
                    marks = ",".join("?" * len(some))
                    rows = connection.execute(f"SELECT key, answer FROM answers WHERE key IN ({marks})", some)  # noqa: S608 - marks only
                    for key, answer in rows:
                        with suppress(ValueError, TypeError, AttributeError):
                            found[key] = json.loads(answer.decode("utf-8", "surrogatepass"))
            except (sqlite3.Error, OSError) as error:
                self._close()
                self._say(error)
        return found

    def put(self, key: bytes, answer: Mapping[str, Any], *, kind: str, model: str) -> None:
        """Store one answer; it is safe from kill -9 when this returns."""
        data = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        with self._lock:
            connection = self._open()
            if connection is None or self.fault is not None:
                return
            try:
                connection.execute(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (key, kind, model, data, time.time())
                )
            except (sqlite3.Error, OSError) as error:
                self._say(error)  # full, locked, damaged: what is there can still be read

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
                    self._say(error)
        return CacheInfo(self.path, self._bytes(), tuple(entries), self.fault)

    def clear(self) -> int | Path:
        """Forget every answer.

        Returns:
            How many answers there were; for a file that is damaged or no cache at all, where it was moved to.

        Raises:
            BackendError: The file cannot be written or moved.
        """
        with self._lock:
            connection = self._open(create=False)
            if connection is not None and self.fault is None:
                try:
                    gone = connection.execute("DELETE FROM answers").rowcount
                    connection.execute("VACUUM")
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    return gone
                except sqlite3.Error as error:
                    self._say(error)
            self._close()
            if self.fault is None:
                return 0
            if not _is_damaged(self.path):
                raise BackendError(f"answer cache {self.path} cannot be cleared: {self.fault}")
            aside = self.path.with_name(f"{self.path.name}.damaged-{int(time.time())}")
            try:
                self.path.replace(aside)
                for file in _companions(self.path):
                    file.unlink(missing_ok=True)
            except OSError as error:
                raise BackendError(f"answer cache {self.path} cannot be moved: {error}") from None
            self.fault = None
            return aside

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            self._close()

    def _open(self, *, create: bool = True) -> sqlite3.Connection | None:
        # A connection must not be carried over a fork (sqlite.org/howtocorrupt.html, 2.6).
        if self._connection is not None and self._process != os.getpid():
            self._connection = None
        if self._connection is not None or self.fault is not None or (not create and not self.path.exists()):
            return self._connection
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _connect(self.path, self._lock_timeout_s)
        except (sqlite3.Error, OSError) as error:
            self._say(error)
            self._connection = _connect_read_only(self.path)
        self._process = os.getpid()
        return self._connection

    def _say(self, error: Exception) -> None:
        if self.fault is not None:
            return
        self.fault = str(error) or type(error).__name__
        remedy = "move it away or run `pak3h cache clear`" if _is_damaged(self.path) else "see that it can be written"
        logger.warning(
            "answer cache %s cannot be used (%s): the run goes on, but new answers are not kept; %s",
            self.path,
            self.fault,
            remedy,
        )

    def _close(self) -> None:
        if self._connection is not None and self._process == os.getpid():
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def _bytes(self) -> int:
        return sum(file.stat().st_size for file in (self.path, *_companions(self.path)) if file.exists())


def _companions(path: Path) -> tuple[Path, Path]:
    return path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")


def _connect(path: Path, lock_timeout_s: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=lock_timeout_s, isolation_level=None, check_same_thread=False)
    try:
        deadline = time.monotonic() + lock_timeout_s
        while True:
            try:
                _prepare(connection)
                return connection
            except sqlite3.OperationalError as error:
                # Two processes that make the file at once: SQLite does not wait here, whatever the timeout.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
    except BaseException:
        connection.close()
        raise


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN")  # one look at both, while another process may be making the file
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    connection.execute("COMMIT")
    if application != _APPLICATION:
        if application or tables:
            raise sqlite3.DatabaseError("it is some other program's database")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA user_version={_FORMAT}")
        connection.execute(f"PRAGMA application_id={_APPLICATION}")
        connection.execute("COMMIT")
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found != _FORMAT:
        raise sqlite3.DatabaseError(f"it has format {found}, this version reads {_FORMAT}")
    connection.execute("PRAGMA synchronous=NORMAL")


def _connect_read_only(path: Path) -> sqlite3.Connection | None:
    """For a file or folder we may not write in, and only there: `immutable` does not look at locks."""
    if not path.is_file() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return None
    try:
        connection = sqlite3.connect(_uri(path, "immutable=1"), uri=True, isolation_level=None, check_same_thread=False)
    except sqlite3.Error:
        return None
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] == _FORMAT:
            return connection
    except sqlite3.Error:
        pass
    connection.close()
    return None


def _is_damaged(path: Path) -> bool:
    """Whether the file is there, readable, and not a sound SQLite file."""
    if not path.is_file() or not os.access(path, os.R_OK):
        return False
    try:
        with closing(sqlite3.connect(_uri(path, "mode=ro"), uri=True, timeout=1)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except sqlite3.OperationalError:
        return False  # locked, or a folder we may not write in: not the file's fault
    except sqlite3.DatabaseError:
        return True


def _uri(path: Path, query: str) -> str:
    return f"{path.resolve().as_uri()}?{query}"
