"""Geometry of dot charts: rows of marks with 95 % whiskers, a lane a language; templates/chart.html.j2 draws them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.names import LANG_NAMES
from pak3h_tasks.results import Score

WIDTH = 400
"""So narrow that letters of 12.5 are 11 pixels high on a phone (390 pixels), which shows all of it."""
_LANE, _ROW_PAD, _TOP, _BOTTOM, _GAP = 9.5, 9, 22, 22, 8
_LETTER, _MAX_LABEL, _NUMBER = 6.7, 22, 39
_HEADING, _HEADING_LINE, _LINE_END = 8, 14, 8
# end of an axis -> into how many parts it goes
_CEILINGS = {1: 5, 2: 4, 5: 5, 10: 5, 20: 4, 30: 3, 40: 4, 50: 5, 60: 3, 80: 4, 100: 5}


@dataclass(frozen=True)
class Value:
    """A value of one language in the unit shown, with its interval, number of items and digits after the point."""

    value: float
    low: float | None
    high: float | None
    n: int
    digits: int = 1

    @property
    def number(self) -> str:
        """The value alone."""
        return f"{self.value:.{self.digits}f}"

    @property
    def text(self) -> str:
        """For tooltips and text alternatives.

        Example:
            >>> Value(50.62, 47.18, 54.03, 817).text, Value(3, None, None, 1).text
            ('50.6 (47.2 to 54.0), n = 817', '3.0, n = 1')
        """
        d = self.digits
        interval = f" ({self.low:.{d}f} to {self.high:.{d}f})" if self.low is not None and self.high is not None else ""
        return f"{self.number}{interval}, n = {self.n:,}"


def value_of(score: Score, *, of_one: bool = False) -> Value:
    """A score as charts show it; it must have a value.

    Args:
        score: The score.
        of_one: On a scale from 0 to 1 instead of 0 to 100.
    """
    metric = METRICS[score.name]
    low, high = (score.interval.low, score.interval.high) if score.interval else (None, None)
    value, low, high = (
        None if end is None else metric.shown(end) / (100 if of_one else 1) for end in (score.value or 0.0, low, high)
    )
    return Value(value or 0.0, low, high, score.n_scored, 3 if of_one else 1)


@dataclass(frozen=True)
class Mark:
    """A mark with its whisker, and the number at the right edge; x and y in chart units.

    Attributes:
        lang: Says its shape.
        colour: Its CSS class: ``lang-en``, ``split-dt``.
        hollow: Drawn as an outline.
    """

    lang: str
    x: float
    y: float
    low: float | None
    high: float | None
    tip: str
    number: str
    number_x: float
    colour: str
    hollow: bool = False


@dataclass(frozen=True)
class ChartRow:
    """A label, on one line or two, with its marks; a heading has the numbers of its whole group and no marks."""

    label: str
    lines: tuple[str, ...]
    y: float
    height: float
    marks: tuple[Mark, ...]
    is_heading: bool = False


@dataclass(frozen=True)
class PolyLine:
    """A line through points in chart units (``x,y x,y``).

    Attributes:
        points: Where it goes.
        colour: Its CSS class.
        end: Where the mark of its language stands, so that it is told apart in grey, too; None: it has marks.
        lang: Its language.
        hollow: Whether that mark is an outline.
    """

    points: str
    colour: str
    end: tuple[float, float] | None
    lang: str
    hollow: bool

    @property
    def dashed(self) -> bool:
        """Whether it goes from mark to mark."""
        return self.end is None


@dataclass(frozen=True)
class Chart:
    """A chart ready to draw.

    Attributes:
        title: What it is of: a model, a measure.
        description: Its values in words, for those who do not see it.
        rows: Top to bottom.
        lines: Drawn under the marks.
        ticks: (x, label) of the grid lines.
        heads: (x, language) of the columns of numbers.
        left: Where the plot begins.
        right: Where it ends.
        height: Of the whole; the width is `WIDTH`.
        bottom: Where the plot ends.
        by_language: Whether colours tell languages, so that the columns of numbers have them, too.
    """

    title: str
    description: str
    rows: tuple[ChartRow, ...]
    lines: tuple[PolyLine, ...]
    ticks: tuple[tuple[float, str], ...]
    heads: tuple[tuple[float, str], ...]
    left: float
    right: float
    height: float
    bottom: float
    by_language: bool = True
    width: int = WIDTH
    top: int = _TOP


@dataclass(frozen=True)
class Style:
    """How a chart of groups is drawn.

    Attributes:
        colours: Row label -> CSS class of its marks; else they have their language's colour.
        hollow: Languages whose marks are outlines.
        lines: A solid line at a group's value over all items, a dashed one through its rows, for each language.
    """

    colours: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    hollow: tuple[str, ...] = ()
    lines: bool = False


@dataclass(frozen=True)
class Group:
    """Rows of one model.

    Attributes:
        rows: Row label -> language -> value.
        whole: Language -> value over all items, beside the heading; empty: none.
    """

    rows: Mapping[str, Mapping[str, Value]]
    whole: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))


def ceiling(values: Sequence[float]) -> float:
    """End of an axis that begins at 0 and holds all values.

    Example:
        >>> ceiling([3.2, 41.0]), ceiling([]), ceiling([100.0])
        (50, 100, 100)
    """
    highest = max(values, default=100)
    return next((end for end in _CEILINGS if highest <= end), highest)


def dot_chart(title: str, values: Mapping[str, Mapping[str, Value]], langs: Sequence[str], end: float) -> Chart:
    """A chart of rows.

    Args:
        title: What it is of.
        values: Row label -> language -> value.
        langs: Lanes, top to bottom.
        end: End of the axis, the same for all charts that are compared.
    """
    return grouped_chart(title, {"": Group(values)}, langs, end)


def grouped_chart(
    title: str, groups: Mapping[str, Group], langs: Sequence[str], end: float, style: Style | None = None
) -> Chart:
    """A chart of groups of rows, each under its name.

    Args:
        title: What it is of.
        groups: Name -> rows; a group named "" has no heading.
        langs: Lanes, top to bottom.
        end: End of the axis, the same for all charts that are compared.
        style: How it is drawn; default: by language alone.
    """
    longest = max((len(line) for group in groups.values() for label in group.rows for line in _lines(label)), default=0)
    return _Plot(tuple(langs), end, longest * _LETTER + _GAP, style or Style()).chart(title, groups)


@dataclass(frozen=True)
class _Plot:
    langs: tuple[str, ...]
    end: float
    left: float
    style: Style

    @property
    def right(self) -> float:
        return WIDTH - _NUMBER * len(self.langs) - _GAP

    def chart(self, title: str, groups: Mapping[str, Group]) -> Chart:
        rows: list[ChartRow] = []
        lines: list[PolyLine] = []
        bottom: float = _TOP
        for name, group in groups.items():
            if name:
                rows.append(self.heading(name, group, bottom))
                bottom += rows[-1].height
            own = []
            for label, by_lang in group.rows.items():
                own.append(self.row(name, label, by_lang, bottom))
                bottom += own[-1].height
            rows += own
            if self.style.lines and own:
                lines += self.lines(group, own)
                bottom += _LINE_END
        parts = _CEILINGS.get(int(self.end), 4)
        return Chart(
            title=title,
            description=". ".join(filter(None, (self.described(name, group) for name, group in groups.items()))),
            rows=tuple(rows),
            lines=tuple(lines),
            ticks=tuple((self.x(self.end * part / parts), f"{self.end * part / parts:g}") for part in range(parts + 1)),
            heads=tuple((self.column(lang), lang) for lang in self.langs),
            left=self.left,
            right=self.right,
            height=bottom + _BOTTOM,
            bottom=bottom,
            by_language=not self.style.colours,
        )

    def x(self, value: float) -> float:
        return round(self.left + min(max(value / self.end, 0), 1) * (self.right - self.left), 1)

    def column(self, lang: str) -> float:
        return WIDTH - _NUMBER * (len(self.langs) - 1 - self.langs.index(lang))

    def row(self, group: str, label: str, by_lang: Mapping[str, Value], top: float) -> ChartRow:
        marks = [
            Mark(
                lang=lang,
                x=self.x(found.value),
                y=top + _ROW_PAD / 2 + _LANE * (place + 0.5),
                low=None if found.low is None else self.x(found.low),
                high=None if found.high is None else self.x(found.high),
                tip=f"{group}: {self.told(label, lang, found)}" if group else self.told(label, lang, found),
                number=found.number,
                number_x=self.column(lang),
                colour=self.style.colours.get(label, f"lang-{lang}"),
                hollow=lang in self.style.hollow,
            )
            for place, lang in enumerate(self.langs)
            if (found := by_lang.get(lang)) is not None
        ]
        return ChartRow(label, _lines(label), top, _ROW_PAD + _LANE * len(self.langs), tuple(marks))

    def heading(self, name: str, group: Group, top: float) -> ChartRow:
        letters = int(self.right / _LETTER)
        lines = tuple(textwrap.wrap(name[:300], letters))
        if len(lines) > 2:  # the judge stands at the end
            lines = (f"{name[: letters - 1]}…", name[-letters:])
        height = _HEADING + _HEADING_LINE * len(lines)
        marks = tuple(
            Mark(lang, 0, top, None, None, self.told(f"{name}, all", lang, value), value.number, self.column(lang), "")
            for lang, value in group.whole.items()
            if lang in self.langs
        )
        return ChartRow(name, lines, top, height, marks, is_heading=True)

    def lines(self, group: Group, rows: Sequence[ChartRow]) -> list[PolyLine]:
        top, bottom = rows[0].y, rows[-1].y + rows[-1].height + _LINE_END / 2
        found = []
        for lang in self.langs:
            hollow = lang in self.style.hollow
            if lang in group.whole:
                x = self.x(group.whole[lang].value)
                found.append(PolyLine(f"{x},{top} {x},{bottom}", f"lang-{lang}", (x, bottom), lang, hollow))
            points = [f"{mark.x},{mark.y}" for row in rows for mark in row.marks if mark.lang == lang]
            if len(points) > 1:
                found.append(PolyLine(" ".join(points), f"lang-{lang}", None, lang, hollow))
        return found

    def told(self, label: str, lang: str, value: Value) -> str:
        return f"{label}, {LANG_NAMES.get(lang, lang)}: {value.text}"

    def described(self, name: str, group: Group) -> str:
        rows = {**({"all": group.whole} if group.whole else {}), **group.rows}
        said = ". ".join(
            f"{label}: "
            + "; ".join(f"{LANG_NAMES.get(lang, lang)} {by_lang[lang].text}" for lang in self.langs if lang in by_lang)
            for label, by_lang in rows.items()
        )
        return f"{name}. {said}" if name else said


def _lines(label: str) -> tuple[str, ...]:
    lines = textwrap.wrap(label[:200], _MAX_LABEL, max_lines=2, placeholder="…")
    return tuple(lines) or ("",)
