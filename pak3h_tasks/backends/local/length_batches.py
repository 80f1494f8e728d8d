"""Batches of rows of like length under a token budget, halved when memory runs out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

R = TypeVar("R")

MOST_ROWS = 64


class LengthBatches:
    """Runs rows longest first, so that a batch too big for the memory shows at once.

    Such a batch is tried again in halves, and the budget stays halved for all later calls of `run`.

    Args:
        batch_tokens: Longest row times number of rows, at most; a longer single row is still tried alone.
        is_out_of_memory: Whether an exception means "too big" and not "broken".
        most_rows: Rows a batch, at most.
    """

    def __init__(
        self, batch_tokens: int, is_out_of_memory: Callable[[BaseException], bool], most_rows: int = MOST_ROWS
    ) -> None:
        self._batch_tokens, self._most_rows = batch_tokens, most_rows
        self._is_out_of_memory = is_out_of_memory

    def run(
        self, lengths: Sequence[int], work: Callable[[list[int]], Sequence[R]]
    ) -> Iterator[tuple[list[int], Sequence[R] | Exception]]:
        """Yield (rows, their results) batch by batch; an exception stands for the results of a batch that failed.

        Every row comes out exactly once. Out of memory is yielded for a single row only.

        Args:
            lengths: (n_rows,) tokens of each row.
            work: Forward pass of the rows with these indices; one result each, in the order given.
        """
        waiting = deque(sorted(range(len(lengths)), key=lambda row: -lengths[row]))
        while waiting:
            width = max(1, lengths[waiting[0]])
            size = max(1, min(self._most_rows, self._batch_tokens // width, len(waiting)))
            rows = [waiting.popleft() for _ in range(size)]
            outcome = _attempt(work, rows)
            if isinstance(outcome, Exception) and len(rows) > 1 and self._is_out_of_memory(outcome):
                waiting.extendleft(reversed(rows))
                self._batch_tokens = width * (len(rows) // 2)
                continue
            yield rows, outcome

    def each(
        self, lengths: Sequence[int], work: Callable[[list[int]], Sequence[R]]
    ) -> Iterator[tuple[int, R | Exception]]:
        """`run`, row by row."""
        for rows, outcome in self.run(lengths, work):
            results: Sequence[R | Exception] = [outcome] * len(rows) if isinstance(outcome, Exception) else outcome
            yield from zip(rows, results, strict=True)


def _attempt(work: Callable[[list[int]], Sequence[R]], rows: list[int]) -> Sequence[R] | Exception:
    try:
        results = work(rows)
        if len(results) != len(rows):
            raise ValueError(f"the model answered {len(results)} of {len(rows)} rows")
        return results
    except Exception as error:  # noqa: BLE001 - whatever breaks, the other batches go on
        # Its traceback would keep the tensors of the failed batch alive just when memory is short.
        return error.with_traceback(None)
