"""Every row exactly once, like lengths together, within the budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.backends.local.length_batches import MOST_ROWS, LengthBatches


class TooBig(Exception):
    pass


def too_big(error: BaseException) -> bool:
    return isinstance(error, TooBig)


@given(st.lists(st.integers(0, 50), max_size=120), st.integers(1, 400), st.integers(1, 400))
def test_every_row_once_whatever_the_memory(lengths: list[int], budget: int, memory: int) -> None:
    batches: list[list[int]] = []

    def run(rows: list[int]) -> list[int]:
        if len(rows) * max(lengths[row] for row in rows) > memory:
            raise TooBig
        batches.append(rows)
        return [row * 10 for row in rows]

    results = dict(LengthBatches(budget, too_big).each(lengths, run))
    assert sorted(results) == list(range(len(lengths)))
    for row, result in results.items():
        assert isinstance(result, TooBig) if lengths[row] > memory else result == row * 10
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

    results = dict(LengthBatches(4, too_big).each([2, 2, 2, 2, 2, 2], run))
    assert [isinstance(results[row], ValueError) for row in range(6)] == [False, False, True, True, False, False]


def test_what_was_learnt_about_memory_is_kept() -> None:
    sizes: list[int] = []

    def run(rows: list[int]) -> list[int]:
        sizes.append(len(rows))
        if len(rows) > 3:
            raise TooBig
        return rows

    batches = LengthBatches(8, too_big)
    for _ in range(2):
        assert [row for row, _ in batches.each([1] * 8, run)] == list(range(8))
    # by hand: 8 and 4 are too big, then two at a time; the second call starts at two
    assert sizes == [8, 4, 2, 2, 2, 2, 2, 2, 2, 2]
