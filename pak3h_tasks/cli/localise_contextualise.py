"""`pak3h localise contextualise`: makes LC and LI items local in English, before translation; sheets out, sheets in."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from pak3h_tasks.cli.table import table
from pak3h_tasks.localise.contextualise import (
    CONTEXTUALISE,
    contextualised,
    people,
    read_adaptations,
    write_adaptation_sheets,
)
from pak3h_tasks.localise.edits import write_drafts
from pak3h_tasks.localise.labels import labelled, read_english
from pak3h_tasks.localise.outputs import refuse_existing, write_json, write_jsonl
from pak3h_tasks.localise.workspace import Workspace
from pak3h_tasks.text.escape import printable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``pak3h localise contextualise``, but the shared ones."""
    parser.add_argument(
        "sheets", nargs="*", type=Path, metavar="SHEET", help="filled-in sheets in order; none: write those to fill in"
    )


def run(args: argparse.Namespace) -> int:
    """Write the sheets; or read them, and write what is to be revised or the finished items."""
    workspace = Workspace(args.work, args.dataset)
    folder = workspace.folder / "contextualise"
    drawn = read_english(workspace.need("items.jsonl", "sample"), args.dataset)
    english = labelled(drawn, workspace.need("labels.csv", "agree"))
    if not args.sheets:
        written = write_adaptation_sheets(folder, args.dataset, english, args.formats, force=args.force)
        _report(args, english, written)
        return 0
    adaptations = read_adaptations(args.sheets, args.dataset, english)
    if flagged := [edit for edit in adaptations.values() if edit.flagged]:
        # every round has a sheet of its own
        number = 1 + len({path.stem for path in folder.glob("revise*")})
        paths = [folder / f"revise{number}.{suffix}" for suffix in args.formats]
        comments = {edit.item.id: f"{edit.reviewer}: {edit.comment}" for edit in flagged}
        write_drafts(
            paths, args.dataset, [edit.item for edit in flagged], [edit.texts for edit in flagged],
            task=CONTEXTUALISE, comments=comments, force=args.force,
        )  # fmt: skip
        line = f"{len(flagged):,} items are to be revised, in {paths[0]}; then give that sheet, too, after the others"
        print(f"pak3h: note: {printable(line)}", file=sys.stderr)
        return 0
    items = contextualised(english, adaptations, args.dataset)
    dropped = {edit.item.id: edit.comment for edit in adaptations.values() if edit.dropped}
    done, note = workspace.folder / "contextualised.jsonl", workspace.folder / "contextualisation.json"
    refuse_existing([done, note], force=args.force)
    write_jsonl(done, [item.model_dump(exclude_none=True) for item in items], force=args.force)
    write_json(note, {"people": people(adaptations), "dropped": dropped}, force=args.force)
    _report(args, items, [done])
    return 0


def _report(args: argparse.Namespace, items: list[Any], written: list[Path]) -> None:
    counts = Counter(item.localization for item in items)
    shown = {"dataset": args.dataset, **{name.upper(): counts[name] for name in ("dt", "lc", "li")}}
    if args.format == "json":
        print(json.dumps({**shown, "files": [str(path) for path in written]}))
    else:
        print(table(list(shown), [list(shown.values())]))
        print("\n".join(str(path) for path in written))
