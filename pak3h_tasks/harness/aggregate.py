"""Aggregations of lm-eval metrics that are no means."""

from __future__ import annotations

from collections.abc import Sequence


def ti(pairs: Sequence[Sequence[float]]) -> float:
    """Share truthful times share informative (the paper's TI), over the documents with both verdicts.

    lm-eval has no standard error for it; `pak3h report` gives an interval.

    Args:
        pairs: (n, 2) truthful and informative of each document, 0 or 1.
    """
    from pak3h_tasks.metrics.truthfulness import ti as product

    return product([pair[0] for pair in pairs], [pair[1] for pair in pairs])
