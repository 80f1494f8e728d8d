"""The paper's figures, to stand beside measured ones and apart from them (published.json; scoring.md, section 8)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.model import Published


@cache
def published() -> tuple[Published, ...]:
    """Every published figure, in the unit of `METRICS`."""
    content = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))
    return tuple(
        Published(
            system=row["system"],
            dataset=row["dataset"],
            lang=row["lang"],
            kind=row["kind"],
            split=row["split"],
            metric=row["metric"],
            value=row["value_pct"] / (100 if METRICS[row["metric"]].unit == "fraction" else 1),
            judge=row["judge"],
            source=f"{content['source']}, {row['where']}",
            note=row.get("note", ""),
        )
        for row in content["rows"]
    )
