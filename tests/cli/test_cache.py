"""`pak3h cache` as a user calls it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import time
from pathlib import Path

import pytest

from pak3h_tasks.backends.cache import AnswerCache, answer_key, cache_path
from pak3h_tasks.cli.cache import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAK3H_CACHE_DIR", str(tmp_path))
    cache = AnswerCache(cache_path(tmp_path))
    for number in range(3):
        cache.put(answer_key({"n": number}), {"text": "Yes"}, kind="openai", model="gpt-4o-mini")
    cache.put(answer_key({"n": 3}), {"text": "Yes"}, kind="hf", model="a\x1b[31mb")
    cache.close()
    return tmp_path


def test_info(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    out, err = capsys.readouterr()
    assert "3  openai  gpt-4o-mini" in out and str(folder) in out and "\x1b" not in out and err == ""
    assert main(["info", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["entries"][1] == {"kind": "openai", "model": "gpt-4o-mini", "answers": 3} and found["fault"] is None


def test_info_tells_how_much_is_spooled(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from pak3h_tasks.harness.spool import spool

    assert spool(folder, "pak3h_alpaca_ur", [(0, {"id": "a"}, [["b"]])]) is not None
    assert main(["info"]) == 0
    assert f"{folder / 'spool'}: 0.0 MB" in capsys.readouterr().out
    assert main(["info", "--format", "json"]) == 0
    # {"doc_id": 0, "doc": {"id": "a"}, "resps": [["b"]]} and a line end: 52 bytes, counted by hand
    assert json.loads(capsys.readouterr().out)["spooled"] == {"path": str(folder / "spool"), "files": 1, "bytes": 52}


def test_nothing_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--cache-dir", str(tmp_path)]) == 0
    assert "no answers" in capsys.readouterr().out
    assert main(["clear", "--yes", "--cache-dir", str(tmp_path)]) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("typed", "left"), [("y\n", 0), ("\n", 4), ("no\n", 4)])
def test_clear_asks(folder: Path, typed: str, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO(typed)
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stdin", terminal)
    assert main(["clear"]) == (1 if left else 0)
    cache = AnswerCache(cache_path(folder))
    assert sum(count for _, _, count in cache.info().entries) == left
    cache.close()


def test_clear_without_a_terminal_wants_yes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert main(["clear"]) == 1 and "--yes" in capsys.readouterr().err
    assert main(["clear", "--yes"]) == 0 and "4 answers cleared" in capsys.readouterr().err


def test_a_damaged_cache(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cache_path(folder)
    path.write_bytes(b"x" * 5000)
    for companion in folder.glob("*-*"):
        companion.unlink()
    assert main(["info"]) == 1
    assert main(["clear", "--yes"]) == 0
    assert "damaged" in capsys.readouterr().err
    assert [file.read_bytes() for file in folder.glob("*.unusable-*")] == [b"x" * 5000]
    assert main(["info"]) == 0


def test_help_ends_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0 and "pak3h cache clear --yes" in capsys.readouterr().out.splitlines()[-1]


def test_spools_are_cleared_apart_from_answers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from pak3h_tasks.harness.spool import spool

    old = spool(folder, "pak3h_alpaca_ur", [(0, {"id": "a"}, [["b"]])])
    new = spool(folder, "pak3h_alpaca_en", [(0, {"id": "a"}, [["b"]])])
    assert old is not None and new is not None
    week_ago = time.time() - 7 * 86400
    os.utime(old, (week_ago, week_ago))
    assert main(["clear", "--spools", "--older-than-days", "6", "--yes"]) == 0
    assert not old.exists() and new.exists()
    assert main(["clear", "--spools", "--yes"]) == 0
    assert not new.parent.exists() and "1 spooled files (0.0 MB) deleted" in capsys.readouterr().err
    with contextlib.closing(AnswerCache(cache_path(folder))) as cache:
        assert sum(count for _, _, count in cache.info().entries) == 4
