"""Length-sorted batches under a token budget: halved when memory runs out, every row answered exactly once."""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pak3h_tasks.backends.classifier import RowResult
from pak3h_tasks.errors import described

R = TypeVar("R")

Row = Sequence[int]
# Probabilities of one row; a NaN anywhere means the model did not answer.
Run = Callable[[list[Row]], Sequence[Sequence[float]]]

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


@dataclass(frozen=True)
class BatchLimits:
    """How much goes into one forward pass.

    Attributes:
        tokens: Longest row times number of rows, at most; a longer single row is still tried alone.
        rows: Rows a batch, at most.
        window: Rows sorted together; also the most that are held at once, so memory does not grow with the input.
        failures: Failing batches in a row after which the rest is not tried any more.
    """

    tokens: int = 8192
    rows: int = MOST_ROWS
    window: int = 2048
    failures: int = 3

    def __post_init__(self) -> None:
        if min(self.tokens, self.rows, self.window, self.failures) < 1:
            raise ValueError(f"batch limits must be at least 1, got {self}")


def run_in_batches(
    rows: Iterable[Row],
    run: Run,
    is_out_of_memory: Callable[[BaseException], bool],
    limits: BatchLimits,
) -> Iterator[list[RowResult]]:
    """Run `run` over all rows, longest first within each window, and yield each batch as it is done.

    A batch that runs out of memory goes back whole and the budget halves for the rest of the run. Any other exception
    leaves that batch unscored with the reason.

    Args:
        rows: Rows of token ids, pulled one window at a time.
        run: Forward pass of one batch; (n_rows, n_labels) probabilities in the order given.
        is_out_of_memory: Whether an exception of `run` means "too big", not "broken".
        limits: Sizes.
    """
    batches = LengthBatches(limits.tokens, is_out_of_memory, limits.rows)
    failures, last_reason = 0, ""
    for start, window in _windows(rows, limits.window):
        left = set(range(len(window)))
        outcomes = batches.run([len(row) for row in window], _work(run, window))
        while failures < limits.failures and (step := next(outcomes, None)) is not None:
            batch, outcome = step
            left.difference_update(batch)
            if not isinstance(outcome, Exception):
                failures = 0
                yield [_result(start + index, values) for index, values in zip(batch, outcome, strict=True)]
                continue
            if is_out_of_memory(outcome):
                reason = f"out of memory with one row of {len(window[batch[0]])} tokens"
            else:
                failures += 1
                reason = last_reason = described(outcome)
            yield [RowResult(start + index, None, reason) for index in batch]
        if left:
            reason = f"not tried: the classifier failed {failures} batches in a row (last: {last_reason})"
            yield [RowResult(start + index, None, reason) for index in sorted(left)]


def _work(run: Run, window: list[Row]) -> Callable[[list[int]], Sequence[Sequence[float]]]:
    return lambda batch: run([window[index] for index in batch])


def _result(index: int, values: Sequence[float]) -> RowResult:
    if all(math.isfinite(value) for value in values):
        return RowResult(index, tuple(float(value) for value in values))
    return RowResult(index, None, "the classifier gave NaN or infinite logits")


def _windows(rows: Iterable[Row], size: int) -> Iterator[tuple[int, list[Row]]]:
    iterator, start = iter(rows), 0
    while window := list(itertools.islice(iterator, size)):
        yield start, window
        start += len(window)


def _attempt(work: Callable[[list[int]], Sequence[R]], rows: list[int]) -> Sequence[R] | Exception:
    try:
        results = work(rows)
        if len(results) != len(rows):
            raise ValueError(f"the model answered {len(results)} of {len(rows)} rows")
        return results
    except Exception as error:  # noqa: BLE001 - whatever breaks, the other batches go on
        # Its traceback would keep the tensors of the failed batch alive just when memory is short.
        return error.with_traceback(None)
