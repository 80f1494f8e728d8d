from __future__ import annotations

import math
from typing import Any

import pytest

from pak3h_tasks.backends.servers.classify_replies import UntrustedAnswerError, read_probabilities

NAMES = ("a,b", "c", "d")


def entry(index: int, probs: Any, **changes: Any) -> dict[str, Any]:
    return {"index": index, "label": None, "probs": probs, "num_classes": 3, **changes}


def test_by_index_whatever_the_order() -> None:
    answer = {"data": [entry(1, [0.1, 0.2, 0.9], label="d"), entry(0, [0.8, 0.2, 0.1], label="a,b")]}
    assert read_probabilities(answer, 2, NAMES) == [(0.8, 0.2, 0.1), (0.1, 0.2, 0.9)]


def test_missing_and_nan_values_are_not_scored() -> None:
    answer = {"data": [entry(0, [0.8, None, 0.1]), entry(1, [math.nan, 0.2, 0.3]), entry(2, [0.1, "x", 0.3])]}
    assert read_probabilities(answer, 3, NAMES) == [None, None, None]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "does not hold 1 results"),
        ({}, "does not hold 1 results"),
        ({"data": []}, "does not hold 1 results"),
        ({"data": [1]}, r"wrong or repeated index \(None\)"),
        ({"data": [entry(1, [0.1, 0.2, 0.3])]}, r"wrong or repeated index \(1\)"),
        ({"data": [entry(0, [0.1, 0.2], num_classes=2)]}, "has 2 classes, expected 3"),
        ({"data": [entry(0, [0.1, 0.2, 0.3], num_classes=4)]}, "has 4 classes, expected 3"),
        ({"data": [entry(0, None)]}, "expected 3"),
        ({"data": [entry(0, [-2.3, 0.2, 4.1])]}, "logits, not probabilities"),
        ({"data": [entry(0, [0.1, 0.9, 0.3], label="d")]}, "calls label 1 'd', expected 'c'"),
    ],
)
def test_answers_that_are_not_what_was_asked_for(answer: Any, message: str) -> None:
    with pytest.raises(UntrustedAnswerError, match=message):
        read_probabilities(answer, 1, NAMES)


def test_a_repeated_index_is_refused() -> None:
    with pytest.raises(UntrustedAnswerError, match="repeated index"):
        read_probabilities({"data": [entry(0, [0.1, 0.2, 0.3])] * 2}, 2, NAMES)


def test_a_softmax_is_refused_and_one_row_alone_proves_nothing() -> None:
    rows = [[0.2, 0.3, 0.5], [0.7, 0.1, 0.2]]
    with pytest.raises(UntrustedAnswerError, match="every row sum to 1, a softmax"):
        read_probabilities({"data": [entry(i, row) for i, row in enumerate(rows)]}, 2, NAMES)
    assert read_probabilities({"data": [entry(0, rows[0])]}, 1, NAMES) == [(0.2, 0.3, 0.5)]
    # confident sigmoids: each row close to 1 in sum, but not as close as float32 sums a softmax
    sure = [[0.9998, 0.0001, 0.0003], [0.0002, 0.9997, 0.0004]]
    assert len(read_probabilities({"data": [entry(i, row) for i, row in enumerate(sure)]}, 2, NAMES)) == 2


def test_a_tie_says_nothing_about_the_label() -> None:
    assert read_probabilities({"data": [entry(0, [0.4, 0.4, 0.1], label="c")]}, 1, NAMES) == [(0.4, 0.4, 0.1)]
