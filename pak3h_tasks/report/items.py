"""A task's sample log as columns: one number an item and metric, and what made them. Rows are read once and let go."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pak3h_tasks.data.sample_log import TaskLog, as_float
from pak3h_tasks.data.sample_log_names import TaskIdentity
from pak3h_tasks.metrics.registry import METRICS, Metric, reported
from pak3h_tasks.report.run_settings import opponent, rules
from pak3h_tasks.report.signatures import split_signature
from pak3h_tasks.schema import SPLITS

Warn = Callable[[str], None]
Column = npt.NDArray[np.float64]
Rows = npt.NDArray[np.bool_] | npt.NDArray[np.intp]
"""Which items: a mask, or their places."""

_MAX_REASON_CHARS = 120
_MAX_LISTED = 20


@dataclass(frozen=True)
class Items:
    """Items of one dataset, language and kind in log order.

    Attributes:
        identity: Dataset, language and kind; its `split` is that of the first task where several were joined.
        whole: Whether every split is in, so that numbers over all items mean something.
        ids: (n,) item ids, each once.
        questions: (n,) what the model was asked: the prompt of PakBeaverTails, elsewhere the id.
        splits: (n,) dt, lc or li.
        topics: (n,) TruthfulQA topics; None where there is none.
        values: Metric -> (n,), NaN where an item is not scored; and, where metrics need it, ``reference_chars``.
        data: Short names of the data the items came from.
        made_by: Verdict name -> signatures without what a server's reply tells.
        served: Verdict name -> what servers said they are.
        origins: Verdict name -> (n,) what each verdict was read from: a judge's ``logprobs`` or ``text``, ``judge``
            where the log does not say which, ``rule`` where none was asked (equal texts), "" where there is no verdict.
        unscored: Reasons of missing verdicts, with counts.
        against: Whose answers stood in the place of the data's own outputs (head to head); "": nobody's.
        rules: Rule -> version, as far as the results file says.
    """

    identity: TaskIdentity
    whole: bool
    ids: tuple[str, ...]
    questions: tuple[str, ...]
    splits: npt.NDArray[np.str_]
    topics: tuple[str | None, ...]
    values: dict[str, Column]
    data: tuple[str, ...]
    made_by: dict[str, tuple[str, ...]] = field(default_factory=dict)
    served: dict[str, tuple[str, ...]] = field(default_factory=dict)
    origins: dict[str, npt.NDArray[np.str_]] = field(default_factory=dict)
    unscored: dict[str, int] = field(default_factory=dict)
    against: str = ""
    rules: dict[str, str] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.ids)

    def column(self, metric: str) -> Column:
        """(n,) values of a metric, NaN where not scored."""
        return self.values.get(metric, np.full(self.n, np.nan))

    def has(self, metric: Metric) -> bool:
        """Whether the log holds every column that the metric is made from."""
        return all(name in self.values for name in metric.columns)

    def of(self, metric: Metric, rows: Rows) -> dict[str, Column]:
        """The columns that a metric is made from, of some items."""
        return {name: self.column(name)[rows] for name in metric.columns}

    def where(self, mask: npt.NDArray[np.bool_]) -> Items:
        """Some of the items."""
        places = np.flatnonzero(mask)
        return replace(
            self,
            ids=tuple(self.ids[place] for place in places),
            questions=tuple(self.questions[place] for place in places),
            splits=self.splits[mask],
            topics=tuple(self.topics[place] for place in places),
            values={name: column[mask] for name, column in self.values.items()},
            origins={name: column[mask] for name, column in self.origins.items()},
        )

    def from_judge(self, metric: Metric, rows: Rows) -> tuple[int | None, int | None]:
        """Scored items whose verdicts came from a judge, and those of them that were read from its text.

        Either is None where the log does not say; so are both where no judge judges the metric.
        """
        origins = [self.origins[name][rows] for name in metric.verdicts if name in self.origins]
        if metric.needs != "judge" or not origins or len(origins) < len(metric.verdicts):
            return None, None
        scored = np.isfinite(list(self.of(metric, rows).values())).all(axis=0)
        asked = np.logical_and.reduce([(origin != "") & (origin != "rule") for origin in origins]) & scored
        if any((origin[scored] == "judge").any() for origin in origins):
            return int(asked.sum()), None
        from_text = np.logical_or.reduce([origin == "text" for origin in origins]) & asked
        return int(asked.sum()), int(from_text.sum())

    def judged(self) -> int:
        """How many values judges and classifiers gave, to tell a scored copy from its original."""
        names = [name for name in self.values if name in METRICS and METRICS[name].verdicts]
        return sum(int(np.isfinite(self.values[name]).sum()) for name in names)

    def says_the_same(self, other: Items) -> bool:
        """Whether these are the other's items, numbers and judges."""
        return (self.ids, self.made_by, self.values.keys()) == (other.ids, other.made_by, other.values.keys()) and all(
            np.array_equal(self.values[name], other.values[name], equal_nan=True) for name in self.values
        )


