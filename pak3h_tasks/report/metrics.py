"""The metrics a report knows: unit, direction, which verdict is behind them, and their yes/no label for McNemar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from pak3h_tasks.metrics.overlap import OVERLAP_METRICS
from pak3h_tasks.metrics.safety import harm_metric
from pak3h_tasks.schema import HARM_CATEGORIES

Unit = Literal["fraction", "percent", "points", "chars"]
Label = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.bool_]]


@dataclass(frozen=True)
class Metric:
    """One metric.

    Attributes:
        name: Its name in results and sample logs.
        title: Its name in tables.
        unit: fraction: in [0, 1], shown as percent; percent: in [0, 100]; points: a difference of percents, in
            [-100, 100]; chars: a length.
        higher_is_better: None: neither is.
        verdicts: Verdicts it needs; empty: nothing judges it.
        label: Yes/no outcome of an item from its value, where there is a natural one.
    """

    name: str
    title: str
    unit: Unit = "fraction"
    higher_is_better: bool | None = True
    verdicts: tuple[str, ...] = ()
    label: Label | None = None

    @property
    def scale(self) -> float | None:
        """Largest possible value where the smallest is 0; None: no such bounds."""
        return {"fraction": 1.0, "percent": 100.0}.get(self.unit)

    def shown(self, value: float) -> float:
        """The value as tables print it: fractions as percent."""
        return 100 * value if self.unit == "fraction" else value


def _is_one(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    return np.equal(values, 1)


def _wins(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    # a tie is no win
    return np.greater(values, 0.5)


def _overlap(name: str) -> Metric:
    what, _, statistic = name.rpartition("_")
    title = {"bleu": "BLEU", "bleu_official": "BLEU (official)", "rouge1": "ROUGE-1", "rouge2": "ROUGE-2"}
    title |= {"rougeL": "ROUGE-L", "rouge1_ascii": "ROUGE-1 (ASCII words)", "chrf": "chrF"}
    unit: Unit = {"max": "percent", "diff": "points", "acc": "fraction"}[statistic]  # type: ignore[assignment]
    suffix = {"max": "", "diff": " difference", "acc": " accuracy"}[statistic]
    return Metric(name, title[what] + suffix, unit, label=_is_one if statistic == "acc" else None)


_HONEST = ("truthful", "informative")
_LIST: tuple[Metric, ...] = (
    Metric("ti", "TI", verdicts=_HONEST),
    Metric("ti_joint", "TI joint", verdicts=_HONEST, label=_is_one),
    Metric("truthful", "truthful", verdicts=("truthful",), label=_is_one),
    Metric("informative", "informative", verdicts=("informative",), label=_is_one),
    Metric("mc1", "MC1", label=_is_one),
    Metric("mc2", "MC2"),
    Metric("mc3", "MC3"),
    *(_overlap(name) for name in OVERLAP_METRICS),
    Metric("win_rate", "win rate", verdicts=("preference",), label=_wins),
    Metric("discrete_win_rate", "discrete win rate", verdicts=("preference",), label=_wins),
    Metric("lc_win_rate", "length-controlled win rate", verdicts=("preference",)),
    Metric("position_consistency", "same verdict in both orders", verdicts=("preference",), label=_is_one),
    Metric("unsafe_rate", "unsafe", higher_is_better=False, verdicts=("safety",), label=_is_one),
    Metric("avg_max_harm", "mean max harm", higher_is_better=False, verdicts=("safety",)),
    *(
        Metric(harm_metric(name), name, higher_is_better=False, verdicts=("safety",), label=_is_one)
        for name in HARM_CATEGORIES
    ),
    Metric("truncated_rate", "cut before judging", higher_is_better=None, verdicts=("safety",), label=_is_one),
    Metric("refusal_rate", "refusals", higher_is_better=None, label=_is_one),
    Metric("in_language", "in language", label=_is_one),
    Metric("empty_rate", "empty", higher_is_better=False, label=_is_one),
    Metric("answer_chars", "characters", "chars", higher_is_better=None),
    Metric("human_agreement", "agreement with humans"),
)
METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _LIST})
"""Every metric by name, in table order."""

DERIVED: tuple[str, ...] = ("ti", "lc_win_rate")
"""Metrics that are no mean of a logged value; they are made from other columns."""

HARMS: tuple[str, ...] = tuple(harm_metric(name) for name in HARM_CATEGORIES)
"""Metric names of the 14 harm categories."""

OF_TASK: Mapping[tuple[str, str], tuple[str, ...]] = MappingProxyType(
    {
        ("truthfulqa", "mc"): ("mc1", "mc2", "mc3"),
        ("truthfulqa", "gen"): (
            *("ti", "ti_joint", "truthful", "informative"),
            *OVERLAP_METRICS,
            *("refusal_rate", "in_language", "empty_rate"),
        ),
        ("alpaca", "gen"): (
            *("win_rate", "discrete_win_rate", "lc_win_rate", "position_consistency"),
            *("in_language", "empty_rate", "answer_chars"),
        ),
        ("beavertails", "gen"): (
            *("unsafe_rate", "avg_max_harm", *HARMS, "truncated_rate"),
            *("refusal_rate", "in_language", "empty_rate"),
        ),
    }
)
"""Metrics of a dataset and kind."""

HEADLINE: Mapping[tuple[str, str], tuple[str, ...]] = MappingProxyType(
    {
        ("truthfulqa", "mc"): ("mc1", "mc2"),
        ("truthfulqa", "gen"): ("ti", "ti_joint", "truthful", "informative"),
        ("alpaca", "gen"): ("win_rate", "discrete_win_rate"),
        ("beavertails", "gen"): ("unsafe_rate", "avg_max_harm"),
    }
)
"""The metrics that are also cut by category and compared between languages and models."""
