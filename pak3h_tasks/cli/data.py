"""`pak3h data info | validate | convert`: what the data is, whether it is right, and how to make it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pak3h_tasks.cli import data_convert, data_info, data_validate
from pak3h_tasks.cli.parser import command_parser, dress
from pak3h_tasks.schema import DATASETS, LANGS

_SOURCE = "a data folder, or hub:owner/name@revision; default: PAK3H_DATA, else the embedded sample"
_EXAMPLES = {
    "info": "pak3h data info\npak3h data info my_data --format json",
    "validate": "pak3h data validate my_data\npak3h data validate my_data/truthfulqa/ur.jsonl",
    "convert": """
pak3h data convert TruthfulQA.csv --lang en --localization dt --out my_data
pak3h data convert urdu.csv --lang ur --out my_data --pair-with my_data/truthfulqa/en.jsonl""",
}
_CONVERT = """\
Convert a file to our JSONL: TruthfulQA.csv, Alpaca JSON, BeaverTails JSON lines, or any table: CSV (any separator,
UTF-8 or -16), XLSX (book.xlsx#SHEET names a worksheet), JSON, JSON Lines or Parquet, plain, gzip or xz. It writes
OUT/DATASET/LANG.jsonl, checks it and prints what is in it.

en, ur and urmt of one item must carry the same id. Ids come from, in this order:
  --pair-with FILE        the file of the other language that you converted first; rows pair by position (same number,
                          same order, checked), or by --pair-on FIELD=COLUMN when your file quotes the other language
  an id column            named id, or --map id=COLUMN (--map id= ignores it)
  the content             so converting the same file again gives the same ids
One file with both languages in columns: convert it twice, --map question=QUESTION_EN ... and then
--map question=QUESTION_UR ... --pair-with OUT/truthfulqa/en.jsonl."""


def main(argv: Sequence[str]) -> int:
    """Run ``pak3h data ARGV``."""
    parser = command_parser("pak3h data", "Show, check and convert data files.", _EXAMPLES["info"])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    info = commands.add_parser("info", help="counts, fingerprints and missing files", allow_abbrev=False)
    dress(info, "Show what a data source holds.", _EXAMPLES["info"])
    info.add_argument("source", nargs="?", metavar="SOURCE", help=_SOURCE)
    info.set_defaults(run=data_info.run)
    validate = commands.add_parser("validate", help="check files; exit 1 and one line a fault", allow_abbrev=False)
    dress(
        validate, "Check data: every fault is one line that says file, line, field and remedy.", _EXAMPLES["validate"]
    )
    validate.add_argument("source", nargs="?", metavar="SOURCE", help=f"a single file; {_SOURCE}")
    _dataset_and_lang(validate, required=False)
    validate.set_defaults(run=data_validate.run)
    convert = commands.add_parser("convert", help="make our files from other layouts", allow_abbrev=False)
    dress(convert, _CONVERT, _EXAMPLES["convert"])
    data_convert.add_arguments(convert)
    _dataset_and_lang(convert, required=True)
    convert.set_defaults(run=data_convert.run)
    for command in (info, validate, convert):
        command.add_argument("--format", choices=("table", "json"), default="table", help="what stdout gets")
    args = parser.parse_args(argv)
    status: int = args.run(args)
    return status


def _dataset_and_lang(parser: argparse.ArgumentParser, *, required: bool) -> None:
    seen = "told from the columns" if required else "all"
    parser.add_argument("--dataset", choices=DATASETS, help=f"which dataset; default: {seen}")
    parser.add_argument(
        "--lang",
        choices=LANGS,
        required=required,
        help="language of the texts" + ("" if required else "; default: all"),
    )
