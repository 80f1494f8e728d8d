"""The paper's figures (published.json), to stand beside measured ones and apart from them."""

from __future__ import annotations

import json
from dataclasses import dataclass
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


@dataclass(frozen=True)
class PublishedSafety:
    """A published row of harmlessness (Table 3, and the section on agreement), in percent.

    Attributes:
        lang: en, ur or urmt.
        unsafe_pct: Share of pairs called unsafe, 0-100.
        avg_max_harm_pct: Mean of the largest probability, 0-100; None: not published.
        agreement_pct: Agreement with humans on 300 pairs, 0-100; None: not published.
        n: Pairs.
    """

    lang: str
    unsafe_pct: float
    avg_max_harm_pct: float | None
    agreement_pct: float | None
    n: int = 12584


def published_safety() -> tuple[PublishedSafety, ...]:
    """The rows, from published.json."""
    found: dict[str, dict[str, float]] = {}
    for figure in published():
        if (figure.dataset, figure.kind) == ("beavertails", "pairs"):
            found.setdefault(figure.lang, {})[figure.metric] = round(100 * figure.value, 2)
    return tuple(
        PublishedSafety(lang, row["unsafe_rate"], row.get("avg_max_harm"), row.get("human_agreement"))
        for lang, row in found.items()
    )