def read_log(log: TaskLog, warn: Warn, read: Callable[[int], None] = lambda _: None) -> Items:
    """Read a sample log; of rows with the same id the first counts.

    Args:
        log: From `find_runs`.
        warn: Told of repeated ids and of values that cannot be: outside a metric's range.
        read: Told how many bytes were read.

    Raises:
        DataError: The file cannot be read.
    """
    # a metric without a value of an item is made from other columns
    metrics = [m for m in reported(log.identity.dataset, log.identity.kind) if m.value is not None]
    reader = _Reader(metrics)
    for row in log.rows(warn, read):
        reader.add(row)
    if reader.repeated:
        warn(f"{log.path}: {reader.repeated} rows repeat an id; the first row of each counts")
    items = reader.columns(log.identity)
    for name, count in reader.impossible.items():
        warn(f"{log.path}: {count} values of {name} are outside its range; they count as not scored")
    return replace(items, against=opponent(log.config), rules=rules(log.config))


def join(parts: Sequence[Items]) -> Items:
    """The items of split tasks, one after the other; what was asked in several splits counts once, in the first.

    Before task version 1.1 a PakBeaverTails prompt whose pairs are labelled differently was asked in each split.
    """
    asked: set[str] = set()
    kept = []
    for part in parts:
        new = np.asarray([question not in asked for question in part.questions], dtype=bool)
        asked.update(part.questions)
        kept.append(part if new.all() else part.where(new))
    parts = kept
    first = parts[0]
    if len(parts) == 1:
        return first
    names = dict.fromkeys(name for part in parts for name in part.values)
    return Items(
        identity=first.identity,
        whole={part.identity.split for part in parts} >= set(SPLITS),
        ids=tuple(identifier for part in parts for identifier in part.ids),
        questions=tuple(question for part in parts for question in part.questions),
        splits=np.concatenate([part.splits for part in parts]),
        topics=tuple(topic for part in parts for topic in part.topics),
        values={name: np.concatenate([part.column(name) for part in parts]) for name in names},
        data=_union(part.data for part in parts),
        made_by=_merged([part.made_by for part in parts]),
        served=_merged([part.served for part in parts]),
        origins={
            name: np.concatenate([part.origins.get(name, np.full(part.n, "", dtype=np.str_)) for part in parts])
            for name in dict.fromkeys(name for part in parts for name in part.origins)
        },
        unscored=dict(sum((Counter(part.unscored) for part in parts), Counter())),
        against=first.against,
        rules={
            name: first.rules[name]
            for name in first.rules
            if all(part.rules.get(name) == first.rules[name] for part in parts)
        },
    )


def common(first: Items, second: Items) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Positions, in each of the two, of the items both have; in the first one's order."""
    place = {identifier: index for index, identifier in enumerate(second.ids)}
    pairs = [(i, place[identifier]) for i, identifier in enumerate(first.ids) if identifier in place]
    both = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    return both[:, 0], both[:, 1]


