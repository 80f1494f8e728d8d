"""Ctrl-C and SIGTERM: what is kept is said, and the process ends as its caller expects (130, 143).

SIGTERM ends a Python process on the spot. Where work that was paid for is under way, it is turned into the interrupt
that Ctrl-C is, so that requests end well and one line says what is there. Event loops run in threads of their own
(`servers.event_loop`): the main thread, which signals reach, only waits for them, and cancels them when it is told to.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

logger = logging.getLogger(__name__)


@contextmanager
def terminate_as_interrupt() -> Iterator[Callable[[], bool]]:
    """Inside, SIGTERM raises KeyboardInterrupt as Ctrl-C does; yields whether it came.

    Only in the main thread, and only where nobody else handles SIGTERM: otherwise nothing changes.
    """
    came = threading.Event()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        came.set()
        raise KeyboardInterrupt  # not by way of SIGINT, which background jobs of a shell script ignore

    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if ours:
        signal.signal(signal.SIGTERM, interrupt)
    try:
        yield came.is_set
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def says_what_is_kept(line: Callable[[], str]) -> Iterator[None]:
    """Log a line when the block is interrupted; after SIGTERM, unless a caller handles it, the process ends by it.

    Args:
        line: What is kept, and how to go on.
    """
    with terminate_as_interrupt() as terminated:
        try:
            yield
        except KeyboardInterrupt:
            logger.warning("%s", line())
            if terminated():
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                os.kill(os.getpid(), signal.SIGTERM)
            raise
