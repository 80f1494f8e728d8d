"""Every number of a report with its making, as rows of the page's last table."""

from __future__ import annotations

from typing import Any

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.model import Report
from pak3h_tasks.report.names import LANG_NAMES, task_title


def number_rows(report: Report) -> dict[str, Any]:
    """What `assets/numbers.js` reads: ``signatures``, and ``rows`` in the order of `columns`.

    ``columns`` names them; ``signature`` is a place in ``signatures``; values are as tables show them (percent).
    """
    signatures: dict[str, int] = {}
    rows = []
    for cell in report.cells:
        place, score = cell.place, cell.score
        metric = METRICS[score.name]
        ends = (score.interval.low, score.interval.high) if score.interval else (None, None)
        value, low, high = (None if x is None else round(metric.shown(x), 4) for x in (score.value, *ends))
        rows.append(
            [
                place.system,
                task_title(place.dataset, place.kind),
                LANG_NAMES.get(place.lang, place.lang),
                place.split,
                place.category or "",
                metric.title,
                value,
                low,
                high,
                score.n,
                score.n_scored,
                signatures.setdefault(score.signature, len(signatures)),
                cell.note,
            ]
        )
    columns = ["model", "task", "language", "split", "topic", "measure", "value", "low", "high", "items", "scored",
               "signature", "note"]  # fmt: skip
    return {"columns": columns, "rows": rows, "signatures": list(signatures)}
