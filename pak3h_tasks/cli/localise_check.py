"""`pak3h localise check`: what a reviewer must look at, as a sheet with reasons; refuses self-review."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from pak3h_tasks.cli.table import table
from pak3h_tasks.data.load import load
from pak3h_tasks.errors import DataError, SettingsError
from pak3h_tasks.files import unusable
from pak3h_tasks.localise.check import REASONS, Checks, find, write_findings
from pak3h_tasks.localise.edits import read_edits
from pak3h_tasks.localise.outputs import refuse_existing
from pak3h_tasks.localise.quality_checks import dictionary_of, names_of
from pak3h_tasks.localise.workspace import Workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``pak3h localise check``, but the shared ones."""
    parser.add_argument("sheets", nargs="+", type=Path, metavar="SHEET", help="edited drafts, finished or not")
    parser.add_argument(
        "--dictionary", type=Path, metavar="FILE", help="known words, one a line, Urdu and Latin; others are reported"
    )
    parser.add_argument(
        "--names", type=Path, metavar="FILE", help="names that should not be left, one a line, in either script"
    )
    parser.add_argument(
        "--length-factor", type=float, default=2.5, metavar="X", help="times longer or shorter than usual; default: 2.5"
    )


def run(args: argparse.Namespace) -> int:
    """Write the findings and print how many there are of each kind."""
    if not args.length_factor > 1:
        raise SettingsError(f"--length-factor {args.length_factor}: give more than 1")
    workspace = Workspace(args.work, args.dataset)
    sheets = [workspace.folder / f"findings.{suffix}" for suffix in args.formats]
    refuse_existing(sheets, force=args.force)
    workspace.need("urmt.jsonl", "translate")
    dictionary = dictionary_of(_lines(args.dictionary))
    if args.dictionary and not dictionary:
        raise DataError(f"{args.dictionary}: holds no word; give one word a line")
    english, drafts = (load(args.dataset, lang, str(args.work)).items for lang in ("en", "urmt"))
    edits = read_edits(args.sheets, args.dataset, english)
    checks = Checks(
        dictionary=dictionary,
        names=names_of(_lines(args.names)),
        length_factor=args.length_factor,
    )
    found = find(args.dataset, list(edits.values()), {item.id: item.model_dump() for item in drafts}, checks)
    for path in sheets:
        write_findings(path, args.dataset, found, force=args.force)
    counts = Counter(finding.reason for finding in found)
    if args.format == "json":
        print(json.dumps({"items": len(edits), "findings": counts, "sheets": [str(path) for path in sheets]}))
    else:
        rows = [[counts[reason], meaning] for reason, meaning in REASONS.items() if counts[reason]]
        print(table(["findings", "what"], rows) if rows else f"{len(edits):,} items, nothing to look at")
        print("\n".join(str(path) for path in sheets))
    return 0


def _lines(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8; save it as UTF-8, one word or name a line") from None
    except OSError as error:
        raise DataError(f"{path}: {unusable(error)}") from None
