"""A classifier without a model: probabilities follow from the row, and faults can be set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pak3h_tasks.backends.classifier import Closing, Labels, RowResult
from pak3h_tasks.backends.local.batching import BatchLimits, run_in_batches
from pak3h_tasks.schema import HARM_CATEGORIES
from support.tiny_classifier import byte_tokenizer


def made_up(row: Sequence[int], n_labels: int = 14) -> list[float]:
    """Probabilities in (0, 1) from a row, a multiple of 1/101 each."""
    return [(sum(row) * (label + 2) % 101 + 0.5) / 101.5 for label in range(n_labels)]


class FakeClassifier(Closing):
    """Counts what it is asked.

    Args:
        identity: See `Classifier`.
        labels: See `Classifier`.
        answer: Row -> probabilities; may raise.
        rows: Rows a batch.
        load_error: Raised by `load`.
        max_positions: See `Classifier`.
    """

    def __init__(
        self,
        identity: str = "fake@1,float32",
        *,
        labels: Labels = HARM_CATEGORIES,
        answer: Callable[[Sequence[int]], list[float]] = made_up,
        rows: int = 4,
        load_error: Exception | None = None,
        max_positions: int | None = 2048,
    ) -> None:
        self.identity, self.labels, self.max_positions = identity, labels, max_positions
        self.answer, self.load_error = answer, load_error
        self.limits = BatchLimits(rows=rows)
        self.tokenizer: Any = byte_tokenizer()
        self.seen: list[list[int]] = []
        self.loads = self.checks = self.closes = 0

    def check(self) -> None:
        self.checks += 1

    def close(self) -> None:
        self.closes += 1

    def load(self) -> None:
        self.loads += 1
        if self.load_error is not None:
            raise self.load_error

    def classify(self, rows: Iterable[Sequence[int]]) -> Iterator[list[RowResult]]:
        def run(batch: list[Sequence[int]]) -> list[list[float]]:
            values = [self.answer(row) for row in batch]
            self.seen += [list(row) for row in batch]
            return values

        return run_in_batches(rows, run, lambda error: False, self.limits)
