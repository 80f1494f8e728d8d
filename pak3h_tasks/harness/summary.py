"""Aggregates of a task as lm-eval makes and prints them, for scores that are made outside of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pak3h_tasks.harness.task_lists import is_ours, our_index
from pak3h_tasks.metrics.registry import METRICS, product_of_means

FILTER = "none"  # name of the one filter pipeline all our tasks have


def summarise(metrics: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """``metric,filter`` and ``metric_stderr,filter`` over the documents that have the metric.

    Args:
        metrics: What process_results returned for each document.
    """
    from lm_eval.api.metrics import mean, mean_stderr

    values: dict[str, list[Any]] = {}
    for row in metrics:
        for name, value in row.items():
            values.setdefault(name, []).append(value)
    found: dict[str, Any] = {}
    for name, items in values.items():
        averaged = METRICS[name].aggregation == "mean"
        found[f"{name},{FILTER}"] = mean(items) if averaged else product_of_means(items)
        found[f"{name}_stderr,{FILTER}"] = mean_stderr(items) if averaged and len(items) > 1 else "N/A"
    return found


class _Placed(str):
    """A name that sorts by its place before its letters: lm-eval's table sorts metrics by name."""

    place: int

    def __new__(cls, name: str, place: int) -> _Placed:
        placed = super().__new__(cls, name)
        placed.place = place
        return placed

    def __lt__(self, other: str) -> bool:
        return (self.place, str(self)) < (getattr(other, "place", 0), str(other))


def headline_first(results: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same results, where lm-eval's `make_table` prints the headline metrics of our tasks before their others.

    Args:
        results: What an evaluation returned, or a results file. Rows of other tasks are left as they are.
    """
    found = dict(results)
    for column in ("results", "groups"):
        rows = results.get(column) or {}
        if any(map(is_ours, rows)):
            found[column] = {task: _placed(row) if is_ours(task) else row for task, row in rows.items()}
    return found


def _placed(row: Mapping[str, Any]) -> dict[str, Any]:
    headline = {metric.name: place for place, metric in enumerate(METRICS.values()) if metric.headline}
    return {_Placed(name, headline.get(name.partition(",")[0], len(METRICS))): value for name, value in row.items()}


def table(results: Mapping[str, Any]) -> str:
    """lm-eval's own table, the headline metrics of our tasks first."""
    from lm_eval.utils import make_table

    text: str = make_table(headline_first(results))
    return text


def task_facts(task: str) -> tuple[Any, dict[str, bool | None]]:
    """Version of a task, and whether higher is better (None: neither) for each of its metrics; no data is loaded."""
    entry = our_index().get(task)
    config = (entry.cfg if entry else None) or {}
    better = {metric["metric"]: metric["higher_is_better"] for metric in config.get("metric_list", [])}
    return (config.get("metadata") or {}).get("version", "?"), better
