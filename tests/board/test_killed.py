"""Kill -9 of a board with a real lm_eval, and the demo as the README has it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.environments import REPO, clean_environ

pytestmark = pytest.mark.slow
BOARD = """limit: 2
tasks: [pak3h_alpaca_ur_li]
judge: none
classifier: none
models:
  - {name: Dummy, model: dummy}
"""


def start(folder: Path) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "pak3h_tasks", "board", "board.yaml"]
    return subprocess.Popen(words, cwd=folder, env=clean_environ(PAK3H_CACHE_DIR=str(folder / "cache")),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip


def test_what_a_killed_board_left_running_is_waited_for_and_used(tmp_path):
    (tmp_path / "board.yaml").write_text(BOARD)
    first = start(tmp_path)
    while not list(tmp_path.glob("board_runs/*/running.lock")):
        assert first.poll() is None, first.communicate()[0]
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    said, _ = start(tmp_path).communicate()
    assert "Dummy: its lm_eval of before is still running; waiting" in said and "generating" not in said
    assert "1 of 1 models" in said and len(list(tmp_path.glob("board_runs/*/*/attempt.json"))) == 1
    assert (tmp_path / "board/index.html").exists()


def test_ctrl_c_ends_lm_eval_too(tmp_path):
    (tmp_path / "board.yaml").write_text(BOARD)
    board = start(tmp_path)
    while not (locks := list(tmp_path.glob("board_runs/*/running.lock"))):
        time.sleep(0.05)
    board.send_signal(signal.SIGTERM)
    said, _ = board.communicate()
    assert board.returncode == 143 and "Traceback" not in said
    from filelock import FileLock

    with FileLock(locks[0], timeout=0):
        pass


def test_the_demo(tmp_path):
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, REPO / "utils/board_demo.py", tmp_path / "demo", "--limit", "2"],
        env=clean_environ(PAK3H_JUDGE="gpt-4o", OPENAI_API_KEY="sk-none-of-the-demo"), capture_output=True, text=True,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "Traceback" not in said, said
    assert len(said.splitlines()) < 20  # with those of the shell script fewer than 40
    assert time.monotonic() - began < 360
    page = (tmp_path / "demo/board/index.html").read_text("utf-8")
    assert "Tiny, with a chat template" in page and os.environ["PAK3H_CACHE_DIR"] not in page
