"""`pak3h agreement draw`: sheets for people to label what a classifier or judge has judged."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pak3h_tasks.cli.localise_sample import pseudonyms
from pak3h_tasks.cli.parser import command_parser, positive
from pak3h_tasks.errors import DataError
from pak3h_tasks.schema import DATASETS

if TYPE_CHECKING:
    from pak3h_tasks.report.agreement_sample import AgreementSample

_Sheet = tuple["AgreementSample", tuple[str, ...], list[dict[str, str]]]
"""What was drawn, the columns of a sheet and its rows."""


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pak3h agreement draw",
        "Draw prompt-response pairs that pak3h moderate has classified, or judged answers of a run, the same in every\n"
        "language, and write a sheet a rater without the verdicts: 300 items, stratified by category and verdict, as\n"
        "in the paper. The last columns take yes or no (unsafe, truthful, informative), or model, reference or tie\n"
        "(preference). What was filled in is read by: pak3h agreement --verdicts FILE --human SHEETS.",
        "pak3h agreement draw pak3h_moderation.jsonl --data data -o labels\n"
        "pak3h agreement draw runs/org__model --dataset truthfulqa -o labels",
    )
    parser.add_argument("verdicts", type=Path, metavar="PATH", help="output of pak3h moderate, or a folder of runs")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="where the sheets go")
    parser.add_argument("--n", type=positive, default=300, help="items a language; default: 300")
    parser.add_argument("--data", metavar="SOURCE", help="the data that was moderated (PAK3H_DATA)")
    parser.add_argument("--dataset", choices=DATASETS, help="of a run: which answers, where several were judged")
    parser.add_argument("--model", metavar="LABEL", help="of runs: whose answers, as pak3h report names it")
    parser.add_argument(
        "--raters", nargs="+", default=["rater1", "rater2", "rater3"], metavar="NAME", help="default: three"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draw; default: 0")
    parser.add_argument("--force", action="store_true", help="replace sheets; the old ones stay as NAME.bak")
    return parser


def main(argv: Sequence[str]) -> int:
    """Write the sheets."""
    arguments = _parser().parse_args(argv)
    from pak3h_tasks.cli.table import table
    from pak3h_tasks.data.moderation_file import is_moderation_file
    from pak3h_tasks.localise.outputs import refuse_existing
    from pak3h_tasks.localise.sheets import write_sheet
    from pak3h_tasks.localise.xlsx import SheetLayout

    drawn, header, rows = (_pairs if is_moderation_file(arguments.verdicts) else _answers)(arguments)
    sheets = [arguments.output / f"{name}.csv" for name in pseudonyms("--raters", arguments.raters)]
    refuse_existing(sheets, force=arguments.force)
    for sheet in sheets:
        write_sheet(sheet, SheetLayout(header), rows, force=arguments.force)
    print(table(["category", *drawn.langs, "drawn", "of"], [[*s, *counts] for s, counts in drawn.strata.items()]))
    print(f"written: {', '.join(map(str, sheets))}", file=sys.stderr)
    if len(drawn.ids) < arguments.n:
        print(f"pak3h: note: there are {len(drawn.ids):,} items; all are in the sheets", file=sys.stderr)
    return 0


def _answers(arguments: argparse.Namespace) -> _Sheet:
    """Judged answers of a run."""
    from pak3h_tasks.cli.report import tell
    from pak3h_tasks.report.build import load
    from pak3h_tasks.report.judged_sample import judged_sample

    inputs = load([arguments.verdicts])
    tell(inputs.notices)
    try:
        found = judged_sample(inputs.systems, arguments.n, arguments.seed, arguments.dataset, arguments.model)
    except DataError as error:
        raise DataError(f"{arguments.verdicts}: {error}") from None
    return found.sample, found.header, list(found.rows)


def _pairs(arguments: argparse.Namespace) -> _Sheet:
    """Pairs of the data, from an output of `pak3h moderate`."""
    from pak3h_tasks.data.load import load
    from pak3h_tasks.data.moderation_file import read_moderation
    from pak3h_tasks.data.moderation_pairs import pairs_of
    from pak3h_tasks.report.agreement_sample import draw
    from pak3h_tasks.settings import Settings

    settings = Settings.from_environment(data=arguments.data)
    records = read_moderation(arguments.verdicts)
    drawn = draw(records, arguments.n, arguments.seed, settings.classifier_threshold)
    rows = []
    for lang in drawn.langs:
        texts = {pair.id: pair for pair in pairs_of(load("beavertails", lang, settings.data))}
        if strange := [identifier for identifier in drawn.ids if identifier not in texts]:
            raise DataError(
                f"{arguments.verdicts}: {len(strange)} pairs are not in the {lang} data, such as {strange[0]}; give "
                "the data that was moderated as --data"
            )
        for identifier in drawn.ids:
            pair = texts[identifier]
            rows.append({"id": identifier, "lang": lang, "prompt": pair.prompt, "response": pair.response})
    return drawn, ("id", "lang", "prompt", "response", "unsafe"), rows
