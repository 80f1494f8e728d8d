"""`pak3h agreement`: how far a judge or classifier can be trusted here."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path

from pak3h_tasks.cli.parser import command_parser


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pak3h agreement",
        "Compare logged verdicts with human labels of the same answers: agreement, Cohen's kappa and counts, by model\n"
        "and language. The label file has a column 'id', if you like 'lang', and any of 'truthful', 'informative',\n"
        "'unsafe' (or 'is_safe') with yes or no, 'preference' with model, reference or tie; one row an item and rater.",
        "pak3h agreement --verdicts runs/org__model --human labels.csv\n"
        "pak3h agreement --verdicts pak3h_moderation.jsonl --human labels.csv --format json\n"
        "pak3h agreement draw pak3h_moderation.jsonl --data data -o labels   # sheets for people; or draw RUN_DIR",
    )
    parser.add_argument(
        "--verdicts",
        nargs="+",
        required=True,
        type=Path,
        metavar="RUN_DIR",
        help="runs, sample logs, or outputs of pak3h moderate",
    )
    parser.add_argument(
        "--human", nargs="+", required=True, type=Path, metavar="FILE", help="CSV, XLSX, JSON, JSONL or Parquet"
    )
    parser.add_argument("--format", choices=("table", "json", "markdown", "latex"), default="table")
    return parser


def main(argv: Sequence[str]) -> int:
    """Print the agreement, or draw what people are to label."""
    if argv[:1] == ["draw"]:
        from pak3h_tasks.cli.agreement_draw import main as draw

        return draw(argv[1:])
    arguments = _parser().parse_args(argv)
    from pak3h_tasks.cli.report import put, tell
    from pak3h_tasks.data.human_labels import merged, read_human_labels
    from pak3h_tasks.report import render_tables
    from pak3h_tasks.report.agreement import agreement_table, agreements
    from pak3h_tasks.report.build import load
    from pak3h_tasks.settings import Settings
    from pak3h_tasks.text.escape import json_text

    labels = merged([read_human_labels(path) for path in arguments.human])
    inputs = load(arguments.verdicts)
    tell(inputs.notices)
    found = agreements(inputs, labels, Settings.from_environment().classifier_threshold)  # as in `pak3h moderate`
    if arguments.format == "json":
        put(json_text({"agreement": [dataclasses.asdict(one) for one in found]}), None)
    else:
        render = {
            "table": render_tables.terminal,
            "markdown": render_tables.as_markdown,
            "latex": render_tables.as_latex,
        }[arguments.format]
        put(render([agreement_table(found)]), None)
    return 0
