"""The leaderboard page: many models, one row each, with intervals, ranks that admit ties, and what made each column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pak3h_tasks import __version__
from pak3h_tasks.data.load import SAMPLE_NOTICE
from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.leaderboard import BoardColumn, Leaderboard
from pak3h_tasks.report.names import LANG_NAMES, MEASURE_NAMES, QUALITIES
from pak3h_tasks.report.page.charts import Chart, ceiling, dot_chart, value_of
from pak3h_tasks.report.page.render import render
from pak3h_tasks.report.table import number_of

_SCRIPTS = ("text.js", "sort_rows.js", "sort.js", "board.js")


@dataclass(frozen=True)
class BoardGroup:
    """Neighbouring columns of one measure.

    Attributes:
        quality: Honesty, helpfulness or harmlessness.
        title: The measure.
        better: Which way is good.
        columns: One a language.
        chart: All models in it.
    """

    quality: str
    title: str
    better: str
    columns: tuple[BoardColumn, ...]
    chart: Chart


@dataclass(frozen=True)
class Site:
    """What stands around a board that is the first page of a folder (`pak3h board`).

    Attributes:
        title: Its title.
        pages: Model's label -> relative link to its own page.
        files: Text -> relative link to a file beside it.
        failed: Models whose run failed -> why.
    """

    title: str
    pages: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)


def leaderboard_page(board: Leaderboard, site: Site | None = None) -> str:
    """The page as HTML; write it as UTF-8.

    Args:
        board: The board.
        site: What it links to; None: it stands alone.
    """
    site = site or Site(f"Leaderboard of {len(board.rows)} models")
    notices = [notice for notice in board.notices if notice != SAMPLE_NOTICE]
    context = {
        "title": f"Pak3H: {site.title}",
        "site": site,
        "board": board,
        "groups": groups(board),
        "numbers": [[cell and number_of(cell.score) for cell in row.cells] for row in board.rows],
        "sample_notice": SAMPLE_NOTICE if SAMPLE_NOTICE in board.notices else "",
        "notices": notices,
        "lang_names": LANG_NAMES,
        "package": f"pak3h-tasks {__version__}",
        "partial": any(
            cell and (cell.is_partial or cell.score.n_scored < cell.score.n) for row in board.rows for cell in row.cells
        ),
        "mixed": any(len(column.makings) > 1 for column in board.columns),
    }
    return render("leaderboard.html.j2", context, _SCRIPTS)


def groups(board: Leaderboard) -> list[BoardGroup]:
    """The board's columns by measure, in its order."""
    places: dict[tuple[str, str, str], list[int]] = {}
    for place, column in enumerate(board.columns):
        places.setdefault((column.dataset, column.kind, column.metric), []).append(place)
    found = []
    for (dataset, _, metric), members in places.items():
        values = {}
        for row in board.rows:
            cells = {board.columns[place].lang: row.cells[place] for place in members}
            shown = {
                lang: value_of(cell.score) for lang, cell in cells.items() if cell and cell.score.value is not None
            }
            if shown:
                values[row.system.label] = shown
        langs = tuple(board.columns[place].lang for place in members)
        end = ceiling([max(value.value, value.high or 0) for by_lang in values.values() for value in by_lang.values()])
        better = {True: "higher is better", False: "lower is safer", None: ""}[METRICS[metric].higher_is_better]
        title = MEASURE_NAMES.get(metric, METRICS[metric].title)
        columns = tuple(board.columns[place] for place in members)
        found.append(BoardGroup(QUALITIES[dataset], title, better, columns, dot_chart(title, values, langs, end)))
    return found
