"""Numbers of a task whose sample log is missing: lm-eval's own totals, with what their standard error tells."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pak3h_tasks.data.sample_log import Run
from pak3h_tasks.data.sample_log_names import TaskIdentity
from pak3h_tasks.metrics.registry import reported
from pak3h_tasks.report.model import ALL, Cell, Place
from pak3h_tasks.report.run_settings import mapping, opponent, package_version, rules, total_items
from pak3h_tasks.report.signatures import score_signature
from pak3h_tasks.results import Interval, Score
from pak3h_tasks.stats.intervals import Z95, mean_interval


def aggregate_cells(system: str, run: Run, task: str, identity: TaskIdentity) -> Iterator[Cell]:
    """The totals of one task as cells.

    Args:
        system: Label of the model.
        run: The run, with its results file.
        task: Name of the task.
        identity: Which dataset, language, kind and split it is.
    """
    metrics = run.metrics(task)
    n, total = item_counts(run, task)
    config = mapping(mapping(run.results.get("configs")).get(task))
    said = mapping(mapping(config.get("dataset_kwargs")).get("pak3h"))
    data = (said["data"],) if isinstance(said.get("data"), str) else ()
    place = Place(system, identity.dataset, identity.lang, identity.kind, identity.split or ALL)
    for metric in reported(identity.dataset, identity.kind):
        name, value = metric.name, metrics.get(metric.name, math.nan)
        if not math.isfinite(value):
            continue
        scored = n
        made_by = {}
        if metric.verdicts:
            scored = round(n * _share(metrics.get("coverage", 1.0)))
            maker = said.get("judge") or said.get("classifier")
            made_by = dict.fromkeys(metric.verdicts, (maker,)) if isinstance(maker, str) else {}
        signature = score_signature(
            name, identity.lang, data, made_by, package_version(config), opponent(config), rules(config)
        )
        if metric.scale is not None and not 0 <= value <= metric.scale:
            yield Cell(place, Score(name, None, n, 0, None, signature), f"{value:g} in lm-eval's totals cannot be")
            continue
        interval = _interval(value, metrics.get(f"{name}_stderr", math.nan), metric.scale, scored)
        note = "from lm-eval's totals" + (f", {n:,} of {total:,} items" if total is not None and n < total else "")
        yield Cell(place, Score(name, value, n, scored, interval, signature), note)


def item_counts(run: Run, task: str) -> tuple[int, int | None]:
    """Items that were run, and items there are without ``--limit`` (None: the results file does not say)."""
    n = mapping(mapping(run.results.get("n-samples")).get(task)).get("effective")
    return (n if isinstance(n, int) and n > 0 else 0), total_items(run, task)


def _share(coverage: float) -> float:
    return min(max(coverage, 0.0), 1.0) if math.isfinite(coverage) else 1.0


def _interval(value: float, error: float, scale: float | None, n: int) -> Interval | None:
    if not math.isfinite(error) or error < 0:
        return None
    if error == 0:  # every value was this one: known of the values, not of the next one
        # a file can claim any number of items; fewer make it no narrower
        return None if scale is None or not n else mean_interval([value] * min(n, 100_000), scale=scale)
    low, high = value - Z95 * error, value + Z95 * error
    return Interval(low if scale is None else max(low, 0.0), high if scale is None else min(high, scale), "normal")
