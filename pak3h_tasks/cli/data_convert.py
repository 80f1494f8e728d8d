"""`pak3h data convert`: other layouts to our files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from pak3h_tasks.cli.table import table
from pak3h_tasks.data.convert import Recipe, convert
from pak3h_tasks.data.load import load_file, split
from pak3h_tasks.data.write_items import target_path, write_items
from pak3h_tasks.errors import DataError, SettingsError
from pak3h_tasks.schema import SPLITS, parse_localization
from pak3h_tasks.text.escape import printable, quoted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``pak3h data convert``, but --dataset, --lang and --format."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the source file")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="data folder to write to")
    parser.add_argument(
        "--map", action="append", default=[], metavar="OURS=THEIRS", help="our field = their column; repeatable"
    )
    parser.add_argument(
        "--localization",
        metavar="dt|lc|li",
        help="label of items whose row has none (a column: --map localization=COLUMN)",
    )
    parser.add_argument(
        "--pair-with", type=Path, metavar="FILE", help="our JSONL of the same items in another language"
    )
    parser.add_argument(
        "--pair-on", action="append", default=[], metavar="OURS=THEIRS",
        help="field of --pair-with = column of FILE with the same text; repeatable; default: by position",
    )  # fmt: skip
    parser.add_argument(
        "--separator",
        metavar="TEXT",
        help="between answers in one cell; default: ; or \N{ARABIC SEMICOLON}, as the cells have it",
    )
    parser.add_argument("--skip-faulty", action="store_true", help="leave faulty rows out instead of stopping")
    parser.add_argument("--force", action="store_true", help="replace a file that is there")


def run(args: argparse.Namespace) -> int:
    """Convert, write, read back what was written, and print what is in it."""
    label = parse_localization(args.localization)
    localization = next((one for one in SPLITS if one == label), None)
    if args.localization is not None and localization is None:
        raise SettingsError(f"--localization {printable(args.localization)}: use dt, lc or li")
    if args.separator == "":
        raise SettingsError("--separator is empty; give the text between answers, such as ;")
    if args.dataset:
        target_path(args.out, args.dataset, args.lang, force=args.force)
    recipe = Recipe(
        lang=args.lang,
        dataset=args.dataset,
        mapping=_pairs("--map", args.map),
        localization=localization,
        pair_with=args.pair_with,
        pair_on=_pairs("--pair-on", args.pair_on),
        separator=args.separator,
        skip_faulty=args.skip_faulty,
    )
    converted = convert(args.file, recipe)
    path = target_path(args.out, converted.dataset, args.lang, force=args.force)
    write_items(converted.items, path)
    written = load_file(path, converted.dataset, args.lang)
    if written.items != converted.items:
        raise DataError(f"{quoted(str(path), 300)} does not read back as it was written; please report this")
    counts: dict[str, object] = {name: len(split(written.items, name)) for name in SPLITS}
    report: dict[str, object] = {
        "file": str(path),
        "items": len(written.items),
        **counts,
        "fingerprint": written.fingerprint,
    }
    if args.format == "json":
        notes = {"notes": list(converted.notes), "warnings": list(written.warnings)}
        print(json.dumps({**report, **notes}, ensure_ascii=False, indent=2))
    else:
        print(table(list(report), [list(report.values())]))
    for note in converted.notes:
        print(f"pak3h: note: {printable(note)}", file=sys.stderr)
    for warning in written.warnings:
        print(f"pak3h: warning: {printable(warning)}", file=sys.stderr)
    return 0


def _pairs(flag: str, given: Iterable[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given:
        ours, equals, theirs = text.partition("=")
        if not equals or not ours:
            raise SettingsError(f"{flag} {printable(text)}: write it as OURS=THEIRS")
        if ours in pairs:
            raise SettingsError(f"{flag} {printable(ours)} is given twice; keep one")
        pairs[ours] = theirs
    return pairs
