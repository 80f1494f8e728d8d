"""The SQLite file of the answer cache: made, opened, checked, and moved aside where it is no such file."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from filelock import FileLock

FORMAT = 1
_APPLICATION = 0x50334843  # "P3HC": tells our file from somebody else's database
_ANSWERS = """CREATE TABLE IF NOT EXISTS answers (
    key BLOB PRIMARY KEY, kind TEXT NOT NULL, model TEXT NOT NULL, answer BLOB NOT NULL, created REAL NOT NULL
) WITHOUT ROWID"""
# Beside the answers and not in them: files of 0.1.0 get these tables, and 0.1.0 still reads a file that has them.
_CLAIMS = (
    "CREATE TABLE IF NOT EXISTS claims (key BLOB PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS claimants (owner TEXT PRIMARY KEY, renewed REAL NOT NULL) WITHOUT ROWID",
)


class NewerFormatError(sqlite3.DatabaseError):
    """A later version of this package made the file: its answers are good, only not readable here."""


def connect(path: Path, lock_timeout_s: float) -> sqlite3.Connection:
    """Open the file for reading and writing; it is made when there is none.

    Raises:
        sqlite3.Error: It is no answer cache, is damaged, or cannot be opened.
    """
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


def connect_read_only(path: Path, *, wanted: bool = False) -> sqlite3.Connection | None:
    """For what we may not write in (`immutable` does not look at locks), or where only reading is wanted."""
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    if not path.is_file() or (writable and not wanted):
        return None
    try:
        query = "mode=ro" if writable else "immutable=1"
        connection = sqlite3.connect(_uri(path, query), uri=True, isolation_level=None, check_same_thread=False)
    except sqlite3.Error:
        return None
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] == FORMAT:
            return connection
    except sqlite3.Error:
        pass
    connection.close()
    return None


def why_unusable(path: Path, *, thorough: bool = False) -> str | None:
    """What is wrong with the file itself; None where it is sound, absent, or only locked or not ours to open.

    Args:
        path: The file.
        thorough: Look at every page (about 0.1 s for 50,000 answers).
    """
    if not path.is_file() or not os.access(path, os.R_OK):
        return None
    try:
        with closing(sqlite3.connect(_uri(path, "mode=ro"), uri=True, timeout=1)) as connection:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
            if application != _APPLICATION:
                return "it is some other program's database" if application or tables else None
            if connection.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
                return None
            connection.execute("SELECT key, kind, model, answer, created FROM answers LIMIT 1").fetchone()
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0] if thorough else "ok"
            return None if found == "ok" else "it is damaged"
    except sqlite3.OperationalError as error:
        # "no such table" or column; anything else (locked, a folder we may not write in) is not the file's fault
        return "it is no answer cache" if "no such" in str(error) else None
    except sqlite3.DatabaseError as error:
        return str(error)


def move_aside(path: Path, *, thorough: bool) -> tuple[Path, str] | None:
    """Give a file that is damaged or no answer cache another name, and rescue the answers it still gives.

    Returns:
        (where it is now, what was wrong), or None where nothing was.

    Raises:
        OSError: It cannot be moved.
    """
    if why_unusable(path, thorough=thorough) is None:
        return None
    with FileLock(path.with_name(f".{path.name}.lock")):
        # another process may have moved it, and made a new one, meanwhile
        if (wrong := why_unusable(path, thorough=thorough)) is None:
            return None
        aside = path.with_name(f"{path.name}.unusable-{time.time_ns()}")
        for suffix in ("-wal", "-shm", ""):  # the file last: without it nobody takes the place for free
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
        with suppress(sqlite3.Error, OSError):
            _rescue(aside, path)
        return aside, wrong


def _rescue(damaged: Path, path: Path) -> None:
    """Copy what a damaged cache still gives, from both ends of its table."""
    columns = "key, kind, model, answer, created"
    with closing(sqlite3.connect(_uri(damaged, "mode=ro"), uri=True)) as source, closing(connect(path, 5.0)) as target:
        if source.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
            return
        for order in ("ASC", "DESC"):
            target.execute("BEGIN")
            with suppress(sqlite3.DatabaseError):
                for row in source.execute(f"SELECT {columns} FROM answers ORDER BY key {order}"):  # noqa: S608 - our own words
                    target.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)", row)
            target.execute("COMMIT")


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
        connection.execute(_ANSWERS)
        connection.execute(f"PRAGMA user_version={FORMAT}")
        connection.execute(f"PRAGMA application_id={_APPLICATION}")
        connection.execute("COMMIT")
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found != FORMAT:
        raise NewerFormatError(f"it has format {found}, this version reads {FORMAT}")
    there = connection.execute("SELECT COUNT(*) FROM sqlite_master WHERE name IN ('claims', 'claimants')").fetchone()[0]
    if there < len(_CLAIMS):
        connection.execute("BEGIN IMMEDIATE")
        for statement in _CLAIMS:
            connection.execute(statement)
        connection.execute("COMMIT")
    connection.execute("PRAGMA synchronous=NORMAL")


def _uri(path: Path, query: str) -> str:
    return f"{path.resolve().as_uri()}?{query}"
