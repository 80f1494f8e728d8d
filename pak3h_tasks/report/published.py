"""What the paper published (published.json), to stand beside measured numbers and apart from them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.model import ALL, Published
from pak3h_tasks.schema import SPLITS


@cache
def _content() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))
    return found


@cache
def published() -> tuple[Published, ...]:
    """Every published value of a metric, in the unit of `METRICS`."""
    sizes = {entry.dataset: {ALL: entry.total, **entry.splits} for entry in published_data()}
    found = []
    for block in _content()["values"]:
        for system, lang, split, *values in block["rows"]:
            for metric, value_pct in zip(block["metrics"], values, strict=True):
                found.append(
                    Published(
                        system=system,
                        dataset=block["dataset"],
                        lang=lang,
                        kind=block["kind"],
                        split=split,
                        metric=metric,
                        value=value_pct / (100 if METRICS[metric].unit == "fraction" else 1),
                        judge=block["judge"],
                        source=f"{_content()['source']}, {block['where']}",
                        note=block.get("note", ""),
                        where=block["where"],
                        n=AGREEMENT_PAIRS if metric == "human_agreement" else sizes[block["dataset"]][split],
                        of_one=block.get("of_one", False),
                    )
                )
    return tuple(found)


AGREEMENT_PAIRS = 300
"""Pairs a language that people labelled."""


def published_note(entries: Iterable[Published]) -> tuple[str, ...]:
    """Lines under a table: where its published values stand in the paper, and what must be said of them."""
    titles: dict[str, dict[str, None]] = {}
    notes: dict[str, None] = {}
    for entry in entries:
        titles.setdefault(entry.where, {})[METRICS[entry.metric].title] = None
        if entry.note:
            notes[f"{entry.where}: {entry.note}."] = None
    cited = "; ".join(f"{', '.join(metrics)}: {where}" for where, metrics in titles.items())
    return (f"Published values: {cited}.", *notes) if cited else ()


@dataclass(frozen=True)
class PublishedTest:
    """A published test of the gap between two languages.

    Attributes:
        system: Whose gap, as in `Published`.
        dataset: As in `Place`.
        metric: Name of the metric.
        langs: First and second language.
        n: Pairs of items.
        chi2: McNemar's statistic.
        p: Its p-value as printed.
        z: Of the two-proportion test.
        note: Where, and what contradicts it.
    """

    system: str
    dataset: str
    metric: str
    langs: tuple[str, str]
    n: int
    chi2: float
    p: str
    z: float
    note: str


def published_tests() -> tuple[PublishedTest, ...]:
    """Every published test."""
    return tuple(
        PublishedTest(
            system=row["system"],
            dataset=row["dataset"],
            metric=row["metric"],
            langs=(row["first"], row["second"]),
            n=row["n"],
            chi2=row["chi2"],
            p=row["p"],
            z=row["z"],
            note=f"{row['where']}: {row['note']}.",
        )
        for row in _content()["tests"]
    )


@dataclass(frozen=True)
class PublishedData:
    """A data set as published in Tables 1 and 6.

    Attributes:
        dataset: As in `Place`.
        source: What it was made from, and how much of it was drawn.
        splits: dt, lc and li -> items.
        agreement: Share of items with a majority of the annotators, in [0, 1].
        kappa: Fleiss' kappa of the annotators.
    """

    dataset: str
    source: str
    splits: dict[str, int]
    agreement: float
    kappa: float

    @property
    def total(self) -> int:
        """Items kept."""
        return sum(self.splits.values())


def published_data() -> tuple[PublishedData, ...]:
    """The three data sets."""
    return tuple(
        PublishedData(
            row["dataset"],
            row["source"],
            {split: row[split] for split in SPLITS},
            row["agreement_pct"] / 100,
            row["kappa"],
        )
        for row in _content()["data"]["rows"]
    )


def published_data_note() -> tuple[str, ...]:
    """Where `published_data` stands in the paper, and where it contradicts itself."""
    said = _content()["data"]
    return (f"Published values: {said['where']['counts']}; kappa: {said['where']['kappa']}.", f"{said['note']}.")


@dataclass(frozen=True)
class PublishedSetup:
    """How the paper made the answers of a data set and judged them.

    Attributes:
        dataset: As in `Place`.
        kind: As in `Place`.
        generator: Who answered; "": the paper does not say, or the data's own answers.
        judge: What judged.
        making: Library and definition.
        settings: Of the generator, by name.
    """

    dataset: str
    kind: str
    generator: str
    judge: str
    making: str
    settings: dict[str, str]


def published_setup() -> tuple[PublishedSetup, ...]:
    """Every generator and judge of the paper."""
    return tuple(PublishedSetup(**row) for row in _content()["setup"]["rows"])


@dataclass(frozen=True)
class PublishedSafety:
    """A published row of harmlessness (Tables 3 and 5, and the section on agreement), in percent.

    Attributes:
        lang: en, ur or urmt.
        unsafe_pct: Share of pairs called unsafe, 0-100.
        avg_max_harm_pct: Mean of the largest probability, 0-100; None: not published.
        agreement_pct: Agreement with humans on `AGREEMENT_PAIRS` pairs, 0-100; None: not published.
        n: Pairs.
    """

    lang: str
    unsafe_pct: float
    avg_max_harm_pct: float | None
    agreement_pct: float | None
    n: int


def published_safety() -> tuple[PublishedSafety, ...]:
    """The rows, a language each."""
    found: dict[str, dict[str, float]] = {}
    for figure in published():
        if (figure.dataset, figure.kind) == ("beavertails", "pairs"):
            found.setdefault(figure.lang, {})[figure.metric] = round(100 * figure.value, 2)
    (n,) = (entry.total for entry in published_data() if entry.dataset == "beavertails")
    return tuple(
        PublishedSafety(lang, row["unsafe_rate"], row.get("avg_max_harm"), row.get("human_agreement"), n)
        for lang, row in found.items()
    )
