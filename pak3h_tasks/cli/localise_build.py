"""`pak3h localise build`: the finished data folder: ur.jsonl beside en and urmt of the same ids, with a data card."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pak3h_tasks import __version__
from pak3h_tasks.cli.table import table
from pak3h_tasks.data.load import load
from pak3h_tasks.localise.build import build
from pak3h_tasks.localise.card import card, card_markdown, read_profile
from pak3h_tasks.localise.edits import read_edits
from pak3h_tasks.localise.outputs import new_file, refuse_existing, write_json
from pak3h_tasks.localise.workspace import Workspace
from pak3h_tasks.text.escape import printable

NOT_STATED = "not stated"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``pak3h localise build``, but the shared ones."""
    parser.add_argument("sheets", nargs="+", type=Path, metavar="SHEET", help="edited and reviewed drafts")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="data folder; may hold other datasets")
    parser.add_argument("--licence", default=NOT_STATED, metavar="TEXT", help="of the new dataset, such as cc-by-4.0")
    parser.add_argument("--source-name", default=NOT_STATED, metavar="TEXT", help="the English dataset and where it is")
    parser.add_argument("--source-licence", default=NOT_STATED, metavar="TEXT", help="licence of the English dataset")
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="a row a person: gender, region, languages; the card gets counts"
    )


def run(args: argparse.Namespace) -> int:
    """Build, write the card, and print the counts."""
    workspace = Workspace(args.work, args.dataset)
    notes = {
        name: _note(workspace, f"{name}.json", step)
        for name, step in (("sample", "sample"), ("agreement", "agree"), ("translation", "translate"))
    }
    local = workspace.folder / "contextualisation.json"
    contextualisation = json.loads(local.read_text(encoding="utf-8")) if local.is_file() else None
    profile = read_profile(args.profile) if args.profile else None
    card_json, card_md = (args.out / args.dataset / f"card.{suffix}" for suffix in ("json", "md"))
    refuse_existing([card_json, card_md], force=args.force)
    english, drafts = (load(args.dataset, lang, str(args.work)).items for lang in ("en", "urmt"))
    edits = read_edits(args.sheets, args.dataset, english)
    built = build(args.out, args.dataset, english, drafts, edits, force=args.force)
    values = card(
        args.dataset,
        built,
        licences={"licence": args.licence, "source": args.source_name, "source_licence": args.source_licence},
        versions={
            "pak3h-tasks": __version__,
            "python": platform.python_version(),
            **notes["translation"]["versions"],
            **{name: version(name) for name in ("statsmodels",)},
        },
        **notes,
        contextualisation=contextualisation,
        profile=profile,
    )
    write_json(card_json, values, force=args.force)
    with new_file(card_md, force=args.force) as temporary:
        temporary.write_text(card_markdown(values), encoding="utf-8", newline="\n")
    if args.format == "json":
        print(json.dumps(values, ensure_ascii=False, indent=2))
    else:
        shown = {"dataset": args.dataset, **values["counts"]}
        print(table(list(shown), [list(shown.values())]))
        print(card_md)
    for warning in built.warnings:
        print(f"pak3h: warning: {printable(warning)}", file=sys.stderr)
    if NOT_STATED in (args.licence, args.source_name, args.source_licence):
        line = "the card states no licence or source yet; pass --licence, --source-name and --source-licence"
        print(f"pak3h: note: {line}", file=sys.stderr)
    return 0


def _note(workspace: Workspace, name: str, step: str) -> dict[str, Any]:
    note: dict[str, Any] = json.loads(workspace.need(name, step).read_text(encoding="utf-8"))
    return note
