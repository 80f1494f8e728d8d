"""`pak3h metrics`: every metric of every task, as the registry defines it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pak3h_tasks.cli.parser import command_parser
from pak3h_tasks.cli.table import table

_BETTER = {True: "higher", False: "lower", None: "neither"}
_HEADER = ("task", "metric", "title", "unit", "better", "made from", "shown by")


def main(argv: Sequence[str]) -> int:
    """Print the metrics."""
    parser = command_parser(
        "pak3h metrics",
        "List every metric: its unit (fractions are 0-1 in lm-eval, percent in reports), which way is better, what an "
        "item's value is made from, and whether lm-eval's table shows it or reports alone.",
        "pak3h metrics --format json",
    )
    parser.add_argument("--format", choices=("table", "json"), default="table")
    args = parser.parse_args(argv)
    from pak3h_tasks.metrics.registry import METRICS

    rows = [
        (
            f"{dataset} {kind}",
            metric.name,
            metric.title,
            metric.unit,
            _BETTER[metric.higher_is_better],
            metric.needs,
            "lm-eval, reports" if metric.is_logged else "reports",
        )
        for metric in METRICS.values()
        for dataset, kind in metric.tasks
    ]
    if args.format == "json":
        print(json.dumps([dict(zip(_HEADER, row, strict=True)) for row in rows], ensure_ascii=False, indent=2))
    else:
        print(table(_HEADER, rows))
    return 0
