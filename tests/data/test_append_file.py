from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pak3h_tasks.data.append_file import AppendFile
from pak3h_tasks.errors import DataError


def test_half_a_line_goes_with_the_first_write_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "f"
    path.parent.mkdir()
    path.write_bytes(b"one\ntw")
    file = AppendFile(path)
    assert file.whole_lines() == b"one\n"
    assert path.read_bytes() == b"one\ntw"
    file.write([b"two", b"three"])
    file.write([b"four"])
    assert path.read_bytes() == b"one\ntwo\nthree\nfour\n"
    file.clear()
    file.close()
    assert path.read_bytes() == b""


def test_one_writer_at_a_time_until_it_closes_or_dies(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    path = tmp_path / "f"
    code = f"""
import sys
from pathlib import Path
from pak3h_tasks.data.append_file import AppendFile
file = AppendFile(Path({str(path)!r}))
file.write([b"theirs"])
print("open", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(DataError, match="another run is writing there"):
            AppendFile(path)
        assert path.read_bytes() == b"theirs\n"
        other.kill()
        other.wait()
        file = AppendFile(path)
        file.write([b"ours"])
        file.close()
    AppendFile(path).close()
    assert path.read_bytes() == b"theirs\nours\n"


def test_what_does_not_fit_is_one_line(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    file = AppendFile(tmp_path / "f")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(DataError, match="cannot be written"):
            file.write([b"x" * 20])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        file.close()
