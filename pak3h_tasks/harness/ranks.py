"""Judging when lm-eval runs in several processes: nothing is judged twice, and no rank lacks a metric others have."""

from __future__ import annotations

import functools
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

log = logging.getLogger("lm_eval.pak3h")  # below lm-eval's own logger: its format, its level

Records = list[dict[str, Any]]


def judge_across_ranks(
    docs: Sequence[dict[str, Any]], judge: Callable[[], Records], metric_names: Callable[[Records], set[str]]
) -> Records:
    """Judge this rank's documents, unless another rank has the very same ones.

    With data parallelism each rank holds other documents and judges its own. Under torchrun without it (`hf` on a CPU,
    tensor parallelism) every rank runs every document, and lm-eval reports what local rank 0 finds and drops the rest:
    then one rank judges, and no other waits for it, since a process group soon loses patience.

    Args:
        docs: This rank's documents.
        judge: Makes their records.
        metric_names: Names of the metrics that process_results makes of records. lm-eval gathers metrics by the names
            that rank 0 has and fails on a rank without one, losing the run. So what some rank has not a single one of
            is named in every record's ``withheld``, and `pak3h score` makes it from the log.
    """
    group = _process_group()
    if group is None:
        return judge() if os.environ.get("LOCAL_RANK", "0") == "0" else _unjudged(docs)
    size, ids = group.get_world_size(), [(doc["task"], doc["id"]) for doc in docs]
    if size not in _documents_are_split():
        _documents_are_split()[size] = any(other != ids for other in _from_all(group, ids))
    if not _documents_are_split()[size]:
        return judge() if group.get_rank() == 0 else _unjudged(docs)
    found = judge()
    everyone: list[set[str]] = _from_all(group, metric_names(found))
    withheld = sorted({name for names in everyone for name in names if not all(name in other for other in everyone)})
    if withheld:
        log.warning(
            "Pak3H: a rank has nothing scored for %s, and lm-eval cannot gather that; left out of this table. With "
            "--log_samples, `pak3h score RUN_DIR` makes the full one, and pays only for what is missing",
            ", ".join(withheld),
        )
        found = [{**record, "withheld": withheld} for record in found]
    return found


@functools.cache
def _documents_are_split() -> dict[int, bool]:
    """By number of ranks, what the first task showed; asking at each task would make all wait for the judging one."""
    return {}


def _from_all(group: Any, mine: Any) -> list[Any]:
    everyone: list[Any] = [None] * group.get_world_size()
    group.all_gather_object(everyone, mine)
    return everyone


def _unjudged(docs: Sequence[dict[str, Any]]) -> Records:
    return [{"response": "", "answer": "", "verdicts": None} for _ in docs]


def _process_group() -> Any:
    """torch.distributed where a process group of several ranks exists; torch is never imported for this."""
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed if distributed.get_world_size() > 1 else None
