"""A table before it is drawn: text and numbers with intervals, published rows apart, notes below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.results import Interval, Score


@dataclass(frozen=True)
class Number:
    """A number as a table shows it: percent for fractions; `value` None: nothing was scored.

    Attributes:
        value: In the unit shown.
        low: Lower end of the 95 % interval; None: none.
        high: Upper end.
        signed: Whether a plus is written: differences.
        of_one: Whether it is on a scale from 0 to 1, which needs more digits.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    signed: bool = False
    of_one: bool = False

    @property
    def value_text(self) -> str:
        """The value alone, or ``n/a``."""
        if self.value is None:
            return "n/a"
        return f"{self.value:{'+' if self.signed else ''}.{3 if self.of_one else 2}f}"

    @property
    def interval_text(self) -> str:
        """``[low, high]``, or "" where there is none."""
        if self.value is None or self.low is None or self.high is None:
            return ""
        form = f"{'+' if self.signed else ''}.{3 if self.of_one else 1}f"
        return f"[{self.low:{form}}, {self.high:{form}}]"

    def to_one(self) -> Number:
        """A percentage as a share from 0 to 1.

        Example:
            >>> Number(78.3, 75.4, 81.0).to_one().text
            '0.783 [0.754, 0.810]'
        """
        value, low, high = (None if x is None else x / 100 for x in (self.value, self.low, self.high))
        return Number(value, low, high, self.signed, of_one=True)

    @property
    def text(self) -> str:
        """Value and interval on one line.

        Example:
            >>> Number(50.62, 47.18, 54.03).text, Number(None).text, Number(-3.0, signed=True).text
            ('50.62 [47.2, 54.0]', 'n/a', '-3.00')
        """
        return f"{self.value_text} {self.interval_text}".rstrip()


Entry = str | int | Number | None
"""What a table's cell holds; None: there is no such thing here."""


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        key: Short name, for files and links.
        title: One line.
        header: Column names.
        rows: Measured rows, each as long as the header.
        published: Rows of a paper, drawn apart under their own heading.
        notes: Lines below: how to read it.
        made_by: Lines below: judges, classifiers and data.
    """

    key: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    published: tuple[tuple[Entry, ...], ...] = ()
    notes: tuple[str, ...] = ()
    made_by: tuple[str, ...] = ()

    @property
    def left(self) -> tuple[bool, ...]:
        """Whether a column holds words and is set to the left."""
        rows = (*self.rows, *self.published)
        return tuple(any(_is_word(row[column]) for row in rows) for column in range(len(self.header)))


def number_of(score: Score) -> Number:
    """A score as tables show it."""
    metric = METRICS[score.name]
    if score.value is None:
        return Number(None)
    return Number(metric.shown(score.value), *_ends(score.name, score.interval))


def difference_of(metric: str, difference: float | None, interval: Interval | None) -> Number:
    """A difference as tables show it: in points."""
    if difference is None:
        return Number(None)
    return Number(METRICS[metric].shown(difference), *_ends(metric, interval), signed=True)


def plain(metric: str, value: float | None) -> Number:
    """A value without an interval."""
    return Number(None if value is None else METRICS[metric].shown(value))


def entry_text(entry: Entry) -> str:
    """A cell as plain text, not yet made safe for any format."""
    if entry is None:
        return "-"
    if isinstance(entry, Number):
        return entry.text
    return f"{entry:,}" if isinstance(entry, int) else entry


def without_empty_columns(table: Table, keep: Sequence[str]) -> Table:
    """The table without columns that hold nothing in any row, but for those to keep."""
    rows = (*table.rows, *table.published)
    columns = [
        index for index, name in enumerate(table.header) if name in keep or any(row[index] is not None for row in rows)
    ]

    def pick(row: Sequence[Entry]) -> tuple[Entry, ...]:
        return tuple(row[index] for index in columns)

    header = tuple(table.header[index] for index in columns)
    rows_left, published = tuple(map(pick, table.rows)), tuple(map(pick, table.published))
    return Table(table.key, table.title, header, rows_left, published, table.notes, table.made_by)


def _is_word(entry: Entry) -> bool:
    return isinstance(entry, str) and not re.match(r"[<+-]?\d", entry)


def _ends(metric: str, interval: Interval | None) -> tuple[float | None, float | None]:
    if interval is None:
        return None, None
    return METRICS[metric].shown(interval.low), METRICS[metric].shown(interval.high)
