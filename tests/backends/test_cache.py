"""The answer cache: what is kept, what survives, and that no file can hurt a run."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks.backends.cache import AnswerCache, answer_key, cache_path
from pak3h_tasks.errors import BackendError


def key(number: int) -> bytes:
    return answer_key({"number": number})


def put(cache: AnswerCache, number: int, text: str = "Yes") -> None:
    cache.put(key(number), {"text": text}, kind="openai", model="m")


def faults(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if "answer cache" in record.getMessage()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return cache_path(tmp_path / "a" / "b")


def test_key_is_sha256_of_canonical_json() -> None:
    # By hand: sorted keys, no spaces, ASCII escapes.
    assert answer_key({"b": 1, "a": "ہ"}) == hashlib.sha256(b'{"a":"\\u06c1","b":1}').digest()
    assert answer_key({"a": "\ud800"}) != answer_key({"a": "\ud801"})  # lone surrogates are texts like any other


@pytest.mark.parametrize("text", ["Yes", "جی ہاں", "", "nul \0", "lone \ud83d", "\U0001f600", "x" * 100_000])
def test_answers_come_back_as_they_were(path: Path, text: str) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        put(cache, 1, text)
        assert cache.get_many([key(1), key(2)]) == {key(1): {"text": text}}
    with contextlib.closing(AnswerCache(path)) as again:
        assert again.get_many([key(1)]) == {key(1): {"text": text}}


def test_more_keys_than_one_query_takes(path: Path) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        for number in range(1300):
            put(cache, number)
        assert len(cache.get_many([key(number) for number in range(2000)])) == 1300
        assert cache.info().entries == (("openai", "m", 1300),)
        assert cache.info().bytes > 0


def test_a_second_answer_replaces_the_first(path: Path) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        put(cache, 1, "?")
        put(cache, 1, "Yes")
        assert cache.get_many([key(1)]) == {key(1): {"text": "Yes"}}


def test_an_entry_that_is_no_json_counts_as_absent(path: Path) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        put(cache, 1)
        put(cache, 2)
        with contextlib.closing(sqlite3.connect(path)) as other, other:
            other.execute("UPDATE answers SET answer = ? WHERE key = ?", (b"{", key(1)))
        assert cache.get_many([key(1), key(2)]) == {key(2): {"text": "Yes"}}


_WRITE_UNTIL_KILLED = """
import sys
from pathlib import Path
from pak3h_tasks.backends.cache import AnswerCache, answer_key
cache = AnswerCache(Path(sys.argv[1]))
for number in range(10**9):
    cache.put(answer_key({"number": number}), {"text": "Yes"}, kind="openai", model="m")
    print(number, flush=True)
