"""`pak3h localise sample`: draw the English items to localise, seeded, and write one annotation sheet an annotator."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

from pak3h_tasks import __version__
from pak3h_tasks.cli.parser import positive
from pak3h_tasks.cli.table import table
from pak3h_tasks.data.read_xlsx import split_sheet
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.localise.labels import read_english
from pak3h_tasks.localise.sample import MAX_RESPONSES, PAPER_SIZES, draw, write_sample
from pak3h_tasks.localise.workspace import Workspace
from pak3h_tasks.text.escape import quoted

ANNOTATORS = ("annotator1", "annotator2", "annotator3")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``pak3h localise sample``, but the shared ones."""
    parser.add_argument(
        "--source", type=Path, required=True, metavar="FILE", help="English items, as 'pak3h data convert' reads them"
    )
    parser.add_argument(
        "--map", action="append", default=[], metavar="OURS=THEIRS", help="our field = the file's column; repeatable"
    )
    parser.add_argument(
        "--annotators", nargs="+", default=ANNOTATORS, metavar="NAME", help="pseudonyms; default: annotator1 to 3"
    )
    parser.add_argument(
        "--size",
        metavar="N|all",
        help="instructions, prompts or questions to draw; default: the paper's 4500, 3500, all",
    )
    parser.add_argument(
        "--responses", type=positive, default=MAX_RESPONSES, metavar="N", help="most responses a prompt; default: 5"
    )
    parser.add_argument("--seed", type=int, default=0, help="another seed, another sample; default: 0")


def run(args: argparse.Namespace) -> int:
    """Draw, write, and say what was written."""
    names = pseudonyms("--annotators", args.annotators)
    size = _size(args.size, PAPER_SIZES[args.dataset])
    columns = dict(text.partition("=")[::2] for text in args.map)
    english = read_english(args.source, args.dataset, columns)
    items = [item.model_dump(exclude={"localization"}, exclude_none=True) for item in english]
    drawn = draw(args.dataset, items, size=size, responses=args.responses, seed=args.seed)
    note = {
        "source": args.source.name,
        "sha256": hashlib.sha256(split_sheet(args.source)[0].read_bytes()).hexdigest(),
        "size": size,
        "responses": args.responses,
        "seed": args.seed,
        "annotators": names,
        "pak3h": __version__,
    }
    workspace = Workspace(args.work, args.dataset)
    sheets = write_sample(workspace, drawn, annotators=names, formats=args.formats, note=note, force=args.force)
    if args.format == "json":
        print(json.dumps({**note, "read": len(items), "drawn": len(drawn), "sheets": [str(path) for path in sheets]}))
    else:
        print(table(["dataset", "read", "drawn", "sheets"], [[args.dataset, len(items), len(drawn), len(sheets)]]))
        print("\n".join(str(path) for path in sheets))
    return 0


def pseudonyms(flag: str, names: list[str]) -> list[str]:
    """Names that can be files of their own.

    Raises:
        SettingsError: A repeated name, or one that is no file name.
    """
    for name in names:
        if not name.strip() or name.startswith(".") or set(name) & set('/\\:*?"<>|\0'):
            raise SettingsError(f"{flag} {quoted(name)}: a sheet is named after it; use letters, digits, - and _")
    if len({name.casefold() for name in names}) < len(names):
        raise SettingsError(f"{flag}: a name is given twice; every annotator needs their own")
    return list(names)


def _size(given: str | None, default: int | None) -> int | None:
    if given is None:
        return default
    if given == "all":
        return None
    if not given.isdecimal() or int(given) < 1:
        raise SettingsError(f"--size {quoted(given)}: give a number from 1, or all")
    return int(given)
