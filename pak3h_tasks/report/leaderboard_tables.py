"""The leaderboard as a table and as CSV."""

from __future__ import annotations

import dataclasses
from typing import Any

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.leaderboard import BoardCell, BoardColumn, Leaderboard
from pak3h_tasks.report.render_data import csv_text, system_content
from pak3h_tasks.report.table import Entry, Table, number_of
from pak3h_tasks.report.tables import judged_text

_COLUMNS = (
    "model", "dataset", "kind", "lang", "metric", "unit", "higher_is_better", "value", "low", "high", "interval",
    "n", "n_scored", "n_judged", "n_text", "is_partial", "making", "rank", "n_ranked", "signature",
)  # fmt: skip


def board_table(board: Leaderboard) -> Table:
    """One row a model; each column a value and a rank."""
    header = ["model"]
    for column in board.columns:
        arrow = " (lower is better)" if METRICS[column.metric].higher_is_better is False else ""
        header += [f"{column.title}{arrow}", "rank", *(["by a judge"] if _is_judged(column) else [])]
    rows = []
    for row in board.rows:
        line: list[Entry] = [row.system.label]
        for column, cell in zip(board.columns, row.cells, strict=True):
            line += [None, None] if cell is None else [number_of(cell.score), _rank(column, cell)]
            if _is_judged(column):
                line.append(None if cell is None else judged_text(cell.n_judged, cell.n_text))
        rows.append(tuple(line))
    notes = [
        "In percent, with 95 % intervals. Rank: one more than the number of models whose interval is wholly better.",
    ]
    if any(map(_is_judged, board.columns)):
        notes.append("By a judge: verdicts that a judge was asked for, not those of a rule (equal or empty texts).")
    if any(cell and _is_marked(cell) for row in board.rows for cell in row.cells):
        notes.append("*: not all items were run, or not all answers have a verdict.")
    if any(cell and cell.rank is None for row in board.rows for cell in row.cells):
        notes.append("Without a rank: lm-eval's totals give no error for it; run with --log_samples.")
    if any(len(column.makings) > 1 for column in board.columns):
        notes.append("A rank with a letter counts among the models of that letter only; they were made alike.")
    made_by = []
    for column in board.columns:
        for letter, text in column.makings.items():
            made_by.append(f"{column.title}{f' ({letter})' if len(column.makings) > 1 else ''}: {text}")
    return Table("leaderboard", "Leaderboard", tuple(header), tuple(rows), (), tuple(notes), tuple(made_by))


def board_content(board: Leaderboard) -> dict[str, Any]:
    """The board for JSON, as the dataclasses of `report.leaderboard` are."""
    content = {"format": "pak3h-leaderboard-1", **dataclasses.asdict(board)}
    for row, shown in zip(board.rows, content["rows"], strict=True):
        shown["system"] = system_content(row.system)
    return content


def board_csv(board: Leaderboard) -> str:
    """One line a model and column."""
    rows: list[dict[str, Any]] = []
    for row in board.rows:
        for column, cell in zip(board.columns, row.cells, strict=True):
            if cell is not None:
                rows.append({"model": row.system.label, **_column(column), **_cell(cell)})
    return csv_text(_COLUMNS, rows)


def _is_judged(column: BoardColumn) -> bool:
    return METRICS[column.metric].needs == "judge"


def _rank(column: BoardColumn, cell: BoardCell) -> str:
    rank = f"{'-' if cell.rank is None else cell.rank}{'*' if _is_marked(cell) else ''}"
    return f"{cell.making}{rank}" if len(column.makings) > 1 else rank


def _is_marked(cell: BoardCell) -> bool:
    return cell.is_partial or cell.score.n_scored < cell.score.n


def _column(column: BoardColumn) -> dict[str, Any]:
    metric = METRICS[column.metric]
    return {
        "dataset": column.dataset,
        "kind": column.kind,
        "lang": column.lang,
        "metric": column.metric,
        "unit": metric.unit,
        "higher_is_better": metric.higher_is_better,
    }


def _cell(cell: BoardCell) -> dict[str, Any]:
    interval = cell.score.interval
    return {
        "value": cell.score.value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "interval": interval.method if interval else None,
        "n": cell.score.n,
        "n_scored": cell.score.n_scored,
        "n_judged": cell.n_judged,
        "n_text": cell.n_text,
        "is_partial": cell.is_partial,
        "making": cell.making,
        "rank": cell.rank,
        "n_ranked": cell.n_ranked,
        "signature": cell.score.signature,
    }
