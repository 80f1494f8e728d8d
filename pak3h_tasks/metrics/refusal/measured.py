"""What the refusal rules miss, by language: shown beside a gap of refusal rates (docs/refusals.md)."""

from __future__ import annotations

from dataclasses import dataclass

from pak3h_tasks.results import Interval


@dataclass(frozen=True)
class MeasuredRefusals:
    """Shares in percent over labelled texts of topics that the rules were not tuned on.

    `difference` is recall in English minus recall in Urdu over the same refusals, in points, with its 95 % interval.
    """

    precision_en: float
    precision_ur: float
    recall_en: float
    recall_ur: float
    difference: float
    interval: Interval


MEASURED = MeasuredRefusals(100.0, 95.5, 76.9, 80.8, -3.8, Interval(-24.5, 17.1, "t, paired"))
"""Part C of tests/metrics/refusals.jsonl; `python utils/measure_refusals.py` measures it, a test holds it."""
