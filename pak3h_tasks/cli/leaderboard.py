"""`pak3h leaderboard`: many models, one row each."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from pak3h_tasks.cli.parser import command_parser


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pak3h leaderboard",
        "One row a model, Urdu and English columns, each value with a 95 % interval and a rank: one more than the\n"
        "number of models whose interval is wholly better. Numbers of other task versions, rules, data or judges are\n"
        "not ranked against each other; the board says so. One row a model and way of running it.",
        "pak3h leaderboard runs -o leaderboard.csv\npak3h leaderboard runs",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="DIR_OF_RUNS", help="folder of runs, or files of them")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="a file: .html .json .csv .md .tex .txt")
    parser.add_argument("--format", choices=("table", "json", "csv", "markdown", "latex"))
    parser.add_argument("--by-run", action="store_true", help="each run by itself, also where a model has several")
    return parser


def main(argv: Sequence[str]) -> int:
    """Print or write the board."""
    arguments = _parser().parse_args(argv)
    from pak3h_tasks.cli.report import output_format, output_text, put, tell
    from pak3h_tasks.report.leaderboard import leaderboard_of

    form = output_format(arguments.output, arguments.format)
    board = leaderboard_of(arguments.paths, by_run=arguments.by_run, n_processes=os.cpu_count() or 1)
    tell(board.notices)
    if form == "html":
        from pak3h_tasks.report.page.leaderboard_page import leaderboard_page

        put(leaderboard_page(board), arguments.output)
    else:
        from pak3h_tasks.report.leaderboard_tables import board_content, board_csv, board_table

        text = output_text(
            form,
            lambda: [board_table(board)],
            board.notices,
            content=lambda: board_content(board),
            csv=lambda: board_csv(board),
            to_file=arguments.output is not None,
        )
        put(text, arguments.output)
    return 0
