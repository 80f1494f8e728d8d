"""Paired differences: English against Urdu, edited against machine translation, one model against another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pak3h_tasks.metrics.registry import Metric, reported
from pak3h_tasks.report.estimate import PairedEstimate, difference
from pak3h_tasks.report.items import Items, common
from pak3h_tasks.report.model import ALL, Gap, Place
from pak3h_tasks.schema import SPLITS


def gaps(
    first: Items, second: Items, place: Place, names: tuple[str, str], *, of_systems: bool = False
) -> Iterator[Gap]:
    """Every paired difference, over all items and by split.

    Args:
        first: What comes first.
        second: What is subtracted; same dataset and kind.
        place: Where the gaps belong (its split is replaced).
        names: What the two are called.
        of_systems: Whether they are systems, not languages.
    """
    rows_first, rows_second = common(first, second)
    whole = first.whole and second.whole
    present = [split for split in SPLITS if (first.splits[rows_first] == split).any()]
    for split in ([ALL] if whole else []) + present:
        mask = np.ones(len(rows_first), dtype=bool) if split == ALL else first.splits[rows_first] == split
        where = Place(place.system, place.dataset, place.lang, place.kind, split)
        for metric in (m for m in reported(place.dataset, place.kind) if m.compared):
            if first.has(metric) and second.has(metric):
                found = difference(metric, first.of(metric, rows_first[mask]), second.of(metric, rows_second[mask]))
                yield gap(where, metric, names, found, of_systems=of_systems)


def gap(
    place: Place,
    metric: Metric,
    names: tuple[str, str],
    found: PairedEstimate,
    *,
    note: str = "",
    of_systems: bool = False,
) -> Gap:
    """A difference in its place.

    Args:
        place: Where it belongs.
        metric: The metric.
        names: What the two are called.
        found: The difference.
        note: What must be said of it.
        of_systems: Whether they are systems, not languages.
    """
    return Gap(
        place,
        metric.name,
        first=names[0],
        second=names[1],
        n=found.n,
        first_value=found.first,
        second_value=found.second,
        difference=found.value,
        interval=found.interval,
        mcnemar=found.mcnemar,
        z=found.z,
        note=note if found.n else "no item is scored in both",
        of_systems=of_systems,
    )
