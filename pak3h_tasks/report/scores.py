"""Scores with intervals from columns: all items, each split, each TruthfulQA topic, without running anything twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pak3h_tasks.metrics.truthfulness import ti
from pak3h_tasks.metrics.winrate import MIN_ITEMS_LENGTH_CONTROLLED, length_controlled_win_rate
from pak3h_tasks.report.columns import Columns
from pak3h_tasks.report.metrics import HEADLINE, METRICS, OF_TASK
from pak3h_tasks.report.model import ALL, Cell, Place
from pak3h_tasks.report.signatures import score_signature
from pak3h_tasks.results import Interval, Score
from pak3h_tasks.schema import SPLITS
from pak3h_tasks.stats.intervals import mean_interval, product_interval, t_interval

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Options:
    """What costs time.

    Attributes:
        length_controlled: Whether to fit length-controlled win rates (seconds a model at 4,445 items).
        resamples: Bootstrap resamples of that fit.
        topics: Whether to cut by TruthfulQA topic.
    """

    length_controlled: bool = True
    resamples: int = 1000
    topics: bool = True


def score_cells(columns: Columns, system: str, package: str, options: Options) -> Iterator[Cell]:
    """Every number of one dataset, language and kind.

    Args:
        columns: Its items.
        system: Label of the model.
        package: Version of this package that made the run; "": not known.
        options: What to leave out.
    """
    identity = columns.identity
    task = (identity.dataset, identity.kind)
    present = [split for split in SPLITS if (columns.splits == split).any()]
    make = _Maker(columns, package, options)
    for split in ([ALL] if columns.whole else []) + present:
        mask = np.ones(columns.n, dtype=bool) if split == ALL else columns.splits == split
        place = Place(system, identity.dataset, identity.lang, identity.kind, split)
        for metric in OF_TASK.get(task, ()):
            if (cell := make.cell(metric, place, mask)) is not None:
                yield cell
    if options.topics and columns.whole:
        for topic, mask in _topics(columns):
            place = Place(system, identity.dataset, identity.lang, identity.kind, ALL, topic)
            for metric in HEADLINE.get(task, ()):
                if (cell := make.cell(metric, place, mask)) is not None:
                    yield cell


def total(columns: Columns, system: str, package: str, metric: str) -> Cell | None:
    """One number over all items; None where the log has nothing of this metric, or not every split was run."""
    if not columns.whole:
        return None
    identity = columns.identity
    place = Place(system, identity.dataset, identity.lang, identity.kind)
    options = Options(length_controlled=False)
    return _Maker(columns, package, options).cell(metric, place, np.ones(columns.n, dtype=bool))


def _topics(columns: Columns) -> Iterator[tuple[str, Mask]]:
    topics = np.asarray([topic or "" for topic in columns.topics])
    for topic in sorted(set(columns.topics) - {None, ""}, key=str):
        yield str(topic), topics == topic


@dataclass(frozen=True)
class _Maker:
    columns: Columns
    package: str
    options: Options
    _signatures: dict[str, str] = field(default_factory=dict)

    def cell(self, metric: str, place: Place, mask: Mask) -> Cell | None:
        """One number; None where the log has nothing of this metric."""
        if metric == "ti":
            found = self._ti(mask)
        elif metric == "lc_win_rate":
            found = self._length_controlled(place, mask)
        else:
            found = self._mean(metric, mask)
        if found is None:
            return None
        value, scored, interval, note = found
        score = Score(metric, value, int(mask.sum()), scored, interval, self._signature(metric))
        return Cell(place, score, note)

    def _signature(self, metric: str) -> str:
        if metric not in self._signatures:
            c = self.columns
            self._signatures[metric] = score_signature(
                metric, c.identity.lang, c.data, c.made_by, self.package, c.against
            )
        return self._signatures[metric]

    def _all_failed(self, metric: str) -> bool:
        """Whether a judge was asked for a headline metric and gave no verdict at all."""
        c = self.columns
        verdicts = set(METRICS[metric].verdicts)
        is_headline = metric in HEADLINE.get((c.identity.dataset, c.identity.kind), ())
        return is_headline and bool(verdicts) and verdicts <= c.made_by.keys()

    def _mean(self, metric: str, mask: Mask) -> tuple[float | None, int, Interval | None, str] | None:
        if metric not in self.columns.values:
            return (None, 0, None, "nothing is scored") if self._all_failed(metric) else None
        values = scored(self.columns.values[metric][mask])
        if not len(values):
            return None, 0, None, "nothing is scored"
        scale = METRICS[metric].scale
        interval = t_interval(values) if scale is None else mean_interval(values, scale=scale)
        return float(values.mean()), len(values), interval, ""

    def _ti(self, mask: Mask) -> tuple[float | None, int, Interval | None, str] | None:
        if not {"truthful", "informative"} & self.columns.values.keys() and not self._all_failed("ti"):
            return None
        truthful, informative = (self.columns.column(name)[mask] for name in ("truthful", "informative"))
        both = np.isfinite(truthful) & np.isfinite(informative)
        n = int(both.sum())
        if not n:
            return None, 0, None, "no answer has both verdicts"
        # as inside lm-eval: each share over its own scored answers
        value = ti(_with_none(truthful), _with_none(informative))
        return value, n, product_interval(truthful[both], informative[both]), ""

    def _length_controlled(self, place: Place, mask: Mask) -> tuple[float | None, int, Interval | None, str] | None:
        c = self.columns
        if not self.options.length_controlled or not {"win_rate", "answer_chars"} <= c.values.keys():
            return None
        columns = np.column_stack([c.values["win_rate"], c.values["answer_chars"], c.reference_chars])[mask]
        columns = columns[np.isfinite(columns).all(axis=1)]
        n = len(columns)
        if place.split != ALL:
            return None  # the fit costs seconds, and the paper has none by split
        if n < MIN_ITEMS_LENGTH_CONTROLLED:
            return None, n, None, f"needs {MIN_ITEMS_LENGTH_CONTROLLED} scored items"
        found = length_controlled_win_rate(
            columns[:, 0].tolist(), columns[:, 1].tolist(), columns[:, 2].tolist(), resamples=self.options.resamples
        )
        return found.value, n, found.interval, found.reason or ""


def scored(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The values that are there."""
    return values[np.isfinite(values)]


def _with_none(values: npt.NDArray[np.float64]) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]
