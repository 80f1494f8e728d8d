"""Geometry of dot charts: rows of dots with 95 % whiskers, a lane a language; templates/chart.html.j2 draws them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.page.names import LANG_NAMES
from pak3h_tasks.results import Score

WIDTH = 460
_LANE, _ROW_PAD, _TOP, _BOTTOM, _GAP = 9, 9, 22, 22, 10
_LETTER, _MAX_LABEL, _NUMBER = 6.2, 26, 40
# end of an axis -> into how many parts it goes
_CEILINGS = {1: 5, 2: 4, 5: 5, 10: 5, 20: 4, 30: 3, 40: 4, 50: 5, 60: 3, 80: 4, 100: 5}


@dataclass(frozen=True)
class Value:
    """A value of one language in the unit shown, with its interval and number of items."""

    value: float
    low: float | None
    high: float | None
    n: int

    @property
    def text(self) -> str:
        """For tooltips and text alternatives.

        Example:
            >>> Value(50.62, 47.18, 54.03, 817).text, Value(3, None, None, 1).text
            ('50.6 (47.2 to 54.0), n = 817', '3.0, n = 1')
        """
        interval = f" ({self.low:.1f} to {self.high:.1f})" if self.low is not None and self.high is not None else ""
        return f"{self.value:.1f}{interval}, n = {self.n:,}"


def value_of(score: Score) -> Value:
    """A score as charts show it; it must have a value."""
    shown = METRICS[score.name].shown
    low, high = (shown(score.interval.low), shown(score.interval.high)) if score.interval else (None, None)
    return Value(shown(score.value or 0.0), low, high, score.n_scored)


@dataclass(frozen=True)
class Mark:
    """A dot with its whisker, and the number at the right edge; x and y in chart units."""

    lang: str
    x: float
    y: float
    low: float | None
    high: float | None
    tip: str
    number: str
    number_x: float


@dataclass(frozen=True)
class ChartRow:
    """A label, on one line or two, with its dots."""

    label: str
    lines: tuple[str, ...]
    y: float
    height: float
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Chart:
    """A chart ready to draw.

    Attributes:
        title: What it is of: a model.
        description: Its values in words, for those who do not see it.
        rows: Top to bottom.
        ticks: (x, label) of the grid lines.
        heads: (x, language) of the columns of numbers.
        left: Where the plot begins.
        right: Where it ends.
        height: Of the whole; the width is `WIDTH`.
        bottom: Where the plot ends.
    """

    title: str
    description: str
    rows: tuple[ChartRow, ...]
    ticks: tuple[tuple[float, str], ...]
    heads: tuple[tuple[float, str], ...]
    left: float
    right: float
    height: float
    bottom: float
    width: int = WIDTH
    top: int = _TOP


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
    longest = max((len(line) for label in values for line in _lines(label)), default=0)
    left = longest * _LETTER + _GAP
    right = WIDTH - _NUMBER * len(langs) - _GAP
    columns = {lang: WIDTH - _NUMBER * (len(langs) - 1 - place) for place, lang in enumerate(langs)}

    def x(value: float) -> float:
        return round(left + min(max(value / end, 0), 1) * (right - left), 1)

    height = _ROW_PAD + _LANE * len(langs)
    rows = []
    for number, (label, by_lang) in enumerate(values.items()):
        top = _TOP + number * height
        marks = [
            Mark(
                lang=lang,
                x=x(found.value),
                y=top + _ROW_PAD / 2 + _LANE * (place + 0.5),
                low=None if found.low is None else x(found.low),
                high=None if found.high is None else x(found.high),
                tip=f"{label}, {LANG_NAMES.get(lang, lang)}: {found.text}",
                number=f"{found.value:.1f}",
                number_x=columns[lang],
            )
            for place, lang in enumerate(langs)
            if (found := by_lang.get(lang)) is not None
        ]
        rows.append(ChartRow(label, _lines(label), top, height, tuple(marks)))
    bottom = _TOP + len(rows) * height
    parts = _CEILINGS.get(int(end), 4)
    return Chart(
        title=title,
        description=_description(values, langs),
        rows=tuple(rows),
        ticks=tuple((x(end * part / parts), f"{end * part / parts:g}") for part in range(parts + 1)),
        heads=tuple((columns[lang], lang) for lang in langs),
        left=left,
        right=right,
        height=bottom + _BOTTOM,
        bottom=bottom,
    )


def _lines(label: str) -> tuple[str, ...]:
    lines = textwrap.wrap(label[:200], _MAX_LABEL, max_lines=2, placeholder="…")
    return tuple(lines) or ("",)


def _description(values: Mapping[str, Mapping[str, Value]], langs: Sequence[str]) -> str:
    return ". ".join(
        f"{label}: "
        + "; ".join(f"{LANG_NAMES.get(lang, lang)} {by_lang[lang].text}" for lang in langs if lang in by_lang)
        for label, by_lang in values.items()
    )
