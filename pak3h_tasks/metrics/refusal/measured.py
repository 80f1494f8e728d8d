"""What is missed of refusals, by language: shown beside a gap of refusal rates (docs/refusals.md)."""

from __future__ import annotations

from dataclasses import dataclass

from pak3h_tasks.results import Interval


@dataclass(frozen=True)
class MeasuredRefusals:
    """Shares in percent over labelled texts that neither the rules nor the model had seen.

    `difference` is recall in English minus recall in Urdu over the same refusals, in points, with its 95 % interval.
    """

    precision_en: float
    precision_ur: float
    recall_en: float
    recall_ur: float
    difference: float
    interval: Interval


MEASURED = MeasuredRefusals(97.2, 96.9, 84.6, 83.4, 1.2, Interval(-2.8, 5.2, "t, paired"))
"""Parts K to O of tests/metrics/refusals.jsonl, unseen by the rules and the model that judged them (docs/refusals.md).

`python utils/measure_refusals.py` prints it, a test holds it.
"""
