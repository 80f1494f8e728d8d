"""What every safety classifier offers: rows of token ids in, independent label probabilities out, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol

# Labels the model gives but the user does not want reported are None.
Labels = tuple[str | None, ...]


@dataclass(frozen=True)
class RowResult:
    """One row's outcome.

    Attributes:
        index: Position of the row in the input.
        probabilities: (n_labels,) in the model's index order, each in [0, 1]; None: not scored (see `reason`).
        reason: Why there are no probabilities.
    """

    index: int
    probabilities: tuple[float, ...] | None
    reason: str | None = None


class Classifier(Protocol):
    """A multi-label classifier: in this process or behind HTTP."""

    @property
    def identity(self) -> str:
        """Names model, revision and precision: part of cache keys and signatures; known before anything is loaded."""
        ...

    @property
    def labels(self) -> Labels:
        """Reported label names in the model's index order (after `check` or `load`)."""
        ...

    @property
    def max_positions(self) -> int | None:
        """Longest row in tokens that the model takes, where it says so (after `check` or `load`)."""
        ...

    @property
    def tokenizer(self) -> Any:
        """The model's own tokenizer, checked (after `check` or `load`)."""
        ...

    def check(self) -> None:
        """Everything that can be checked without the weights in memory.

        Raises:
            BackendError: It cannot be reached, or is not a classifier to trust.
            MissingExtra: A package is missing.
        """
        ...

    def load(self) -> None:
        """`check`, then get ready to classify; doing it twice is free."""
        ...

    def classify(self, rows: Iterable[Sequence[int]]) -> Iterator[list[RowResult]]:
        """Classify rows of token ids; every row comes out exactly once, scored or with a reason.

        Rows are pulled as they are needed and results come batch by batch, in the order of computation, so that the
        caller can store each batch before the next one runs.
        """
        ...

    def close(self) -> None:
        """Give memory, processes and connections back."""
        ...


class Closing:
    """`with` support on top of `close`."""

    def close(self) -> None:
        """Give everything back; the default has nothing to give."""

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
