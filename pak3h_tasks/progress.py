"""The progress bar of whatever takes long: on a terminal only, after two seconds, with messages above it."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import time
from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import Any, TextIO, TypeVar

T = TypeVar("T")

_DELAY_S = 2.0  # what is done by then needs no bar


class Progress:
    """A tqdm bar on stderr; nothing is drawn where stderr is no terminal, unless `show` is True.

    While it is open, lines that others write to stderr or log appear above it, each whole.

    Args:
        description: What is being done.
        total: Number of units, when known.
        show: True: at once and everywhere; False: never; None: on a terminal, when it takes long.
        unit: What is counted; ``B`` for bytes.
        done: Units that an earlier run did.
        leave: Whether the finished bar stays on the screen.
    """

    def __init__(
        self,
        description: str,
        total: int | None,
        show: bool | None = None,
        *,
        unit: str = "answer",
        done: int = 0,
        leave: bool = True,
    ) -> None:
        from tqdm import tqdm

        self.cached = self.failed = 0
        self.done = done
        self._bar = tqdm(
            total=total,
            initial=done,
            desc=description,
            unit=unit,
            unit_scale=unit == "B",
            disable=None if show is None else not show,
            delay=0 if show else _DELAY_S,
            leave=leave,
            file=sys.stderr._stderr if isinstance(sys.stderr, _Above) else sys.stderr,  # inside another one
            mininterval=0.5,
            dynamic_ncols=True,
        )
        self._around = contextlib.ExitStack()

    def add(self, n: int = 1, *, cached: bool = False, failed: bool = False) -> None:
        """Count finished units."""
        self.done += n
        self.cached += n * cached
        self.failed += n * failed
        if cached and not self._bar.disable:
            self._bar.initial += n  # tqdm's rate is (n - initial) / elapsed; a disabled bar has no such attribute
        if cached or failed:
            self._bar.set_postfix(cached=self.cached, failed=self.failed, refresh=False)
        self._bar.update(n)

    def follow(self, description: str, done: int, total: int) -> None:
        """Show how far somebody else is: a process that counts for itself, and begins anew with each part.

        Args:
            description: The part that is under way.
            done: Units of it that are done.
            total: Units of it; 0: not known.
        """
        bar, now = self._bar, time.time()
        if bar.disable:
            return
        drawn_from = bar.start_t + (bar.delay or 0.0)
        bar.set_description(description, refresh=False)
        if done < bar.n:  # the next part: its rate is its own
            bar.start_t, bar.delay = now, max(0.0, drawn_from - now)
        bar.total, bar.n = total or None, done
        if now >= drawn_from:
            bar.last_print_t = now
            bar.refresh()

    def __enter__(self) -> Progress:
        if not self._bar.disable:
            before, above = sys.stderr, _Above(self._bar, sys.stderr)
            for logger in (logging.root, logging.getLogger("lm_eval")):  # their handlers hold the stderr of before
                for handler in logger.handlers:
                    if isinstance(handler, logging.StreamHandler) and handler.stream is before:
                        handler.setStream(above)
                        self._around.callback(handler.setStream, before)
            self._around.enter_context(contextlib.redirect_stderr(above))
            self._around.callback(above.end)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()
        self._around.close()


class _Above(io.TextIOBase):
    """Stderr while a bar may be drawn there: whole lines go above it."""

    def __init__(self, bar: Any, stderr: TextIO) -> None:
        self._bar, self._stderr = bar, stderr
        self._line = ""

    def write(self, text: str) -> int:
        if "\r" in text:  # another bar
            return self._stderr.write(text)
        *lines, self._line = (self._line + text).split("\n")
        if not lines:
            return len(text)
        if self._bar.last_print_t < self._bar.start_t + self._bar.delay:  # not drawn yet; tqdm.write would draw it
            self._stderr.write("\n".join([*lines, ""]))
        else:
            self._bar.write("\n".join(lines), file=self._stderr)
        return len(text)

    def end(self) -> None:
        """Write the begun line."""
        self._stderr.write(self._line)

    def flush(self) -> None:
        self._stderr.flush()

    def isatty(self) -> bool:
        return self._stderr.isatty()

    def fileno(self) -> int:
        return self._stderr.fileno()


def end_bars() -> None:
    """Take down every bar, before the line that says what failed."""
    if (tqdm := sys.modules.get("tqdm")) is not None:
        for bar in list(getattr(tqdm.tqdm, "_instances", ())):
            bar.close()


def watched(things: Iterable[T], description: str, total: int | None = None, *, unit: str = "item") -> Iterator[T]:
    """The things one by one, with a bar that goes when they are done.

    Args:
        things: What is worked on, each when it is taken.
        description: What is being done.
        total: How many there are, where they have no length.
        unit: What they are.
    """
    if total is None and isinstance(things, Sized):
        total = len(things)
    with Progress(description, total, unit=unit, leave=False) as progress:
        for thing in things:
            yield thing
            progress.add()
