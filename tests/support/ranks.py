"""lm-eval's own evaluate() on two gloo ranks, one scenario after another; prints what every rank got as JSON lines.

    python tests/support/ranks.py RANK STORE JUDGE_URL CACHE_DIR

The model writes without a network; documents are split between the ranks as lm-eval does it for `hf` on several GPUs.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch.distributed as dist
from lm_eval.api.model import LM
from lm_eval.evaluator import simple_evaluate
from lm_eval.tasks import TaskManager

from pak3h_tasks.backends.local.classifier import HFClassifier
from pak3h_tasks.harness import judging, ranks
from pak3h_tasks.resources import task_dir

TASK = "pak3h_truthfulqa_ur_gen"


class Writer(LM):
    """Answers with words of its own for each prompt; `split` says whether lm-eval sees two ranks or one."""

    def __init__(self, split: bool, answer: str) -> None:
        super().__init__()
        self._split, self._answer = split, answer

    @property
    def rank(self) -> int:
        return dist.get_rank() if self._split else 0

    @property
    def world_size(self) -> int:
        return dist.get_world_size() if self._split else 1

    def generate_until(self, requests: Sequence[Any], **_: Any) -> list[str]:
        return [self._answer and f"{self._answer} {len(request.args[0])} {request.doc_id}" for request in requests]

    def loglikelihood(self, requests: Sequence[Any], **_: Any) -> Any:
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood

    def all_gather(self, tensor: Any) -> Any:
        import torch

        parts = [torch.zeros_like(tensor) for _ in range(self.world_size)]
        dist.all_gather(parts, tensor)
        return torch.stack(parts)

    def gather_object(self, obj: Any, dst: int = 0) -> Any:
        parts: list[Any] | None = [None] * self.world_size if self.rank == dst else None
        dist.gather_object(obj, parts, dst=dst)
        return parts

    def barrier(self) -> None:
        dist.barrier()


def run(name: str, *, split: bool = True, tasks: Sequence[str] = (TASK,), answer: str = "جواب", **environ: str) -> None:
    """One evaluation on both ranks."""
    os.environ.update(environ)
    ranks._documents_are_split.cache_clear()
    judging.ready_judge.cache_clear()
    found = simple_evaluate(
        Writer(split, answer), tasks=list(tasks), limit=8, bootstrap_iters=1, log_samples=True,
        task_manager=TaskManager(include_defaults=False, include_path=str(task_dir())),
    )  # fmt: skip
    for variable in environ:
        del os.environ[variable]
    results = {} if found is None else {task: found["results"][task] for task in tasks}
    docs = {} if found is None else {task: [row["doc"] for row in found["samples"][task]] for task in tasks}
    print(json.dumps({"name": name, "results": results, "docs": docs}), flush=True)


def main() -> None:
    """All scenarios."""
    rank, store, url, cache = int(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
    logging.getLogger("lm_eval").setLevel(logging.WARNING)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    os.environ["LOCAL_RANK"] = str(rank)

    def judge(name: str, model: str) -> dict[str, str]:
        return {"PAK3H_JUDGE": model, "PAK3H_JUDGE_BASE_URL": url, "PAK3H_CACHE_DIR": str(cache / name)}

    run("split", **judge("split", "split"))
    run("same", split=False, tasks=(TASK, "pak3h_alpaca_ur_lc"), **judge("same", "same"))
    run("nothing scored on rank 1", **judge("nothing", ("good", "broken")[rank]))
    run("nothing scored on rank 0", **judge("nothing0", ("broken", "good")[rank]))
    run("no judge on rank 1", **({"PAK3H_JUDGE": "none"} if rank else judge("none", "good")))
    run("never both on rank 1", **judge("both", ("good", "either")[rank]))
    run("split again", **judge("split", "split"))

    classify, rows = HFClassifier.classify, []

    def counted(self: HFClassifier, some: Any) -> Any:
        given = [list(row) for row in some]
        rows.extend(given)
        return classify(self, given)

    HFClassifier.classify = counted  # type: ignore[method-assign]
    classifier = {"PAK3H_CLASSIFIER": str(cache.parent / "model"), "PAK3H_CLASSIFIER_DEVICE": "cpu"}
    run("classified", tasks=("pak3h_beavertails_ur",), PAK3H_CACHE_DIR=str(cache / "classified"), **classifier)
    print(json.dumps({"name": "rows", "results": {}, "rows": len(rows)}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
