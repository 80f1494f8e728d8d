"""The report page: summary, tables and charts by quality, every sample, every number, how each was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pak3h_tasks.data.load import SAMPLE_NOTICE
from pak3h_tasks.report.model import Report
from pak3h_tasks.report.names import LANG_NAMES, QUALITIES
from pak3h_tasks.report.page.compressed import compressed
from pak3h_tasks.report.page.figures import Figure, figures
from pak3h_tasks.report.page.numbers import number_rows
from pak3h_tasks.report.page.pair_samples import PairLog
from pak3h_tasks.report.page.paper_figures import paper_figures
from pak3h_tasks.report.page.provenance import is_sample, sources_by_model, summary_lines
from pak3h_tasks.report.page.render import render
from pak3h_tasks.report.page.samples import MAX_PACKED_BYTES, sample_blocks
from pak3h_tasks.report.page.summary import cards
from pak3h_tasks.report.run_choice import LoadedSystem
from pak3h_tasks.report.study_tables import study_tables
from pak3h_tasks.report.table import Table
from pak3h_tasks.report.tables import tables
from pak3h_tasks.text.escape import one_line

_SCRIPTS = (
    *("text.js", "sort_rows.js", "sort.js", "unpack.js", "listing.js"),
    *("sample.js", "samples.js", "numbers.js", "page.js"),
)
_SECTION_OF = {"harms": "beavertails", "topics": "truthfulqa", "gap": "languages", "edited": "languages"}
_SECTION_OF |= dict.fromkeys(("data", "kappa", "setup", "settings"), "study")
_OF_PREFIX = {"honesty": "truthfulqa", "helpfulness": "alpaca", "harmlessness": "beavertails"}
_FOLDED = ("harms", "topics", "splits")  # last words of keys: a chart shows the same


@dataclass(frozen=True)
class Section:
    """Tables and charts of one quality, or of the languages."""

    key: str
    title: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    folded: tuple[Table, ...]


def report_page(
    report: Report,
    systems: Sequence[LoadedSystem],
    sample_bytes: int = MAX_PACKED_BYTES,
    pairs: Sequence[PairLog] = (),
    home: str = "",
) -> str:
    """The page as HTML; write it as UTF-8.

    Args:
        report: What `report_of` made of the systems.
        systems: The same models, for their samples; empty: no sample browser.
        sample_bytes: Most that the samples may take; items are drawn where all would take more.
        pairs: Moderated pairs with their texts, for the sample browser.
        home: Relative link to the leaderboard that this page belongs to; "": it stands alone.
    """
    # models without what tells their runs apart, and what is no run: a data set's own pairs
    labels = {system.label for system in report.systems}
    others = (cell.place.system for cell in report.cells if cell.place.system not in labels)
    names = list(dict.fromkeys([*(system.model for system in report.systems), *others]))
    context = {
        "title": f"Pak3H report: {', '.join(one_line(name, 60) for name in names[:3])}",
        "names": names,
        "home": home,
        "report": report,
        "notices": [notice for notice in report.notices if notice != SAMPLE_NOTICE],
        "sample_notice": SAMPLE_NOTICE if is_sample(report) else "",
        "summary_lines": summary_lines(report),
        "cards": cards(report),
        "sections": sections(report),
        "blocks": sample_blocks(systems, sample_bytes, pairs=pairs),
        "numbers": compressed(number_rows(report)),
        "sources": sources_by_model(report),
        "lang_names": LANG_NAMES,
    }
    return render("report.html.j2", context, _SCRIPTS)


def sections(report: Report) -> list[Section]:
    """Tables and charts, sorted to where they belong."""
    drawn = [*paper_figures(report), *figures(report)]
    found = [*tables(report), *study_tables(report)]
    titles = {**QUALITIES, "languages": "Languages compared", "study": "Data, judges and settings"}
    made = []
    for key, title in titles.items():
        own = [table for table in found if _section_of(table) == key]
        charts = tuple(figure for figure in drawn if figure.dataset == key)
        folded = tuple(table for table in own if charts and table.key.endswith(_FOLDED))
        made.append(Section(key, title, tuple(table for table in own if table not in folded), charts, folded))
    return [section for section in made if section.tables or section.figures or section.folded]


def _section_of(table: Table) -> str:
    return _SECTION_OF.get(table.key) or _OF_PREFIX.get(table.key.partition("-")[0], "languages")
