"""process_results of the PakAlpaca tasks: a pairwise verdict into one document's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pak3h_tasks.harness.answers import answer_checks, log_details, verdicts_of, without_withheld
from pak3h_tasks.harness.filters import record_of
from pak3h_tasks.metrics.winrate import discrete


def process(doc: dict[str, Any], results: Sequence[Any]) -> dict[str, float]:
    """Win rate, order consistency, length and the checks of every generated answer.

    Args:
        doc: A `documents.instruction` document.
        results: What the task's scoring filter returned for it.

    Returns:
        Metrics of this document; the judged ones are left out where there is no verdict, so they leave the mean.
    """
    record = record_of(results)
    log_details(doc, record)
    metrics = {"answer_chars": float(len(record["answer"])), **answer_checks(record["answer"], doc["lang"])}
    if (verdicts := verdicts_of(record)) is not None:
        verdict = verdicts["preference"]
        metrics["coverage"] = float(verdict.value is not None)
        if verdict.value is not None:
            metrics["win_rate"] = verdict.value
            metrics["discrete_win_rate"] = discrete(verdict.value)
            if "consistent" in verdict.details:
                metrics["position_consistency"] = float(verdict.details["consistent"])
    return without_withheld(metrics, record)
