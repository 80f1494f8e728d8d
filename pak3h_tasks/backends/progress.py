"""One progress bar for a batch of judgements: rate of what was really asked, answers from the cache, failures."""

from __future__ import annotations

import sys
from types import TracebackType


class Progress:
    """A tqdm bar on stderr; nothing is drawn where stderr is no terminal, unless `show` is True.

    Args:
        description: What is being judged.
        total: Number of items, when known.
        show: True, False, or None for "on a terminal".
    """

    def __init__(self, description: str, total: int | None, show: bool | None = None) -> None:
        from tqdm import tqdm

        self.cached = self.failed = self.done = 0
        self._bar = tqdm(
            total=total,
            desc=description,
            unit="answer",
            disable=None if show is None else not show,
            file=sys.stderr,
            mininterval=0.5,
            dynamic_ncols=True,
        )

    def add(self, *, cached: bool = False, failed: bool = False) -> None:
        """Count one finished item."""
        self.done += 1
        self.cached += cached
        self.failed += failed
        if cached and not self._bar.disable:
            self._bar.initial += 1  # tqdm's rate is (n - initial) / elapsed; a disabled bar has no such attribute
        if cached or failed:
            self._bar.set_postfix(cached=self.cached, failed=self.failed, refresh=False)
        self._bar.update()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()
