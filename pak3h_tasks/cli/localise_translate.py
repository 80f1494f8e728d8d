"""`pak3h localise translate`: NLLB-200 into Urdu, field by field; writes en, urmt and the drafts people edit."""

from __future__ import annotations

import argparse
import json
import random
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pak3h_tasks.cli.parser import positive
from pak3h_tasks.cli.table import table
from pak3h_tasks.localise.edits import write_drafts
from pak3h_tasks.localise.labels import labelled, read_english
from pak3h_tasks.localise.nllb import DEFAULT_MODEL, NllbSettings, NllbTranslator
from pak3h_tasks.localise.outputs import refuse_existing, write_json, write_jsonl
from pak3h_tasks.localise.translate import translate_items
from pak3h_tasks.localise.translated_segments import TranslatedSegments
from pak3h_tasks.localise.workspace import Workspace
from pak3h_tasks.text.escape import printable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``pak3h localise translate``, but the shared ones."""
    parser.add_argument("--model", default=DEFAULT_MODEL, metavar="NAME", help=f"default: {DEFAULT_MODEL}")
    parser.add_argument("--revision", metavar="COMMIT", help="of the model on the hub; the one used is noted anyway")
    parser.add_argument("--source-lang", default="eng_Latn", metavar="CODE", help="NLLB code; default: eng_Latn")
    parser.add_argument("--target-lang", default="urd_Arab", metavar="CODE", help="NLLB code; default: urd_Arab")
    parser.add_argument(
        "--beams", type=positive, default=4, metavar="N", help="beam search width, 1: greedy; default: 4"
    )
    parser.add_argument(
        "--max-source-tokens",
        type=positive,
        default=128,
        metavar="N",
        help="split longer texts at sentences; default: 128",
    )
    parser.add_argument(
        "--max-new-tokens",
        type=positive,
        default=256,
        metavar="N",
        help="where an endless translation is cut; default: 256",
    )
    parser.add_argument("--batch-size", type=positive, default=16, metavar="N", help="texts at once; default: 16")
    parser.add_argument("--device", default="auto", help="torch device; default: cuda when there is one")
    parser.add_argument("--dtype", default="auto", help="torch dtype; default: float16 on cuda, else float32")
    parser.add_argument(
        "--subset", type=positive, metavar="N", help="only N items drawn at random, to inspect before the full run"
    )
    parser.add_argument("--restart", action="store_true", help="throw away what an interrupted run has translated")


def run(args: argparse.Namespace) -> int:
    """Translate what is not translated yet, write the files, and say how it went."""
    workspace = Workspace(args.work, args.dataset)
    folder = workspace.folder
    drawn = read_english(workspace.need("items.jsonl", "sample"), args.dataset)
    english = labelled(drawn, workspace.need("labels.csv", "agree"))
    if (local := folder / "contextualised.jsonl").is_file():
        labels = {item.id: item.localization for item in english}
        english = [
            item.model_copy(update={"localization": labels[item.id]}) for item in read_english(local, args.dataset)
        ]
    drafts = [folder / "edit" / f"{'subset' if args.subset else 'draft'}.{suffix}" for suffix in args.formats]
    en, urmt, note = (folder / name for name in ("en.jsonl", "urmt.jsonl", "translation.json"))
    refuse_existing(drafts if args.subset else [*drafts, en, urmt, note], force=args.force)
    if args.subset:
        # what is translated here need not be translated again
        english = random.Random(0).sample(english, min(args.subset, len(english)))
    settings = NllbSettings(
        model=args.model,
        revision=args.revision,
        source=args.source_lang,
        target=args.target_lang,
        beams=args.beams,
        max_source_tokens=args.max_source_tokens,
        max_new_tokens=args.max_new_tokens,
    )
    translator = NllbTranslator(settings, device=args.device, dtype=args.dtype)
    records = [item.model_dump(exclude_none=True) for item in english]
    # With the weights: another model under the same name must not go on where this one stopped.
    made_by = {**settings.to_json(), "weights": translator.weights}
    with TranslatedSegments(folder / "segments.jsonl", made_by, restart=args.restart) as progress:
        done = translate_items(
            args.dataset, records, translator, progress, limit=args.max_source_tokens, batch_size=args.batch_size
        )
    made: dict[str, Any] = {
        **settings.to_json(),
        # A folder's path is nobody else's business.
        "model": settings.model if translator.commit else Path(settings.model).name,
        "commit": translator.commit,
        "pieces": done.pieces,
        "cut": done.cut,
        "untranslated": done.untranslated,
        "versions": {name: version(name) for name in ("torch", "transformers", "tokenizers")},
    }
    write_drafts(drafts, args.dataset, english, done.items, force=args.force)
    if not args.subset:
        write_jsonl(en, records, force=args.force)
        write_jsonl(urmt, done.items, force=args.force)
        write_json(note, made, force=args.force)
    _report(args, made, done.resumed, len(english), drafts)
    return 0


def _report(args: argparse.Namespace, made: dict[str, Any], resumed: int, items: int, drafts: list[Path]) -> None:
    shown = {"dataset": args.dataset, "items": items, "texts": made["pieces"], "resumed": resumed}
    shown |= {"cut": made["cut"], "untranslated": made["untranslated"]}
    if args.format == "json":
        print(json.dumps({**shown, "drafts": [str(path) for path in drafts]}))
    else:
        print(table(list(shown), [list(shown.values())]))
        print("\n".join(str(path) for path in drafts))
    if made["cut"]:
        line = f"{made['cut']:,} texts reached --max-new-tokens {made['max_new_tokens']} and are cut short"
        print(f"pak3h: warning: {line}", file=sys.stderr)
    if made["untranslated"]:
        print(
            f"pak3h: warning: {made['untranslated']:,} texts came back empty and stand in the original", file=sys.stderr
        )
    if made["commit"] and not made["revision"]:
        line = f"used {made['model']} at {made['commit']}; pass --revision {made['commit']} to use the same again"
        print(f"pak3h: note: {printable(line)}", file=sys.stderr)
