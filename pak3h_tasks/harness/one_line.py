"""A user's mistake ends an lm_eval command as one line: lm-eval itself lets every exception through, 40 frames long."""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from pak3h_tasks.errors import Pak3HError
from pak3h_tasks.progress import end_bars
from pak3h_tasks.text.escape import printable

log = logging.getLogger("lm_eval.pak3h")  # below lm-eval's own logger: its format, its level

Explain = Callable[[BaseException], str | None]
"""What to say of an exception that is not ours; None: nothing, it keeps its traceback."""


def end_in_one_line(explain: Explain = lambda _: None) -> None:
    """From now on, an uncaught `Pak3HError`, or what `explain` knows, is printed without its traceback."""
    sys.excepthook = functools.partial(_without_traceback, sys.excepthook, explain)


def explained(explain: Explain, error: BaseException) -> str | None:
    """What `explain` says, and nothing where it fails itself; lm-eval's traceback is logged at DEBUG."""
    try:
        said = explain(error)
        end_bars()  # lm-eval leaves the one of what failed open, without an end of its line
    except Exception:  # noqa: BLE001 - a failure to explain may not hide what failed
        return None
    if said is not None:
        log.debug("the traceback behind the next line", exc_info=error)
    return said


def _without_traceback(
    previous: Any, explain: Explain, kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    said = str(error) if isinstance(error, Pak3HError) else explained(explain, error)
    if said is None:
        previous(kind, error, traceback)
        return
    end_bars()
    for line in said.splitlines():
        print(f"pak3h: error: {printable(line)}", file=sys.stderr)
