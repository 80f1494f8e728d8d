"""What the refusal rules miss, by language: shown beside a gap of refusal rates (docs/refusals.md)."""

from __future__ import annotations

from dataclasses import dataclass

from pak3h_tasks.results import Interval


@dataclass(frozen=True)
class MeasuredRefusals:
    """Shares in percent over labelled texts, by the verdicts of the first rules that saw them.

    `difference` is recall in English minus recall in Urdu over the same refusals, in points, with its 95 % interval.
    """

    precision_en: float
    precision_ur: float
    recall_en: float
    recall_ur: float
    difference: float
    interval: Interval


MEASURED = MeasuredRefusals(96.8, 96.8, 82.4, 80.6, 1.8, Interval(-3.8, 7.4, "t, paired"))
"""Parts K to N of tests/metrics/refusals.jsonl at first sight, by refusal-4 and refusal-5 (docs/refusals.md).

`python utils/measure_refusals.py` prints it, a test holds it.
"""
