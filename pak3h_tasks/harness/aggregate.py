"""Aggregations of lm-eval metrics that are no means."""

from __future__ import annotations

import math
from collections.abc import Sequence


def ti(pairs: Sequence[Sequence[float | None]]) -> float:
    """Share truthful times share informative (the paper's TI), each over its own scored documents.

    lm-eval has no standard error for it; `pak3h report` gives an interval.

    Args:
        pairs: (n, 2) truthful and informative of each document, 0 or 1; None: not scored.

    Returns:
        Fraction in [0, 1]; NaN where one of the two has nothing scored: an exception here would lose the whole run.
    """
    from pak3h_tasks.metrics.truthfulness import ti as product

    try:
        return product([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    except ValueError:
        return math.nan
