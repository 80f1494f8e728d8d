"""Scores with intervals from items: all items, each split, each TruthfulQA topic, without running anything twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pak3h_tasks.metrics.registry import METRICS, Metric, reported
from pak3h_tasks.metrics.safety import THRESHOLD
from pak3h_tasks.report.estimate import estimate
from pak3h_tasks.report.items import Items
from pak3h_tasks.report.model import ALL, Cell, Place
from pak3h_tasks.report.signatures import score_signature
from pak3h_tasks.results import Score
from pak3h_tasks.schema import SPLITS

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Options:
    """What is a choice of the reader's.

    Attributes:
        length_controlled: Whether to fit length-controlled win rates.
        topics: Whether to cut by TruthfulQA topic.
        threshold: Prompt-response pairs are unsafe above it; answers of runs have the verdicts of their run.
    """

    length_controlled: bool = True
    topics: bool = True
    threshold: float = THRESHOLD


def score_cells(items: Items, system: str, package: str, options: Options) -> Iterator[Cell]:
    """Every number of one dataset, language and kind.

    Args:
        items: Its items.
        system: Label of the model.
        package: Version of this package that made the run; "": not known.
        options: What to leave out.
    """
    identity = items.identity
    task = (identity.dataset, identity.kind)
    present = [split for split in SPLITS if (items.splits == split).any()]
    make = _Maker(items, package, options)
    for split in ([ALL] if items.whole else []) + present:
        mask = np.ones(items.n, dtype=bool) if split == ALL else items.splits == split
        place = Place(system, identity.dataset, identity.lang, identity.kind, split)
        for metric in reported(*task):
            if (cell := make.cell(metric, place, mask)) is not None:
                yield cell
    if options.topics and items.whole:
        for topic, mask in _topics(items):
            place = Place(system, identity.dataset, identity.lang, identity.kind, ALL, topic)
            for metric in (m for m in reported(*task) if m.headline):
                if (cell := make.cell(metric, place, mask)) is not None:
                    yield cell


def total(items: Items, system: str, package: str, metric: str) -> Cell | None:
    """One number over all items; None where the log has nothing of this metric, or not every split was run."""
    if not items.whole:
        return None
    identity = items.identity
    place = Place(system, identity.dataset, identity.lang, identity.kind)
    options = Options(length_controlled=False)
    return _Maker(items, package, options).cell(METRICS[metric], place, np.ones(items.n, dtype=bool))


def _topics(items: Items) -> Iterator[tuple[str, Mask]]:
    topics = np.asarray([topic or "" for topic in items.topics])
    for topic in sorted(set(items.topics) - {None, ""}, key=str):
        yield str(topic), topics == topic


@dataclass(frozen=True)
class _Maker:
    items: Items
    package: str
    options: Options
    _signatures: dict[str, str] = field(default_factory=dict)

    def cell(self, metric: Metric, place: Place, mask: Mask) -> Cell | None:
        """One number; None where the log has nothing of this metric."""
        if metric.aggregation == "length_controlled" and not self._fits_length(metric, place):
            return None
        if not any(name in self.items.values for name in metric.columns) and not self._all_failed(metric):
            return None
        found = estimate(metric, self.items.of(metric, mask))
        score = Score(metric.name, found.value, found.n, found.n_scored, found.interval, self._signature(metric.name))
        n_judged, n_text = self.items.from_judge(metric, mask)
        return Cell(place, score, found.note, n_judged, n_text)

    def _fits_length(self, metric: Metric, place: Place) -> bool:
        # the fit costs seconds, and the paper has none by split
        return self.options.length_controlled and place.split == ALL and self.items.has(metric)

    def _signature(self, metric: str) -> str:
        if metric not in self._signatures:
            c = self.items
            self._signatures[metric] = score_signature(
                metric, c.identity.lang, c.data, c.made_by, self.package, c.against, c.rules
            )
        return self._signatures[metric]

    def _all_failed(self, metric: Metric) -> bool:
        """Whether a judge was asked for a headline metric and gave no verdict at all."""
        return metric.headline and bool(metric.verdicts) and set(metric.verdicts) <= self.items.made_by.keys()
