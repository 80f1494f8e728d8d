"""Judging when lm-eval runs in several processes: nothing is judged twice, and no rank lacks a metric others have."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

log = logging.getLogger("lm_eval.pak3h")  # below lm-eval's own logger: its format, its level

Records = list[dict[str, Any]]


def judge_on_one_rank(docs: Sequence[dict[str, Any]], judge: Callable[[], Records]) -> Records:
    """Judge this rank's documents, or take them over from the rank that does.

    With data parallelism each rank holds other documents and judges its own. `hf` on a CPU under torchrun runs every
    document on every rank: then rank 0 alone judges, and hands its records on where there is a process group.
    """
    group = _process_group()
    if group is None:
        # no group, so nobody splits documents; lm-eval reports what local rank 0 finds and drops the rest
        return judge() if os.environ.get("LOCAL_RANK", "0") == "0" else _unjudged(docs)
    ids = [(doc["task"], doc["id"]) for doc in docs]
    everyone: list[Any] = [None] * group.get_world_size()
    group.all_gather_object(everyone, ids)
    if any(other != ids for other in everyone):
        return judge()
    box: list[Any] = [judge() if group.get_rank() == 0 else None]
    group.broadcast_object_list(box, src=0)
    found: Records = box[0]
    return found


def names_scored_on_every_rank(records: Records, names: Sequence[str]) -> None:
    """Withhold, on all ranks, the verdicts that some rank has not a single one of.

    lm-eval gathers metrics by the names that rank 0 has and fails on a rank without one, losing the run. Withheld
    verdicts stay in the records under ``withheld`` and are logged; `pak3h score` counts them.
    """
    group = _process_group()
    if group is None:
        return
    mine = {
        name
        for name in names
        if any((record.get("verdicts") or {}).get(name, {}).get("value") is not None for record in records)
    }
    everyone: list[Any] = [None] * group.get_world_size()
    group.all_gather_object(everyone, mine)
    common, somewhere = set.intersection(*everyone), set.union(*everyone)
    for name in somewhere - common:
        log.warning(
            "Pak3H: a rank has no scored %r verdict at all, and lm-eval cannot gather that; it is left out of this "
            "table. With --log_samples, `pak3h score RUN_DIR` makes the full one at no further cost",
            name,
        )
        for record in records:
            verdict = record.get("verdicts", {}).get(name)
            if verdict is not None:
                record.setdefault("withheld", {})[name] = dict(verdict)
                verdict |= {"value": None, "reason": "withheld: another rank has none (see withheld)"}
    _consistency_on_every_rank_or_none(
        group, [v for record in records for v in (record.get("verdicts") or {}).values()]
    )


def _consistency_on_every_rank_or_none(group: Any, verdicts: list[dict[str, Any]]) -> None:
    """The same for position_consistency, which a rank lacks where none of its pairs needed a judge."""
    mine = any(v.get("value") is not None and "consistent" in (v.get("details") or {}) for v in verdicts)
    everyone: list[Any] = [None] * group.get_world_size()
    group.all_gather_object(everyone, mine)
    if any(everyone) and not all(everyone):
        log.warning("Pak3H: a rank has no pair that was judged in both orders; position_consistency is left out")
        for verdict in verdicts:
            (verdict.get("details") or {}).pop("consistent", None)


def _unjudged(docs: Sequence[dict[str, Any]]) -> Records:
    return [{"response": "", "answer": "", "verdicts": None} for _ in docs]


def _process_group() -> Any:
    """torch.distributed where a process group of several ranks exists; torch is never imported for this."""
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed if distributed.get_world_size() > 1 else None
