"""`pak3h board --dry-run`: what would be run and judged, and what that costs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from pak3h_tasks.backends.token_count import TokenCount, token_count
from pak3h_tasks.board.judge import cost_of_missing
from pak3h_tasks.board.stand import stands_of
from pak3h_tasks.board.wanted import Tasks
from pak3h_tasks.cli.board_judge import board_judges
from pak3h_tasks.cli.table import table
from pak3h_tasks.harness.rescore import missing, questions

if TYPE_CHECKING:
    from pak3h_tasks.board.config import Board

_HEADER = (
    "model",
    "answers",
    "to generate",
    "questions",
    "prompt tokens",
    "reply tokens, at most",
    "classified",
)


def say_cost(board: Board) -> int:
    """Print a line a model; nothing is run, loaded or asked."""
    settings = board.settings()
    tasks = Tasks(board, settings.data)
    counts: dict[str, TokenCount] = {}

    def tokens_of(model: str) -> Callable[[str], float]:
        counts[model] = counts.get(model) or token_count(model)
        return counts[model].of

    judges, _, _ = board_judges(settings, tokens_of)
    rows = []
    for stand in stands_of(board, tasks):
        costs = [cost for run in stand.runs for cost in missing(run, judges)]
        costs += cost_of_missing(stand.missing, judges)
        asked = questions(costs)
        classified = sum(cost.calls for _, _, cost in costs) - asked.calls
        n = sum(one.n for one in stand.wanted)
        rows.append([n, stand.n_missing, asked.calls, asked.tokens, asked.reply_tokens, classified])
    names: list[list[object]] = [[model.name, *row] for model, row in zip(board.models, rows, strict=True)]
    if len(rows) > 1:
        names.append(["all", *map(sum, zip(*rows, strict=True))])
    print(table(_HEADER, names))
    for model, count in counts.items():
        print(f"prompt tokens of {model}: {count.how}", file=sys.stderr)
    if any(row[1] for row in rows):
        print("answers that are not there yet are reckoned as long as the data's own", file=sys.stderr)
    if board.judge.batch:
        print("judged in batches, at the provider's price for them (OpenAI: half)", file=sys.stderr)
    return 0
