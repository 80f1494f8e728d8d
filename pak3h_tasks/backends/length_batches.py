"""Batches of rows of like length under a token budget, halved when memory runs out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

R = TypeVar("R")

MOST_ROWS = 64


def run_in_length_batches(
    lengths: Sequence[int],
    run: Callable[[list[int]], Sequence[R]],
    is_out_of_memory: Callable[[BaseException], bool],
    batch_tokens: int,
) -> Iterator[tuple[int, R | Exception]]:
    """Run `run` over all rows, longest first, and yield (row, its result) as batches are done.

    Longest first, so that a batch too big for the memory shows at once. Such a batch is tried again in halves, and the
    budget stays halved; a single row that does not fit gets its exception as result, as do the rows of a batch that
    fails in another way.

    Args:
        lengths: (n_rows,) tokens of each row.
        run: Forward pass of the rows with these indices; one result each, in the order given.
        is_out_of_memory: Whether an exception means "too big" and not "broken".
        batch_tokens: Longest row times number of rows, at most.
    """
    waiting = deque(sorted(range(len(lengths)), key=lambda row: -lengths[row]))
    while waiting:
        width = max(1, lengths[waiting[0]])
        size = max(1, min(MOST_ROWS, batch_tokens // width, len(waiting)))
        rows = [waiting.popleft() for _ in range(size)]
        try:
            results: Sequence[R | Exception] = run(rows)
        except Exception as error:  # noqa: BLE001 - whatever breaks, the other batches go on
            if is_out_of_memory(error) and len(rows) > 1:
                waiting.extendleft(reversed(rows))
                batch_tokens = width * (len(rows) // 2)
                continue
            # Its traceback would keep the tensors of the failed batch alive.
            results = [error.with_traceback(None)] * len(rows)
        yield from zip(rows, results, strict=True)
