"""`pak3h compare`: paired differences of two models."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path

from pak3h_tasks.cli.parser import command_parser


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pak3h compare",
        "Differences of two models, first minus second, paired by item, with 95 % intervals, McNemar's and the\n"
        "two-proportion z test on yes/no outcomes; of all items and by split.\n"
        "Says where the two were made differently.",
        "pak3h compare runs/org__model-a runs/org__model-b",
    )
    parser.add_argument("first", type=Path, metavar="A", help="folder or files of one model's runs")
    parser.add_argument("second", type=Path, metavar="B", help="the other model's")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="a file: .json .csv .md .tex .txt")
    parser.add_argument("--format", choices=("table", "json", "csv", "markdown", "latex"))
    return parser


def main(argv: Sequence[str]) -> int:
    """Print or write the comparison."""
    arguments = _parser().parse_args(argv)
    from pak3h_tasks.cli.report import output_format, output_text, put, tell
    from pak3h_tasks.report.build import load
    from pak3h_tasks.report.compare import compare, comparison_tables
    from pak3h_tasks.report.render_data import gaps_csv

    form = output_format(arguments.output, arguments.format, page=False)
    comparison = compare(
        load([arguments.first], beside=[arguments.second]), load([arguments.second], beside=[arguments.first])
    )
    if arguments.first.resolve() == arguments.second.resolve():
        tell([f"{arguments.first} is given twice, so nothing differs; give the runs of two models, or of two settings"])
    tell(comparison.notices)
    text = output_text(
        form,
        lambda: comparison_tables(comparison),
        comparison.notices,
        content=lambda: {"format": "pak3h-compare-1", **dataclasses.asdict(comparison)},
        csv=lambda: gaps_csv(comparison.gaps),
        to_file=arguments.output is not None,
    )
    put(text, arguments.output)
    return 0
