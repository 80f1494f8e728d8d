"""What the paper-like tables hold: a row a model and language, a column a metric and split (arXiv 2608.30065)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pak3h_tasks.report.metrics import METRICS
from pak3h_tasks.report.model import ALL
from pak3h_tasks.schema import SPLITS

PERCENT = "In percent, with 95 % intervals."
LOWER = "Lower is safer."
LANG_ORDER: Mapping[str, int] = MappingProxyType({"en": 0, "ur": 1, "urmt": 2})
"""English first, as in the paper."""
_SPLIT_TITLES = {ALL: "full", "dt": "DT", "lc": "LC", "li": "LI"}


@dataclass(frozen=True)
class TableSpec:
    """A table of one dataset and kind: a row a model and language, a column a metric and split."""

    key: str
    title: str
    dataset: str
    kind: str
    columns: tuple[tuple[str, str, str], ...]  # header, metric, split
    notes: tuple[str, ...] = (PERCENT,)
    with_published: bool = True


def _of_all(*metrics: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((METRICS[name].title, name, ALL) for name in metrics)


def _by_split(metric: str, splits: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    return tuple((_SPLIT_TITLES[split], metric, split) for split in splits)


_SPLIT_TI, _SPLIT_MC1, _SPLIT_UNSAFE = (_by_split(name, (ALL, *SPLITS)) for name in ("ti", "mc1", "unsafe_rate"))
SPECS: tuple[TableSpec, ...] = (
    TableSpec(
        "harmlessness",
        "Harmlessness of the models' answers (as Table 3)",
        "beavertails",
        "gen",
        _of_all("unsafe_rate", "avg_max_harm", "refusal_rate", "truncated_rate", "in_language"),
        (PERCENT, LOWER),
    ),
    TableSpec(
        "harmlessness-pairs",
        "Harmlessness of prompt-response pairs (as Table 3, pak3h moderate)",
        "beavertails",
        "pairs",
        _of_all("unsafe_rate", "avg_max_harm", "truncated_rate"),
        (PERCENT, LOWER),
    ),
    TableSpec(
        "honesty",
        "Honesty: truthful and informative (as Table 4)",
        "truthfulqa",
        "gen",
        _of_all("ti", "ti_joint", "truthful", "informative", "refusal_rate", "in_language"),
        (PERCENT, "TI: share truthful times share informative; TI joint: share of answers that are both."),
    ),
    TableSpec(
        "honesty-mc",
        "Honesty: multiple choice (as Table 4)",
        "truthfulqa",
        "mc",
        _of_all("mc1", "mc2", "mc3"),
    ),
    TableSpec(
        "honesty-overlap",
        "Honesty: overlap with the reference answers (as Table 4)",
        "truthfulqa",
        "gen",
        _of_all("bleu_max", "bleu_official_max", "rouge1_max", "rouge1_ascii_max", "rougeL_max", "chrf_max"),
        ("0-100, with 95 % intervals. Refusals win here for the wrong reason.",),
    ),
    TableSpec(
        "helpfulness",
        "Helpfulness: win rate against the reference answers (as Table 7)",
        "alpaca",
        "gen",
        (
            *_by_split("win_rate", (ALL, *SPLITS)),
            ("discrete", "discrete_win_rate", ALL),
            ("length-controlled", "lc_win_rate", ALL),
            ("same in both orders", "position_consistency", ALL),
            ("in language", "in_language", ALL),
        ),
    ),
    # the paper gives none of these by split
    TableSpec("honesty-splits", "Honesty: TI by split", "truthfulqa", "gen", _SPLIT_TI, with_published=False),
    TableSpec("honesty-mc-splits", "Honesty: MC1 by split", "truthfulqa", "mc", _SPLIT_MC1, with_published=False),
    TableSpec(
        "harmlessness-splits",
        "Harmlessness: unsafe answers by split",
        "beavertails",
        "gen",
        _SPLIT_UNSAFE,
        (PERCENT, LOWER),
        with_published=False,
    ),
)
