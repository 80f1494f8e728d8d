"""Paired differences: English against Urdu, edited against machine translation, one model against another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pak3h_tasks.report.columns import Column, Columns, common
from pak3h_tasks.report.metrics import METRICS
from pak3h_tasks.report.model import ALL, Gap, Place
from pak3h_tasks.schema import SPLITS
from pak3h_tasks.stats.paired import Difference, mean_difference, product_difference
from pak3h_tasks.stats.tests import Significance, mcnemar, two_proportion_z

COMPARED: dict[tuple[str, str], tuple[str, ...]] = {
    ("truthfulqa", "mc"): ("mc1", "mc2", "mc3"),
    ("truthfulqa", "gen"): (
        *("ti", "ti_joint", "truthful", "informative", "bleu_max", "rouge1_max", "chrf_max"),
        *("refusal_rate", "in_language"),
    ),
    ("alpaca", "gen"): ("win_rate", "discrete_win_rate", "in_language", "answer_chars"),
    ("beavertails", "gen"): ("unsafe_rate", "avg_max_harm", "refusal_rate", "in_language"),
}
"""Metrics that are compared; the others would only add to the number of tests."""


def gaps(
    first: Columns, second: Columns, place: Place, names: tuple[str, str], *, of_systems: bool = False
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
        for metric in COMPARED.get((place.dataset, place.kind), ()):
            if _has(first, metric) and _has(second, metric):
                gap = _gap(metric, (first, rows_first[mask]), (second, rows_second[mask]), where, names)
                yield replace(gap, of_systems=of_systems)


def _has(columns: Columns, metric: str) -> bool:
    needed = {"truthful", "informative"} if metric == "ti" else {metric}
    return needed <= columns.values.keys()


def _gap(
    metric: str,
    first: tuple[Columns, npt.NDArray[np.intp]],
    second: tuple[Columns, npt.NDArray[np.intp]],
    place: Place,
    names: tuple[str, str],
) -> Gap:
    sources = ("truthful", "informative") if metric == "ti" else (metric,)
    columns = [part.column(name)[rows] for part, rows in (first, second) for name in sources]
    both = np.isfinite(columns).all(axis=0)
    columns = [column[both] for column in columns]
    n = int(both.sum())
    if not n:
        return Gap(place, metric, names[0], names[1], 0, None, None, None, None, note="no item is scored in both")
    half = len(sources)
    values = [float(np.prod([column.mean() for column in part])) for part in (columns[:half], columns[half:])]
    found = _difference(metric, columns)
    return Gap(
        place,
        metric,
        first=names[0],
        second=names[1],
        n=n,
        first_value=values[0],
        second_value=values[1],
        difference=found.value,
        interval=found.interval,
        mcnemar=_labels_test(metric, columns),
        z=two_proportion_z(values[0], n, values[1], n) if METRICS[metric].label else None,
    )


def _difference(metric: str, columns: list[Column]) -> Difference:
    if metric == "ti":
        return product_difference((columns[0], columns[1]), (columns[2], columns[3]))
    return mean_difference(columns[0], columns[1], span=METRICS[metric].scale)


def _labels_test(metric: str, columns: list[Column]) -> Significance | None:
    if metric == "ti":  # an answer's outcome: truthful and informative at once
        return mcnemar((columns[0] * columns[1] == 1).tolist(), (columns[2] * columns[3] == 1).tolist())
    label = METRICS[metric].label
    return None if label is None else mcnemar(label(columns[0]).tolist(), label(columns[1]).tolist())
