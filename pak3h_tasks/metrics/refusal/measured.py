"""What the refusal rules miss, by language: shown beside a gap of refusal rates (docs/refusals.md)."""

from __future__ import annotations

from dataclasses import dataclass

from pak3h_tasks.results import Interval


@dataclass(frozen=True)
class MeasuredRefusals:
    """Shares in percent over labelled texts of topics that the rules were not tuned on (one author wrote both).

    `difference` is recall in English minus recall in Urdu over the same refusals, in points, with its 95 % interval.
    """

    precision_en: float
    precision_ur: float
    recall_en: float
    recall_ur: float
    difference: float
    interval: Interval


MEASURED = MeasuredRefusals(98.8, 100.0, 96.5, 95.3, 1.2, Interval(-4.3, 6.6, "t, paired"))
"""Parts D and K of tests/metrics/refusals.jsonl; `python utils/measure_refusals.py` measures it, a test holds it."""
