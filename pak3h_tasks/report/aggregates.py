"""Numbers of a task whose sample log is missing: lm-eval's own totals, with what their standard error tells."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pak3h_tasks.data.sample_log import Run
from pak3h_tasks.data.sample_log_names import TaskIdentity
from pak3h_tasks.report.conditions import mapping, package_version
from pak3h_tasks.report.metrics import METRICS, OF_TASK
from pak3h_tasks.report.model import ALL, Cell, Place
from pak3h_tasks.report.signatures import score_signature
from pak3h_tasks.results import Interval, Score
from pak3h_tasks.stats.intervals import Z95


def aggregate_cells(system: str, run: Run, task: str, identity: TaskIdentity) -> Iterator[Cell]:
    """The totals of one task as cells.

    Args:
        system: Label of the model.
        run: The run, with its results file.
        task: Name of the task.
        identity: Which dataset, language, kind and split it is.
    """
    metrics = run.metrics(task)
    counts = mapping(mapping(run.results.get("n-samples")).get(task))
    n = counts.get("effective")
    n = n if isinstance(n, int) else 0
    config = mapping(mapping(run.results.get("configs")).get(task))
    said = mapping(mapping(config.get("dataset_kwargs")).get("pak3h"))
    data = (said["data"],) if isinstance(said.get("data"), str) else ()
    place = Place(system, identity.dataset, identity.lang, identity.kind, identity.split or ALL)
    for name in OF_TASK.get((identity.dataset, identity.kind), ()):
        value = metrics.get(name, math.nan)
        if not math.isfinite(value):
            continue
        scored = n
        made_by = {}
        if METRICS[name].verdicts:
            scored = round(n * metrics.get("coverage", 1.0))
            maker = said.get("judge") or said.get("classifier")
            made_by = dict.fromkeys(METRICS[name].verdicts, (maker,)) if isinstance(maker, str) else {}
        signature = score_signature(name, identity.lang, data, made_by, package_version(config))
        interval = _interval(value, metrics.get(f"{name}_stderr", math.nan), METRICS[name].scale)
        yield Cell(place, Score(name, value, n, scored, interval, signature), "from lm-eval's totals")


def _interval(value: float, error: float, scale: float | None) -> Interval | None:
    # no width says nothing: lm-eval gives 0 where all values are the same
    if not math.isfinite(error) or error <= 0:
        return None
    low, high = value - Z95 * error, value + Z95 * error
    return Interval(low if scale is None else max(low, 0.0), high if scale is None else min(high, scale), "normal")
