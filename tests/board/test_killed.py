"""Kill -9 of a board with a real lm_eval."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.environments import clean_environ

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
