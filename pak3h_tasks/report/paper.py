"""The paper in one folder: tables and figures under its numbers, yours beside the published, and what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pak3h_tasks.files import write_text
from pak3h_tasks.metrics.registry import HELPFULNESS, HONESTY, MC, PAIRS, Task
from pak3h_tasks.report.model import ALL, Report
from pak3h_tasks.report.names import DATASET_NAMES, LANG_NAMES, data_title
from pak3h_tasks.report.page.figure_files import write_figures
from pak3h_tasks.report.page.paper_figures import paper_figures
from pak3h_tasks.report.published import published_data, published_setup
from pak3h_tasks.report.render_data import table_csv
from pak3h_tasks.report.render_tables import as_latex, as_markdown
from pak3h_tasks.report.signatures import judges_of
from pak3h_tasks.report.study_tables import study_tables
from pak3h_tasks.report.table import Table
from pak3h_tasks.report.tables import tables
from pak3h_tasks.text.escape import markdown

# key of a table -> what the paper calls it, and the name of its files
_NUMBERS = {
    "data": ("Table 1", "table-1"),
    "setup": ("Table 2", "table-2"),
    "harmlessness-pairs": ("Table 3", "table-3"),
    "honesty": ("Table 4", "table-4"),
    "edited": ("Table 5", "table-5"),
    "kappa": ("Table 6", "table-6"),
    "helpfulness-splits": ("Table 7", "table-7"),
    "settings": ("Table 8", "table-8"),
    "honesty-mc": ("Section 5.3, multiple choice", "section-5.3-mc"),
    "honesty-overlap": ("Section 5.3, overlap", "section-5.3-overlap"),
    "gap": ("Tests of the gap", "tests"),
    "figure-2": ("Figure 2", "figure-2"),
    "figure-3": ("Figure 3", "figure-3"),
    "figure-4": ("Figure 4", "figure-4"),
}
_NOT_FROM_RUNS = (
    "Figure 1 shows the pipeline. Figure 5, the distribution of labels, is what `pak3h localise agree` prints. Figures "
    "6 to 9 are example items: choose yours in the sample browser of `pak3h report RUNS -o report.html`; --data DATA "
    "adds the moderated pairs."
)


@dataclass(frozen=True)
class _Need:
    """What a table or figure of the paper needs a value of, in which languages."""

    of: str
    task: Task
    metric: str
    langs: tuple[str, ...]


_NEEDS = (
    _Need("Table 3", PAIRS, "unsafe_rate", ("en", "ur")),
    _Need("Table 4 and Figure 3", HONESTY, "ti", ("en", "ur")),
    _Need("Table 5", HONESTY, "ti", ("ur", "urmt")),
    _Need("Table 5", HELPFULNESS, "discrete_win_rate", ("ur", "urmt")),
    _Need("Table 5", PAIRS, "unsafe_rate", ("ur", "urmt")),
    _Need("Table 7 and Figure 2", HELPFULNESS, "discrete_win_rate", ("en", "ur")),
    _Need("Figure 4", MC, "mc1", ("en", "ur")),
    _Need("Figure 4", HONESTY, "bleu_official_max_raw", ("en", "ur")),
)
_HOW = {
    PAIRS: "pak3h moderate",
    MC: "lm_eval with a model that gives log-likelihoods",
    HONESTY: "lm_eval, then pak3h score; or pak3h score --outputs",
    HELPFULNESS: "lm_eval, then pak3h score; or pak3h score --outputs",
}


def write_paper(report: Report, folder: Path) -> tuple[list[str], bool]:
    """Write ``README.md``, each table as Markdown, LaTeX and CSV, and each figure as SVG, PDF and PNG.

    Args:
        report: The report.
        folder: Made when needed; files of the same names are replaced.

    Returns:
        What is missing to complete the paper, a line each, and whether typst is installed (else figures are SVG only).

    Raises:
        DataError: It cannot be written.
    """
    figures = paper_figures(report)
    written, has_typst = write_figures(figures, folder)
    found = [*tables(report), *study_tables(report), *(figure.table for figure in figures if figure.table)]
    by_key = {table.key: _numbered(table) for table in found if table.key in _NUMBERS}
    missing = list(missing_parts(report))
    lines = ["# The tables and figures of Pak3H (arXiv 2608.30065) for your runs", ""]
    lines += [f"{report.package}, {report.created}", ""]
    if report.notices:
        lines += ["## What to know about these runs", "", *(f"- {markdown(line, 1000)}" for line in report.notices), ""]
    lines += [
        "## Missing",
        "",
        *(f"- {markdown(line, 1000)}" for line in missing or ["nothing"]),
        "",
        _NOT_FROM_RUNS,
        "",
    ]
    for key, (title, name) in _NUMBERS.items():
        if (table := by_key.get(key)) is None:
            continue
        files = {".md": as_markdown([table]), ".tex": as_latex([table]), ".csv": table_csv(table)}
        for suffix, text in files.items():
            write_text(folder / f"{name}{suffix}", text.rstrip("\n") + "\n", make_folder=True)
        links = [path.name for path in written if path.stem == name] + [f"{name}{suffix}" for suffix in files]
        drawn = [f"![{title}]({name}.svg)", ""] if key.startswith("figure") else []
        lines += [f"## {title}", "", ", ".join(f"[{link}]({link})" for link in links), "", *drawn, files[".md"], ""]
    write_text(folder / "README.md", "\n".join(lines), make_folder=True)
    return missing, has_typst


def _numbered(table: Table) -> Table:
    """The table under the paper's number instead of "as Table 7"."""
    number, _ = _NUMBERS[table.key]
    title = re.sub(r" \(as [^)]*\)|^Figure \d as a table: ", "", table.title)
    return replace(table, title=f"{number}: {title[0].upper()}{title[1:]}")


