"""`pak3h localise sample | agree | contextualise | translate | check | build`: the steps that make a dataset."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from pak3h_tasks.cli import (
    localise_agree,
    localise_build,
    localise_check,
    localise_contextualise,
    localise_sample,
    localise_translate,
)
from pak3h_tasks.cli.parser import command_parser, dress
from pak3h_tasks.extras import pip_install
from pak3h_tasks.localise.sheets import FORMATS
from pak3h_tasks.schema import DATASETS

_DESCRIPTION = """\
Make a localised dataset step by step. Each reads what the earlier ones left in the work folder and writes new files;
nothing that people filled in is ever overwritten (--force replaces files, and keeps old sheets as NAME.bak).
docs/localise.md is a worked example."""
_STEPS = (
    (
        "sample",
        localise_sample,
        "draw English items and write annotation sheets",
        "pak3h localise sample --dataset truthfulqa --source TruthfulQA.csv --work work --annotators ali sana zara",
    ),
    (
        "agree",
        localise_agree,
        "majority labels, a second round, agreement",
        """
pak3h localise agree work/truthfulqa/annotate/*.xlsx --work work
pak3h localise agree work/truthfulqa/annotate/*.xlsx --round2 work/truthfulqa/round2/*.xlsx --work work""",
    ),
    (
        "contextualise",
        localise_contextualise,
        "LC and LI items made local in English, before translation",
        """
pak3h localise contextualise --dataset truthfulqa --work work
pak3h localise contextualise work/truthfulqa/contextualise/*.xlsx --dataset truthfulqa --work work""",
    ),
    (
        "translate",
        localise_translate,
        "machine translation: urmt and the drafts for editing",
        "pak3h localise translate --dataset truthfulqa --work work",
    ),
    (
        "check",
        localise_check,
        "what a reviewer must look at",
        "pak3h localise check work/truthfulqa/edit/draft.xlsx --dataset truthfulqa --work work --dictionary words.txt",
    ),
    (
        "build",
        localise_build,
        "the finished data folder with its card",
        "pak3h localise build work/truthfulqa/edit/draft.xlsx --dataset truthfulqa --work work --out data",
    ),
)


def main(argv: Sequence[str]) -> int:
    """Run ``pak3h localise ARGV``."""
    parser = command_parser(
        "pak3h localise", _DESCRIPTION, "\n".join(step[3].strip().splitlines()[0] for step in _STEPS)
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="STEP")
    for name, module, summary, example in _STEPS:
        step = commands.add_parser(name, help=summary, allow_abbrev=False)
        dress(step, _sentence(f"{module.__doc__}"), example)
        module.add_arguments(step)
        if name != "agree":
            step.add_argument("--dataset", choices=DATASETS, required=True, help="which dataset")
        step.add_argument("--work", type=Path, required=name != "agree", metavar="DIR", help="folder the steps share")
        if name != "build":
            step.add_argument(
                "--sheet-format",
                choices=(*FORMATS, "both"),
                help="of the sheets written; default: both, without openpyxl csv",
            )
        step.add_argument("--format", choices=("table", "json"), default="table", help="what stdout gets")
        step.add_argument("--force", action="store_true", help="replace files that are there")
        step.set_defaults(run=module.run)
    args = parser.parse_args(argv)
    if args.command != "build":
        args.formats = _formats(args.sheet_format)
    status: int = args.run(args)
    return status


def _formats(asked: str | None) -> tuple[str, ...]:
    """Of the sheets to write; where nobody asked for XLSX, its absence is said and stops nothing."""
    if asked is None and find_spec("openpyxl") is None:
        print(f"pak3h: note: sheets are CSV only; for XLSX: {pip_install('localise')}", file=sys.stderr)
        return ("csv",)
    return FORMATS if asked in (None, "both") else (asked,)


def _sentence(docstring: str) -> str:
    text = docstring.split(": ", 1)[1]
    return text[0].upper() + text[1:]