class _Reader:
    """Takes rows, keeps numbers."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._scales = {metric.name: metric.scale for metric in metrics}
        self._values: dict[str, list[object]] = {metric.name: [] for metric in metrics}
        self._ids: dict[str, str] = {}
        self._splits: list[str] = []
        self._topics: list[str | None] = []
        self._reference_chars: list[float] = []
        self._data: dict[str, None] = {}
        self._made_by: dict[str, dict[str, None]] = {}
        self._served: dict[str, dict[str, None]] = {}
        self._unscored: Counter[str] = Counter()
        self._origins: dict[str, dict[int, str]] = {}
        self.repeated = 0
        self.impossible: Counter[str] = Counter()

    def add(self, row: dict[str, Any]) -> None:
        doc = row["doc"]
        if doc["id"] in self._ids:
            self.repeated += 1
            return
        prompt = doc.get("prompt")
        self._ids[doc["id"]] = prompt if isinstance(prompt, str) else doc["id"]
        self._splits.append(doc["localization"])
        topic = doc.get("topic")
        self._topics.append(topic if isinstance(topic, str) else None)
        output = doc.get("output")
        self._reference_chars.append(float(len(output)) if isinstance(output, str) else math.nan)
        if isinstance(data := doc.get("data"), str):
            self._data[data] = None
        for name, values in self._values.items():
            values.append(row.get(name))
        details = doc.get("pak3h")
        if isinstance(details, dict):
            self._note(details)

    def _column(self, name: str) -> Column:
        """A metric's values; NaN where there is none, or one that cannot be."""
        numbers = [value if type(value) is float else as_float(value) for value in self._values[name]]
        column = np.asarray([np.nan if number is None else number for number in numbers], dtype=np.float64)
        column[~np.isfinite(column)] = np.nan
        scale = self._scales[name]
        if scale is None:
            return column
        # a rounding error above the bound is the bound
        outside = (column < -1e-9 * scale) | (column > (1 + 1e-9) * scale)
        if outside.any():
            self.impossible[name] += int(outside.sum())
            column[outside] = np.nan
        return np.clip(column, 0.0, scale)

    def _note(self, details: dict[str, Any]) -> None:
        verdicts = details.get("verdicts")
        if not isinstance(verdicts, dict):
            if isinstance(reason := details.get("reason"), str):
                self._unscored[reason[:_MAX_REASON_CHARS]] += 1
            return
        for name, verdict in verdicts.items():
            if not isinstance(verdict, dict):
                continue
            if origin := _origin(verdict):
                self._origins.setdefault(name, {})[len(self._ids) - 1] = origin
            if verdict.get("value") is None:
                reason = verdict.get("reason")
                self._unscored[f"{name}: {reason if isinstance(reason, str) else 'no reason'}"[:_MAX_REASON_CHARS]] += 1
            if isinstance(signature := verdict.get("signature"), str) and signature:
                base, served = split_signature(signature)
                self._made_by.setdefault(name, {})[base] = None
                for text in served:
                    self._served.setdefault(name, {})[text] = None
            orders = (verdict.get("details") or {}).get("orders") if isinstance(verdict.get("details"), dict) else None
            for order in orders if isinstance(orders, list) else ():
                if isinstance(order, dict) and isinstance(model := order.get("judge_model"), str):
                    self._served.setdefault(name, {})[model] = None

    def columns(self, identity: TaskIdentity) -> Items:
        columns = {name: self._column(name) for name in self._values}
        columns["reference_chars"] = np.asarray(self._reference_chars, dtype=np.float64)
        return Items(
            identity=identity,
            whole=identity.split is None,
            ids=tuple(self._ids),
            questions=tuple(self._ids.values()),
            splits=np.asarray(self._splits, dtype=np.str_),
            topics=tuple(self._topics),
            values={name: column for name, column in columns.items() if np.isfinite(column).any()},
            data=_first(self._data),
            made_by={name: _first(found) for name, found in self._made_by.items()},
            served={name: _first(found) for name, found in self._served.items()},
            origins={
                name: np.asarray([found.get(place, "") for place in range(len(self._ids))], dtype=np.str_)
                for name, found in self._origins.items()
            },
            unscored=dict(self._unscored.most_common(_MAX_LISTED)),
        )


def _origin(verdict: Mapping[str, Any]) -> str:
    """What a verdict was read from (see `Items.origins`)."""
    if verdict.get("value") is None:
        return ""
    details = verdict.get("details")
    details = details if isinstance(details, dict) else {}
    orders = details.get("orders")
    said = [order for order in orders if isinstance(order, dict)] if isinstance(orders, list) else []
    found = {str(part.get("read_from", part.get("source"))) for part in (details, *said)}
    if "rule" in found or (verdict.get("raw") is None and verdict.get("reason")):
        return "rule"
    return next((name for name in ("text", "logprobs") if name in found), "judge")


def _first(names: dict[str, None]) -> tuple[str, ...]:
    return tuple(names)[:_MAX_LISTED]


def _union(parts: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts for name in part))


def _merged(parts: Sequence[dict[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: _union(part.get(name, ()) for part in parts) for name in names}
