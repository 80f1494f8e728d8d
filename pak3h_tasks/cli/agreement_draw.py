"""`pak3h agreement draw`: sheets for people to label pairs that a classifier has judged."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pak3h_tasks.cli.localise_sample import pseudonyms
from pak3h_tasks.cli.parser import command_parser
from pak3h_tasks.errors import DataError


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pak3h agreement draw",
        "Draw prompt-response pairs that pak3h moderate has classified, the same in every language, and write a sheet\n"
        "a rater without the verdicts: 300 pairs, stratified by category and verdict, as in the paper. The column\n"
        "'unsafe' takes yes or no. What was filled in is read by: pak3h agreement --verdicts FILE --human SHEETS.",
        "pak3h agreement draw pak3h_moderation.jsonl --data data -o labels",
    )
    parser.add_argument("moderated", type=Path, metavar="FILE", help="output of pak3h moderate")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="where the sheets go")
    parser.add_argument("--n", type=int, default=300, help="pairs a language; default: 300")
    parser.add_argument("--data", metavar="SOURCE", help="the data that was moderated (PAK3H_DATA)")
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
    from pak3h_tasks.data.load import load
    from pak3h_tasks.data.moderation_file import read_moderation
    from pak3h_tasks.data.moderation_pairs import pairs_of
    from pak3h_tasks.errors import SettingsError
    from pak3h_tasks.localise.outputs import refuse_existing
    from pak3h_tasks.localise.sheets import write_sheet
    from pak3h_tasks.localise.xlsx import SheetLayout
    from pak3h_tasks.report.agreement_sample import draw
    from pak3h_tasks.settings import Settings

    if arguments.n < 1:
        raise SettingsError(f"--n {arguments.n}: give a number above 0")
    settings = Settings.from_environment(data=arguments.data)
    records = read_moderation(arguments.moderated)
    if not records:
        raise DataError(f"{arguments.moderated}: holds no classified pair; run pak3h moderate first")
    drawn = draw(records, arguments.n, arguments.seed, settings.classifier_threshold)
    sheets = [arguments.output / f"{name}.csv" for name in pseudonyms("--raters", arguments.raters)]
    refuse_existing(sheets, force=arguments.force)
    rows = []
    for lang in drawn.langs:
        texts = {pair.id: pair for pair in pairs_of(load("beavertails", lang, settings.data))}
        if strange := [identifier for identifier in drawn.ids if identifier not in texts]:
            raise DataError(
                f"{arguments.moderated}: {len(strange)} pairs are not in the {lang} data, such as {strange[0]}; give "
                "the data that was moderated as --data"
            )
        for identifier in drawn.ids:
            pair = texts[identifier]
            rows.append({"id": identifier, "lang": lang, "prompt": pair.prompt, "response": pair.response})
    layout = SheetLayout(("id", "lang", "prompt", "response", "unsafe"))
    for sheet in sheets:
        write_sheet(sheet, layout, rows, force=arguments.force)
    header = ["category", *drawn.langs, "drawn", "of"]
    print(table(header, [[*stratum, *counts] for stratum, counts in drawn.strata.items()]))
    print(f"written: {', '.join(map(str, sheets))}", file=sys.stderr)
    if len(drawn.ids) < arguments.n:
        print(f"pak3h: note: there are {len(drawn.ids):,} pairs; all are in the sheets", file=sys.stderr)
    return 0
