"""`python -m pak3h_tasks.board.lm_eval_process LOCK ARGUMENTS`: `pak3h run ARGUMENTS`, holding a lock while it lives.

A board that is killed leaves its lm_eval running. The next board sees by the lock that it is, and waits for the answers
instead of paying for them again.
"""

from __future__ import annotations

import runpy
import sys

from filelock import FileLock, Timeout

BUSY = 75
"""Exit code where another process holds the lock (EX_TEMPFAIL)."""


def main(argv: list[str]) -> int:
    """Take the lock, and become `pak3h run`."""
    lock = FileLock(argv[0])
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return BUSY
    sys.argv = ["pak3h", "run", *argv[1:]]
    runpy.run_module("pak3h_tasks", run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