"""


def test_kill_9_loses_nothing_acknowledged(path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", _WRITE_UNTIL_KILLED, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    for _ in range(500):
        child.stdout.readline()
    os.kill(child.pid, signal.SIGKILL)
    acknowledged = 500 + len(child.stdout.read().split())
    child.wait()
    child.stdout.close()
    with contextlib.closing(AnswerCache(path)) as cache:
        assert len(cache.get_many([key(number) for number in range(acknowledged)])) == acknowledged
        assert cache.fault is None


def _write_share(path: Path, start: int) -> None:
    logging.raiseExceptions = False
    cache = AnswerCache(path)
    for number in range(start, start + 300):
        put(cache, number)
        put(cache, 0)  # the same row from everybody
    sys.exit(0 if cache.fault is None else 1)


def test_several_processes_from_the_first_moment(path: Path) -> None:
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=_write_share, args=(path, start)) for start in (1, 201, 401, 601)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0] * 4
    with contextlib.closing(AnswerCache(path)) as cache:
        assert cache.info().entries == (("openai", "m", 901),)


def test_a_connection_is_not_used_across_a_fork(path: Path) -> None:
    cache = AnswerCache(path)
    put(cache, 0)
    child = multiprocessing.get_context("fork").Process(target=lambda: put(cache, 1))
    child.start()
    child.join()
    assert set(cache.get_many([key(0), key(1)])) == {key(0), key(1)}
    cache.close()


def test_another_process_opens_a_connection_of_its_own(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        put(cache, 0)
        parents = cache._connection
        monkeypatch.setattr("os.getpid", lambda: -1)  # as after a fork
        put(cache, 1)
        assert parents is not None and cache._connection is not parents
        monkeypatch.undo()
        cache._connection.close()
        cache._connection, cache._process = parents, os.getpid()
        assert set(cache.get_many([key(0), key(1)])) == {key(0), key(1)}


@pytest.mark.parametrize("act", [AnswerCache.renew, AnswerCache.give_up, AnswerCache.close])
def test_a_child_leaves_its_parents_connection_alone(
    path: Path, act: Callable[[AnswerCache], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        cache.claim([key(0)])
        parents, used = cache._connection, []
        assert parents is not None
        parents.set_trace_callback(used.append)
        monkeypatch.setattr("os.getpid", lambda: -1)  # as after a fork
        act(cache)
        monkeypatch.undo()
        parents.execute("SELECT 1").fetchone()  # still open
        assert used == ["SELECT 1"]
        cache._connection = parents


def test_several_threads(path: Path) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        threads = [
            threading.Thread(target=lambda start=start: [put(cache, n) for n in range(start, start + 100)])  # type: ignore[misc]
            for start in range(0, 800, 100)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(cache.get_many([key(n) for n in range(800)])) == 800


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to be read as one" * 50, b"SQLite format 3\0" + b"\xff" * 4096]
)
def test_a_damaged_file_is_moved_aside(path: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    cache = AnswerCache(path)
    for number in range(3):
        put(cache, number)
        assert cache.get_many([key(number)]) == {key(number): {"text": "Yes"}}
    (aside,) = path.parent.glob("*.unusable-*")
    assert aside.read_bytes() == content
    (line,) = faults(caplog)
    assert str(path) in line and str(aside) in line and "\n" not in line
    cache.close()


def _damage(path: Path, n: int) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        for number in range(n):
            put(cache, number)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(data)


def test_what_a_damaged_cache_still_gives_is_rescued(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _damage(path, 2000)
    cache = AnswerCache(path)
    cache.require()
    found = cache.get_many([key(number) for number in range(2000)])
    # one page of 4,096 bytes is lost; an entry has over 60 bytes, so fewer than 70 answers were in it
    assert 2000 - 70 <= len(found) < 2000 and set(map(str, found.values())) == {str({"text": "Yes"})}
    assert len(faults(caplog)) == 1 and cache.fault is None
    cache.close()


def test_damage_in_the_middle_of_a_run(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _damage(path, 2000)
    cache = AnswerCache(path)
    cache.get_many([key(number) for number in range(2000)])
    for number in range(3000, 3500):
        put(cache, number)
    assert len(cache.get_many([key(number) for number in range(3000, 3500)])) == 500  # in memory, at the least
    assert len(faults(caplog)) == 1


def _others_database(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE diary (day TEXT)")


def _other_columns(path: Path) -> None:
    AnswerCache(path).require()
    with contextlib.closing(sqlite3.connect(path)) as other, other:
        other.execute("ALTER TABLE answers RENAME COLUMN answer TO reply")


@pytest.mark.parametrize("make", [_others_database, _other_columns])
def test_what_is_no_answer_cache_is_moved_aside(path: Path, make: Any, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir(parents=True)
    make(path)
    cache = AnswerCache(path)
    cache.require()
    put(cache, 1)
    assert cache.get_many([key(1)]) == {key(1): {"text": "Yes"}}
    (aside,) = path.parent.glob("*.unusable-*[0-9]")
    with contextlib.closing(sqlite3.connect(aside)) as other:
        assert other.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] > 0
    assert len(faults(caplog)) == 1 and "moved" in faults(caplog)[0]
    cache.close()


def test_a_newer_format_is_not_touched(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        put(cache, 1)
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version=99")
    cache = AnswerCache(path)
    assert cache.get_many([key(1)]) == {} and "format 99" in str(cache.fault)
    with pytest.raises(BackendError, match=r"format 99.*upgrade"):
        AnswerCache(path).require()


def test_a_locked_file_is_done_without(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with contextlib.closing(AnswerCache(path)) as first:
        put(first, 1)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        cache = AnswerCache(path, lock_timeout_s=0.05)
        put(cache, 2)
        put(cache, 3)
        # reading goes on, and what could not be written is in memory
        assert len(cache.get_many([key(number) for number in range(9)])) == 3
        with pytest.raises(BackendError, match="locked"):
            AnswerCache(path, lock_timeout_s=0.05).require()
        assert len(faults(caplog)) == 1 and "locked" in faults(caplog)[0]
        other.execute("ROLLBACK")
    cache.close()


def test_a_short_lock_is_waited_for(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = AnswerCache(path)
    put(cache, 1)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.1, lambda: other.execute("COMMIT")).start()
    put(cache, 2)
    assert len(cache.get_many([key(1), key(2)])) == 2 and not faults(caplog)
    other.close()
    cache.close()


def test_a_full_disk_is_done_without(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        put(cache, 1)
        assert cache._connection is not None
        cache._connection.execute("PRAGMA max_page_count=4")  # SQLite's own "database or disk is full"
        for number in range(2, 2000):
            put(cache, number)
        assert len(cache.get_many([key(number) for number in range(1, 2000)])) == 1999  # the rest is in memory
        (line,) = faults(caplog)
        assert "full" in line
        cache._connection.execute("PRAGMA max_page_count=100000")  # somebody makes room
        cache._write_after = 0.0
        put(cache, 2000)
    with contextlib.closing(AnswerCache(path)) as again:
        assert len(again.get_many([key(number) for number in range(1, 2001)])) == 2000


def _as_nobody(work: object) -> None:
    os.setuid(65534)
    work()  # type: ignore[operator]


def _run_unprivileged(work: object) -> None:
    """In a child that may not write where only the owner may; root may write everywhere."""
    target = _as_nobody if os.getuid() == 0 else lambda work: work()
    child = multiprocessing.get_context("fork").Process(target=target, args=(work,))
    child.start()
    child.join()
    assert child.exitcode == 0


def test_a_read_only_cache_still_gives_its_answers(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    path = tmp_path / "shared" / "answers.sqlite3"
    with contextlib.closing(AnswerCache(path)) as cache:
        put(cache, 1)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    before = path.read_bytes()

    def look() -> None:
        lines: list[str] = []
        handler = logging.Handler()
        handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
        logging.getLogger("pak3h_tasks").addHandler(handler)
        cache = AnswerCache(path)
        assert cache.get_many([key(1), key(2)]) == {key(1): {"text": "Yes"}}
        put(cache, 2)
        assert cache.get_many([key(2)]) == {key(2): {"text": "Yes"}}
        put(cache, 3)
        with pytest.raises(BackendError, match="PAK3H_CACHE=read"):
            AnswerCache(path).require()
        assert len(lines) == 1 and "read" in lines[0], lines
        assert AnswerCache(path.parent / "none" / "a.sqlite3").get_many([key(1)]) == {}

    _run_unprivileged(look)
    path.parent.chmod(0o755)
    assert path.read_bytes() == before


def test_a_path_that_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("x")
    cache = AnswerCache(tmp_path / "file" / "answers.sqlite3")
    put(cache, 1)
    assert cache.get_many([key(1), key(2)]) == {key(1): {"text": "Yes"}} and len(faults(caplog)) == 1
    with pytest.raises(BackendError, match="cannot be written"):
        cache.require()
    assert AnswerCache(cache.path).get_many([key(1)]) == {}


def test_clear(path: Path) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        assert cache.clear() == 0
        assert not path.exists()  # looking makes no file
        for number in range(10):
            put(cache, number, json.dumps("x" * 10_000))
        full = cache.info().bytes
        assert cache.clear() == 10
        assert cache.info().entries == () and cache.info().bytes < full
        put(cache, 1)
        assert cache.info().entries == (("openai", "m", 1),)


def test_puts_do_not_wait_for_the_disk(path: Path) -> None:
    # The setting behind "committed as it arrives" and "fast": WAL, and no fsync a commit.
    with contextlib.closing(AnswerCache(path)) as cache:
        put(cache, 1)
        assert cache._connection is not None
        assert cache._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert cache._connection.execute("PRAGMA synchronous").fetchone() == (1,)  # 1 is NORMAL
        created = cache._connection.execute("SELECT created FROM answers").fetchone()[0]
        assert abs(created - time.time()) < 60


def test_read_only_by_wish(path: Path) -> None:
    with contextlib.closing(AnswerCache(path)) as cache:
        put(cache, 1)
    reader = AnswerCache(path, writable=False)
    reader.require()
    put(reader, 2)
    assert reader.get_many([key(1), key(2)]) == {key(1): {"text": "Yes"}}
    assert reader.claim([key(2)]) == ({key(2)}, {})
    reader.close()


def test_a_file_of_0_1_0(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with contextlib.closing(sqlite3.connect(path)) as old, old:  # as 0.1.0 made it
        old.execute(
            "CREATE TABLE answers (key BLOB PRIMARY KEY, kind TEXT NOT NULL, model TEXT NOT NULL, "
            "answer BLOB NOT NULL, created REAL NOT NULL) WITHOUT ROWID"
        )
        old.execute("PRAGMA user_version=1")
        old.execute(f"PRAGMA application_id={0x50334843}")
        old.execute("INSERT INTO answers VALUES (?, 'openai', 'm', ?, 0)", (key(1), b'{"text":"Yes"}'))
    with contextlib.closing(AnswerCache(path)) as cache:
        cache.require()
        assert cache.get_many([key(1)]) == {key(1): {"text": "Yes"}}


def test_claims(path: Path) -> None:
    one, two = AnswerCache(path), AnswerCache(path)
    keys = [key(number) for number in range(700)]
    assert one.claim(keys[:600]) == (set(keys[:600]), {})
    assert two.claim(keys) == (set(keys[600:]), {})
    put(one, 3)
    one.give_up([key(5)])
    assert two.claim(keys[:10]) == ({key(5)}, {key(3): {"text": "Yes"}})
    one.give_up()
    assert two.claim(keys[:10])[0] == set(keys[:10])
    one.close()
    two.close()


def test_a_claim_runs_out_unless_it_is_renewed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = AnswerCache(path), AnswerCache(path)
    now = time.time()
    one.claim([key(1)])
    monkeypatch.setattr(time, "time", lambda: now + 9)
    one.renew()
    monkeypatch.setattr(time, "time", lambda: now + 18)
    assert two.claim([key(1)])[0] == set()
    monkeypatch.setattr(time, "time", lambda: now + 20)
    assert two.claim([key(1)])[0] == {key(1)}
    one.close()
    two.close()


def test_the_claims_of_a_killed_process_end_at_once(path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from pak3h_tasks.backends.cache import AnswerCache, answer_key\n"
        "AnswerCache(Path(sys.argv[1])).claim([answer_key({'number': 1})]); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == -signal.SIGKILL
    with contextlib.closing(AnswerCache(path)) as cache:
        assert cache.claim([key(1)])[0] == {key(1)}


def test_the_file_is_closed_before_it_may_be_moved(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows moves no file that is open."""
    with contextlib.closing(AnswerCache(path)) as cache:
        put(cache, 1)
        assert cache._connection is not None
        open_then: list[object] = []
        monkeypatch.setattr(
            "pak3h_tasks.backends.cache.move_aside", lambda *_, **__: open_then.append(cache._connection)
        )
        assert cache.clear() == 1
        assert open_then[:1] == [None]
