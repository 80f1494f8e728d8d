"""The bar's words."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys

import pytest

from pak3h_tasks.progress import Progress, watched


@pytest.mark.parametrize("show", [True, False, None])
def test_counts_with_and_without_a_terminal(show: bool | None, capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("judge m", 3, show) as progress:
        progress.add(cached=True)
        progress.add(failed=True)
        progress.add()
    assert (progress.done, progress.cached, progress.failed) == (3, 1, 1)
    out, err = capsys.readouterr()
    assert out == ""
    assert ("cached=1, failed=1" in err and "3/3" in err) if show else err == ""


def test_follows_what_another_process_counts(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("Model", None, show=True, unit="") as bar:
        for what, done, total in (("loading", 0, 0), ("choices", 3, 4), ("texts", 1, 9)):
            bar.follow(f"Model: {what}", done, total)
    seen = capsys.readouterr().err
    assert "Model: choices:  75%" in seen and "3/4" in seen and "Model: texts:  11%" in seen and "1/9" in seen


_CODE = """
import logging, sys, time
from pak3h_tasks import progress
progress._DELAY_S = float(sys.argv[1])
for number in progress.watched(range(40), "reading ایک", unit="row"):
    time.sleep(0.03)
    if number == 25:
        print("pak3h: note: one whole line", file=sys.stderr)
        print("half ", end="", file=sys.stderr)
        print("and half", file=sys.stderr)
        logging.getLogger("pak3h").warning("a logged line")
print("done", file=sys.stderr)
"""


def _on_a_terminal(delay_s: float) -> tuple[str, list[str]]:
    """All that was sent to an 80-column terminal, and the lines that stand on it in the end."""
    fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [sys.executable, "-c", _CODE, str(delay_s)]
    environ = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environ)
    os.close(theirs)
    sent = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while part := os.read(ours, 65536):
            sent += part
    os.close(ours)
    assert process.wait() == 0
    text = sent.decode("utf-8", "replace").replace("\r\n", "\n")
    shown = []
    for line in text.split("\n"):
        row = ""
        for written in line.split("\r"):
            row = written + row[len(written) :]
        shown.append(row.rstrip())
    return text, [line for line in shown if line]


_LINES = ["pak3h: note: one whole line", "half and half", "a logged line", "done"]


def test_lines_stand_above_the_bar_each_whole() -> None:
    text, shown = _on_a_terminal(0.2)
    assert "reading" in text and "/40 [" in text  # it was drawn
    assert shown == _LINES  # and went
    assert all(len(drawn) <= 80 for line in text.split("\n") for drawn in line.split("\r"))


def test_what_is_short_has_no_bar() -> None:
    text, shown = _on_a_terminal(30)
    assert "reading" not in text
    assert shown == _LINES


def test_things_come_in_order_and_the_bar_is_silent_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(watched(iter("abc"), "reading", 3)) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""


def test_an_error_inside_leaves_stderr_as_it_was() -> None:
    before = sys.stderr
    with pytest.raises(KeyError), Progress("x", 2, show=True):
        raise KeyError
    assert sys.stderr is before
