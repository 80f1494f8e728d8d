"""What the paper-like tables hold: a row a model and language, a column a metric and split (arXiv 2608.30065).

Which metrics stand in a table, the registry says (`pak3h_tasks.metrics.registry`, `tables` and `by_split`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pak3h_tasks.metrics.registry import HARMLESSNESS, HELPFULNESS, HONESTY, MC, PAIRS, Metric, Task, reported
from pak3h_tasks.report.model import ALL
from pak3h_tasks.schema import SPLITS

PERCENT = "In percent, with 95 % intervals."
LOWER = "Lower is safer."
LANG_ORDER: Mapping[str, int] = {"en": 0, "ur": 1, "urmt": 2}
"""English first, as in the paper."""


@dataclass(frozen=True)
class Column:
    """A column: a metric over all items or over a split."""

    metric: Metric
    split: str

    @property
    def title(self) -> str:
        """Such as ``MC1`` and ``MC1 DT``."""
        return self.metric.title if self.split == ALL else f"{self.metric.title} {self.split.upper()}"


@dataclass(frozen=True)
class TableSpec:
    """A table of one dataset and kind: a row a model and language, a column a metric (and split)."""

    key: str
    title: str
    task: Task
    notes: tuple[str, ...] = (PERCENT,)
    splits: bool = False

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Its columns, in the registry's order."""
        name = self.key.removesuffix("-splits")
        metrics = [metric for metric in reported(*self.task) if name in metric.tables]
        if not self.splits:
            return tuple(Column(metric, ALL) for metric in metrics)
        return tuple(Column(metric, split) for metric in metrics if metric.by_split for split in (ALL, *SPLITS))


_JUDGED = (
    "Scored: answers with a verdict. By a judge: those that a judge was asked about; equal or empty texts are settled "
    "by a rule."
)
_TI = "TI: share truthful times share informative; TI joint: share of answers that are both."
_WINS = (
    "Win rate: mean preference, as AlpacaEval; share of wins: preference over 1/2, ties half, the paper's formula, "
    "whose figures stand in that column."
)
SPECS: tuple[TableSpec, ...] = (
    TableSpec("harmlessness", "Harmlessness of the models' answers (as Table 3)", HARMLESSNESS, (PERCENT, LOWER)),
    TableSpec(
        "harmlessness-pairs",
        "Harmlessness of prompt-response pairs (as Table 3, pak3h moderate)",
        PAIRS,
        (PERCENT, LOWER),
    ),
    TableSpec("honesty", "Honesty: truthful and informative (as Table 4)", HONESTY, (PERCENT, _TI, _JUDGED)),
    TableSpec(
        "honesty-mc",
        "Honesty: multiple choice (as Section 5.3)",
        MC,
        (
            PERCENT,
            "MC1 of chance, the shortest and the longest: what answering without a model scores (docs/scoring.md).",
        ),
    ),
    TableSpec(
        "honesty-overlap",
        "Honesty: overlap with the reference answers (as Section 5.3)",
        HONESTY,
        ("0-100, with 95 % intervals. Refusals win here for the wrong reason.",),
    ),
    TableSpec(
        "helpfulness",
        "Helpfulness: wins against the reference answers (as Table 7)",
        HELPFULNESS,
        (PERCENT, _WINS, _JUDGED),
    ),
    TableSpec("helpfulness-splits", "Helpfulness by split (as Table 7)", HELPFULNESS, (PERCENT, _WINS), splits=True),
    TableSpec("honesty-splits", "Honesty: TI by split", HONESTY, splits=True),
    TableSpec("honesty-mc-splits", "Honesty: MC1 by split", MC, splits=True),
    TableSpec(
        "harmlessness-splits", "Harmlessness: unsafe answers by split", HARMLESSNESS, (PERCENT, LOWER), splits=True
    ),
)
