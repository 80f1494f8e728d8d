"""lm-eval's own TruthfulQA arithmetic, as an oracle: its file alone, without lm-eval's start-up."""

from __future__ import annotations

import importlib.util
from functools import cache, partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np


@cache
def _module() -> ModuleType:
    package = importlib.util.find_spec("lm_eval")
    assert package is not None
    assert package.origin is not None
    path = Path(package.origin).parent / "tasks/truthfulqa/utils.py"
    spec = importlib.util.spec_from_file_location("lm_eval_truthfulqa_utils", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def mc1(loglikelihoods: list[float]) -> float:
    """lm-eval's multiple-choice accuracy; the best answer comes first, incorrect ones follow."""
    return float(np.argmax(loglikelihoods) == 0)


def mc2(loglikelihoods: list[float], is_true: list[bool]) -> float:
    doc = {"mc2_targets": {"labels": [int(label) for label in is_true]}}
    return float(_module().process_results_mc2(doc, [(value, False) for value in loglikelihoods])["acc"])


def preprocess(correct: list[str], incorrect: list[str]) -> dict[str, Any]:
    """A truthfulqa_gen document: answers with closing marks, "I have no comment." among the correct ones."""
    question = {"question": "?", "correct_answers": list(correct), "incorrect_answers": list(incorrect)}
    return dict(_module().preprocess_function(question))


def process_results_gen(doc: dict[str, Any], answer: str, *, resamples: int = 1) -> dict[str, float]:
    """lm-eval's generation metrics.

    It resamples each single pair 1,000 times, 0.3 s a reference. Every resample of one item is that item: one will do.
    """
    from rouge_score.scoring import BootstrapAggregator

    module = _module()
    module.scoring = SimpleNamespace(BootstrapAggregator=partial(BootstrapAggregator, n_samples=resamples))
    return {name: float(value) for name, value in module.process_results_gen(doc, [answer]).items()}
