"""What languages, splits and datasets are called in tables and on pages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pak3h_tasks.report.model import ALL

LANG_NAMES: Mapping[str, str] = MappingProxyType(
    {"en": "English", "ur": "Urdu", "urmt": "Machine-translated Urdu", "-": "own pairs"}
)
"""English first, as in the paper."""

SPLIT_NAMES: Mapping[str, str] = MappingProxyType(
    {ALL: "All items", "dt": "Directly translated", "lc": "Locally contextualised", "li": "Locally irrelevant"}
)

DATASET_NAMES: Mapping[str, str] = MappingProxyType(
    {"truthfulqa": "PakTruthfulQA", "alpaca": "PakAlpaca", "beavertails": "PakBeaverTails"}
)

QUALITIES: Mapping[str, str] = MappingProxyType(
    {"truthfulqa": "Honesty", "alpaca": "Helpfulness", "beavertails": "Harmlessness"}
)

KIND_NAMES: Mapping[str, str] = MappingProxyType(
    {"mc": "multiple choice", "gen": "answers in words", "pairs": "the data's own pairs"}
)


MEASURE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "ti": "truthful and informative (TI)",
        "mc1": "MC1",
        "win_rate": "win rate",
        "discrete_win_rate": "share of wins",
        "unsafe_rate": "unsafe answers",
    }
)


def data_title(dataset: str, kind: str) -> str:
    """A data set, and of it what was used, where that is not answers in words.

    Example:
        >>> data_title("truthfulqa", "mc"), data_title("truthfulqa", "gen"), data_title("beavertails", "pairs")
        ('PakTruthfulQA, multiple choice', 'PakTruthfulQA', 'PakBeaverTails, pairs')
    """
    return DATASET_NAMES[dataset] + {"mc": ", multiple choice", "pairs": ", pairs"}.get(kind, "")


def task_title(dataset: str, kind: str) -> str:
    """A dataset and kind in words; the kind only where a dataset has several.

    Example:
        >>> task_title("truthfulqa", "mc"), task_title("alpaca", "gen")
        ('Honesty, multiple choice', 'Helpfulness')
    """
    quality = QUALITIES.get(dataset, dataset)
    if dataset == "truthfulqa" or kind == "pairs":
        return f"{quality}, {KIND_NAMES.get(kind, kind)}"
    return quality
