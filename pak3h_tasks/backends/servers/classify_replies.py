"""Reading vLLM's ``/classify`` answers: probabilities by index, and the signs that they are not what Beaver-Dam means.

Layout: vLLM's ``entrypoints/pooling/classify/{protocol,serving}.py``; ``label`` is only the name of the largest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

# A softmax in float32 sums to 1 within about 1e-6; sigmoids of 14 labels come that close only by accident.
SOFTMAX_TOLERANCE = 1e-5


class UntrustedAnswerError(Exception):
    """The server answered, but not with the probabilities asked for."""


def read_probabilities(answer: object, n_rows: int, names: Sequence[str]) -> list[tuple[float, ...] | None]:
    """Probabilities of each row, in the order of the request; None where a value is missing or NaN.

    Args:
        answer: Decoded JSON body.
        n_rows: Rows that were sent.
        names: The model's own label names in index order.

    Raises:
        UntrustedAnswerError: Wrong shape, rows missing or answered twice, another number of classes,
            a label at another index, values outside [0, 1], or rows that each sum to 1 (a softmax over labels
            that are not exclusive).
    """
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or len(data) != n_rows:
        raise UntrustedAnswerError(f"the answer does not hold {n_rows} results")
    rows: dict[int, tuple[float, ...] | None] = {}
    for entry in data:
        index = entry.get("index") if isinstance(entry, dict) else None
        if not isinstance(index, int) or not 0 <= index < n_rows or index in rows:
            raise UntrustedAnswerError(f"the answer has a wrong or repeated index ({index!r})")
        rows[index] = _row(entry, names)
    probabilities = [rows[index] for index in range(n_rows)]
    if n_rows > 1 and sums_to_one(probabilities, SOFTMAX_TOLERANCE):
        raise UntrustedAnswerError(
            "the probabilities of every row sum to 1, a softmax over labels that are not exclusive; "
            "use a vLLM that reads problem_type (it must apply a sigmoid)"
        )
    return probabilities


def sums_to_one(probabilities: Sequence[tuple[float, ...] | None], tolerance: float) -> bool:
    """Whether every scored row sums to 1; False where nothing is scored.

    Example:
        >>> sums_to_one([(0.25, 0.75), (0.5, 0.5)], 1e-5), sums_to_one([(0.9, 0.8), (0.5, 0.5)], 1e-5)
        (True, False)
    """
    sums = [sum(row) for row in probabilities if row is not None]
    return bool(sums) and all(abs(total - 1) <= tolerance for total in sums)


def _row(entry: dict[str, Any], names: Sequence[str]) -> tuple[float, ...] | None:
    values = entry.get("probs")
    if not isinstance(values, list) or len(values) != len(names) or entry.get("num_classes", len(names)) != len(names):
        count = entry.get("num_classes", len(values) if isinstance(values, list) else None)
        raise UntrustedAnswerError(f"the server's model has {count} classes, expected {len(names)}")
    if any(isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) for value in values):
        return None
    if not all(0 <= value <= 1 for value in values):
        raise UntrustedAnswerError("values outside 0-1: the server returns logits, not probabilities")
    top = max(values)
    label = entry.get("label")
    if isinstance(label, str) and values.count(top) == 1 and label != names[values.index(top)]:
        raise UntrustedAnswerError(
            f"the server calls label {values.index(top)} {label!r}, expected {names[values.index(top)]!r}"
        )
    return tuple(float(value) for value in values)