def missing_parts(report: Report) -> Iterator[str]:
    """What the paper has and the report does not, a line each, with how to add it."""
    wanted_by: dict[str, dict[str, None]] = {}
    for need in _NEEDS:
        for line in _missing(report, need):
            wanted_by.setdefault(line, {})[need.of] = None
    yield from (f"{', '.join(needs)}: {line}" for line, needs in wanted_by.items())
    labelled = {one.dataset for one in report.labelling}
    if without := [DATASET_NAMES[one.dataset] for one in published_data() if one.dataset not in labelled]:
        yield (
            f"Tables 1 and 6: no agreement of the annotators of {', '.join(without)}; give the work folder of pak3h "
            "localise agree beside the runs"
        )
    judges = {judge for system in report.systems for judge in judges_of(system, HONESTY)}
    theirs = {one.judge for one in published_setup() if (one.dataset, one.kind) == HONESTY}
    if 0 < len(judges) < len(theirs):
        yield f"Table 4 and Figure 3: {len(judges)} of {len(theirs)} judges; pak3h score judges the same answers again"


def _missing(report: Report, need: _Need) -> Iterator[str]:
    """Values that are not there, a line each; what several tables need has the same line in all."""
    (total,) = (one.total for one in published_data() if one.dataset == need.task[0])
    scored: dict[str, dict[str, int]] = {}
    for cell in report.cells:
        place = cell.place
        is_whole = place.split == ALL and place.category is None and cell.score.value is not None
        if is_whole and (place.dataset, place.kind, cell.score.name) == (*need.task, need.metric):
            scored.setdefault(place.system, {})[place.lang] = cell.score.n_scored
    what = data_title(*need.task)
    if not scored:
        langs = ", ".join(LANG_NAMES[lang] for lang in need.langs)
        yield f"no value of {what} ({langs}): {_HOW[need.task]}"
    for lang in need.langs:
        if absent := [system for system, langs in scored.items() if lang not in langs]:
            yield f"{what} has no value in {LANG_NAMES[lang]} of {', '.join(absent)}: {_HOW[need.task]}"
        sizes: dict[int, list[str]] = {}
        for system, by_lang in scored.items():
            if (n := by_lang.get(lang, total)) < total:
                sizes.setdefault(n, []).append(system)
        for n, lacking in sorted(sizes.items()):
            rows = "all rows" if len(lacking) == len(scored) else ", ".join(lacking)
            yield f"{what}, {LANG_NAMES[lang]}: {n:,} of {total:,} items scored in {rows}"
