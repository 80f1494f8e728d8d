from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.backends.classifier import RowResult
from pak3h_tasks.backends.local.batching import MOST_ROWS, BatchLimits, LengthBatches, run_in_batches


class OutOfMemory(RuntimeError):
    pass


def is_oom(error: BaseException) -> bool:
    return isinstance(error, OutOfMemory)


class Model:
    """Answers (length, first id) of each row; runs out of memory above `capacity` padded tokens."""

    def __init__(self, capacity: float = math.inf, broken: Sequence[int] = ()) -> None:
        self.capacity, self.broken = capacity, set(broken)
        self.batches: list[list[Sequence[int]]] = []
        self.done: list[int] = []

    def __call__(self, rows: list[Sequence[int]]) -> list[list[float]]:
        self.batches.append(rows)
        if max(map(len, rows)) * len(rows) > self.capacity:
            raise OutOfMemory("out of memory")
        if self.broken & {row[0] for row in rows}:
            raise ValueError("device-side assert\nsecond line")
        self.done += [row[0] for row in rows]
        return [[float(len(row)), float(row[0])] for row in rows]


def rows_of(lengths: Sequence[int]) -> list[list[int]]:
    return [[index] * length for index, length in enumerate(lengths)]


def run(model: Model, texts: Sequence[Sequence[int]], **limits: int) -> list[RowResult]:
    results = [row for batch in run_in_batches(texts, model, is_oom, BatchLimits(**limits)) for row in batch]
    assert sorted(row.index for row in results) == list(range(len(texts)))
    return sorted(results, key=lambda row: row.index)


@given(st.lists(st.integers(1, 50), max_size=60), st.integers(1, 120), st.integers(1, 9), st.integers(1, 30))
def test_every_row_once_with_its_own_answer_within_the_budget(
    lengths: list[int], tokens: int, rows: int, window: int
) -> None:
    model = Model()
    for result in run(model, rows_of(lengths), tokens=tokens, rows=rows, window=window):
        assert result.probabilities == (lengths[result.index], result.index)
    for batch in model.batches:
        assert len(batch) <= rows
        assert len(batch) == 1 or max(map(len, batch)) * len(batch) <= tokens


@given(st.lists(st.integers(1, 50), min_size=1, max_size=60), st.integers(50, 200))
def test_out_of_memory_halves_and_every_row_is_scored_once(lengths: list[int], capacity: int) -> None:
    model = Model(capacity)
    results = run(model, rows_of(lengths), tokens=100_000)
    assert all(result.probabilities for result in results)
    assert sorted(model.done) == list(range(len(lengths)))  # none twice
    attempts = [max(map(len, batch)) * len(batch) for batch in model.batches]
    # it learns: at most one failure for each halving of the first attempt
    assert sum(size > capacity for size in attempts) <= math.log2(max(attempts) / 1) + 1


def test_a_row_too_big_alone_is_unscored_and_the_others_are_not() -> None:
    results = run(Model(20), rows_of([5, 30, 4, 3]))
    assert [row.probabilities is not None for row in results] == [True, False, True, True]
    assert results[1].reason == "out of memory with one row of 30 tokens"


def test_longest_first_and_budget_stays_halved() -> None:
    model = Model(40)
    run(model, rows_of([10, 2, 8, 10, 9, 10, 1, 10]), tokens=80)
    widths = [max(map(len, batch)) for batch in model.batches]
    assert widths == sorted(widths, reverse=True)
    assert [len(batch) for batch in model.batches][:2] == [8, 4]  # 80 tokens fail, 40 do not
    assert all(max(map(len, batch)) * len(batch) <= 40 for batch in model.batches[1:])


def test_a_failing_batch_is_unscored_with_the_reason() -> None:
    results = run(Model(broken=[2]), rows_of([1, 1, 1, 1]), rows=1)
    assert [row.reason for row in results] == [None, None, "ValueError: device-side assert", None]
    assert results[2].probabilities is None


def test_after_some_failures_in_a_row_the_rest_is_not_tried() -> None:
    model = Model(broken=range(100))
    results = run(model, rows_of([1] * 100), rows=2, window=10, failures=3)
    assert len(model.batches) == 3
    assert all(row.probabilities is None for row in results)
    assert results[-1].reason == (
        "not tried: the classifier failed 3 batches in a row (last: ValueError: device-side assert)"
    )


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_unscored(bad: float) -> None:
    [batch] = run_in_batches([[1], [2]], lambda rows: [[0.1, bad], [0.1, 0.2]], is_oom, BatchLimits())
    assert [row.probabilities for row in batch] == [None, (0.1, 0.2)]
    assert batch[0].reason == "the classifier gave NaN or infinite logits"


def test_an_answer_of_another_length_scores_nothing() -> None:
    [batch] = run_in_batches([[1], [2]], lambda rows: [[0.1]], is_oom, BatchLimits())
    assert [row.reason for row in batch] == ["ValueError: the model answered 1 of 2 rows"] * 2


def test_rows_are_pulled_one_window_at_a_time() -> None:
    pulled = 0

    def rows() -> Iterator[list[int]]:
        nonlocal pulled
        for index in range(10_000):
            pulled += 1
            yield [index]

    batches = run_in_batches(rows(), Model(), is_oom, BatchLimits(rows=10, window=50))
    seen = 0
    for batch in batches:
        seen += len(batch)
        # memory does not grow with the input: never more than one window ahead of what was handed out
        assert pulled - seen < 50
    assert seen == 10_000


def test_nothing_to_do() -> None:
    assert list(run_in_batches([], Model(), is_oom, BatchLimits())) == []


def test_limits_must_be_positive() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        BatchLimits(tokens=0)


@given(st.lists(st.integers(0, 50), max_size=120), st.integers(1, 400), st.integers(1, 400))
def test_every_row_once_whatever_the_memory(lengths: list[int], budget: int, memory: int) -> None:
    batches: list[list[int]] = []

    def run(rows: list[int]) -> list[int]:
        if len(rows) * max(lengths[row] for row in rows) > memory:
            raise OutOfMemory
        batches.append(rows)
        return [row * 10 for row in rows]

    results = dict(LengthBatches(budget, is_oom).each(lengths, run))
    assert sorted(results) == list(range(len(lengths)))
    for row, result in results.items():
        assert isinstance(result, OutOfMemory) if lengths[row] > memory else result == row * 10
    for batch in batches:
        assert len(batch) <= MOST_ROWS
        assert len(batch) == 1 or len(batch) * max(lengths[row] for row in batch) <= budget or budget < 1
    widths = [max(lengths[row] for row in batch) for batch in batches]
    assert widths == sorted(widths, reverse=True)


def test_a_broken_batch_leaves_the_others(  # by hand: budget 4 and length 2 make batches of two
) -> None:
    def run(rows: list[int]) -> list[int]:
        if 2 in rows:
            raise ValueError("broken")
        return rows

    results = dict(LengthBatches(4, is_oom).each([2, 2, 2, 2, 2, 2], run))
    assert [isinstance(results[row], ValueError) for row in range(6)] == [False, False, True, True, False, False]


def test_what_was_learnt_about_memory_is_kept() -> None:
    sizes: list[int] = []

    def run(rows: list[int]) -> list[int]:
        sizes.append(len(rows))
        if len(rows) > 3:
            raise OutOfMemory
        return rows

    batches = LengthBatches(8, is_oom)
    for _ in range(2):
        assert [row for row, _ in batches.each([1] * 8, run)] == list(range(8))
    # by hand: 8 and 4 are too big, then two at a time; the second call starts at two
    assert sizes == [8, 4, 2, 2, 2, 2, 2, 2, 2, 2]
