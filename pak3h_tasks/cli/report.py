"""`pak3h report`: tables, data or a page from finished runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pak3h_tasks.cli.parser import command_parser
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.extras import pip_install
from pak3h_tasks.files import write_text
from pak3h_tasks.text.escape import one_line

if TYPE_CHECKING:
    from pak3h_tasks.report.model import Report
    from pak3h_tasks.report.table import Table

FORMATS = ("table", "json", "csv", "markdown", "latex")
_SUFFIXES = {".txt": "table", ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".html": "html"}


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pak3h report",
        "Tables of finished runs: every value with a 95 % interval, items and coverage, by language and split; the\n"
        "gap between English and Urdu paired by item; the paper's figures beside yours. Reads what lm_eval wrote\n"
        "with --output_path and --log_samples, and what pak3h score and pak3h moderate wrote.",
        "pak3h report runs\npak3h report runs/org__model -o report.html\npak3h report runs --format latex > tables.tex"
        "\npak3h report runs --figures figures\npak3h report runs --paper -o paper/",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="RUN_DIR", help="folder of runs, or files of them")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help=f"a file; its ending says what: {' '.join(_SUFFIXES)}"
    )
    parser.add_argument("--format", choices=FORMATS, help="what to print or write (default: table)")
    parser.add_argument(
        "--figures", type=Path, metavar="DIR", help="also write the paper's Figures 2-4 of your models: svg, pdf, png"
    )
    parser.add_argument(
        "--paper", action="store_true", help="all tables and figures under the paper's numbers, into the folder of -o"
    )
    parser.add_argument("--by-run", action="store_true", help="each run by itself, also where a model has several")
    parser.add_argument(
        "--data", metavar="SOURCE", help="the data that was moderated, for texts of pairs in the page (PAK3H_DATA)"
    )
    parser.add_argument("--no-length-control", action="store_true", help="leave out length-controlled win rates")
    return parser


def main(argv: Sequence[str]) -> int:
    """Print or write a report."""
    arguments = _parser().parse_args(argv)
    if arguments.paper and (
        arguments.output is None or arguments.format or arguments.output.suffix.lower() in {*_SUFFIXES, ".pdf"}
    ):
        raise SettingsError(
            "--paper: give -o and a folder, and no --format; it writes Markdown, LaTeX, CSV and figures"
        )
    form = "paper" if arguments.paper else output_format(arguments.output, arguments.format)
    from pak3h_tasks.data.sources import parse_source
    from pak3h_tasks.report.build import load, report_of
    from pak3h_tasks.report.scores import Options
    from pak3h_tasks.settings import Settings

    inputs = load(arguments.paths, by_run=arguments.by_run)
    settings = Settings.from_environment(data=arguments.data)
    if arguments.data:
        parse_source(arguments.data)  # before the long work, and where nothing was moderated, too
    threshold = settings.classifier_threshold  # as in `pak3h moderate`
    report = report_of(inputs, Options(length_controlled=not arguments.no_length_control, threshold=threshold))
    tell(report.notices)
    if arguments.figures:
        _put_figures(report, arguments.figures)
    if form == "paper":
        from pak3h_tasks.report.paper import write_paper

        missing, has_typst = write_paper(report, arguments.output)
        print(f"written: {arguments.output / 'README.md'}, and what it links to", file=sys.stderr)
        tell([f"missing: {line}" for line in missing] + ([] if has_typst else [_no_typst()]))
        return 0
    if form == "html":
        from pak3h_tasks.report.page.pair_samples import pair_logs
        from pak3h_tasks.report.page.report_page import report_page

        pairs = pair_logs(inputs.moderated, settings.data, lambda notice: tell([notice]), threshold)
        put(report_page(report, inputs.systems, pairs=pairs), arguments.output)
        return 0
    from pak3h_tasks.report import render_data
    from pak3h_tasks.report.study_tables import study_tables
    from pak3h_tasks.report.tables import tables

    text = output_text(
        form,
        lambda: [*tables(report, long=form != "table"), *study_tables(report, long=form != "table")],
        report.notices,
        content=lambda: render_data.report_content(report),
        csv=lambda: render_data.as_csv(report),
        to_file=arguments.output is not None,
    )
    put(text, arguments.output)
    return 0


def _put_figures(report: Report, folder: Path) -> None:
    from pak3h_tasks.report.page.figure_files import write_figures
    from pak3h_tasks.report.page.paper_figures import paper_figures

    written, has_typst = write_figures(paper_figures(report), folder)
    if not written:
        tell(["no figures: these runs have nothing of PakAlpaca or PakTruthfulQA with a value"])
        return
    print(f"written: {', '.join(str(path) for path in written)}", file=sys.stderr)
    if not has_typst:
        tell([_no_typst()])


def _no_typst() -> str:
    return f"figures are SVG only; for PDF and PNG: {pip_install('figures')}"


def put(text: str, output: Path | None) -> None:
    """Print a text, or write it and say where."""
    text = text if text.endswith("\n") else f"{text}\n"
    if output is None:
        print(text, end="")
    else:
        write_text(output, text, "give another -o")
        print(f"written: {output}", file=sys.stderr)


def tell(notices: Sequence[str]) -> None:
    """What the reader must know, to stderr."""
    for notice in notices:
        print(f"pak3h: note: {one_line(notice, limit=600)}", file=sys.stderr)


def output_format(output: Path | None, given: str | None, *, page: bool = True) -> str:
    """The format asked for by --format, else by the output's ending, else table; asked before a long work.

    Args:
        output: The file to write; None: stdout.
        given: --format.
        page: Whether the command can make a page.

    Raises:
        SettingsError: The ending says nothing and no format is given, or the two contradict each other, or there is no
            place for the file.
    """
    if output is None:
        return given or "table"
    by_suffix = _SUFFIXES.get(output.suffix.lower())
    endings = [suffix for suffix, form in _SUFFIXES.items() if page or form != "html"]
    if by_suffix == "html" and not page:
        raise SettingsError(f"-o {output}: a comparison has no page; give a file ending in {', '.join(endings)}")
    if by_suffix is None and given is None:
        raise SettingsError(f"-o {output}: give a file ending in {', '.join(endings)}, or --format")
    if output.is_dir():
        raise SettingsError(f"-o {output}: cannot be written (it is a folder); give a file in it")
    if not output.parent.is_dir():
        raise SettingsError(f"-o {output}: cannot be written (no folder {output.parent}); make it, or give another -o")
    if by_suffix == "html" and given is not None:
        raise SettingsError(f"-o {output}: a page has no --format; leave out one of the two")
    return given or str(by_suffix)


def output_text(
    form: str,
    tables: Callable[[], Sequence[Table]],
    notices: Sequence[str],
    *,
    content: Callable[[], Any],
    csv: Callable[[], str],
    to_file: bool,
) -> str:
    """What a command prints or writes in the form asked for.

    Args:
        form: table, markdown, latex, json or csv.
        tables: Makes the tables.
        notices: Lines the reader must know.
        content: Makes what JSON holds.
        csv: Makes the CSV.
        to_file: Whether it goes to a file; on a terminal stderr has said the notices.
    """
    from pak3h_tasks.report.render_tables import rendered
    from pak3h_tasks.text.escape import json_text

    if form == "json":
        return json_text(content())
    if form == "csv":
        return csv()
    return rendered(tables(), form, notices if to_file or form != "table" else ()) or "no values"
