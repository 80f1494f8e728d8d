"""`pak3h publish`: model card, `.eval_results` and Every Eval Ever files from finished runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pak3h_tasks.cli.parser import command_parser

_RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pak3h publish",
        "Files for other people's pages: .eval_results and a model card with a model-index for the model's repository\n"
        "on the hub, and Every Eval Ever records with samples under DIR/data. Values are those of pak3h report.\n"
        "Nothing leaves this machine without --push.",
        "pak3h publish runs/org__model -o published\n"
        "pak3h publish runs -o published --model-id org/model --organisation 'Our lab'\n"
        "pak3h publish runs/org__model -o published --push org/model",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="RUN", help="folder of runs, or files of them")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="folder to write into")
    parser.add_argument("--model-id", default="", metavar="ORG/NAME", help="the model's id, where its runs do not say")
    parser.add_argument("--dataset-id", default="", metavar="ORG/NAME", help="the benchmark's dataset on the hub")
    parser.add_argument("--organisation", default="unknown", metavar="NAME", help="who measured")
    parser.add_argument("--relationship", default="other", choices=_RELATIONSHIPS, help="of who measured to the model")
    parser.add_argument("--url", default="", metavar="URL", help="where the numbers can be looked at")
    parser.add_argument(
        "--with-harmful-texts", action="store_true", help="samples hold PakBeaverTails' prompts and the answers, too"
    )
    parser.add_argument("--force", action="store_true", help="publish sample data and partial runs; the files say so")
    parser.add_argument(
        "--push", metavar="REPO_ID",
        help="upload: a model's repository ORG/NAME gets .eval_results and the card, datasets/ORG/NAME gets data/; "
        "the token is HF_TOKEN",
    )  # fmt: skip
    return parser


def main(argv: Sequence[str]) -> int:
    """Write the files and, where asked to, upload them."""
    arguments = _parser().parse_args(argv)
    from pak3h_tasks.cli.report import tell
    from pak3h_tasks.publish.every_eval_ever import Evaluator
    from pak3h_tasks.publish.publish import Choices, publish

    choices = Choices(
        model_id=arguments.model_id,
        dataset_id=arguments.dataset_id,
        evaluator=Evaluator(arguments.organisation, arguments.relationship, arguments.url),
        with_harmful_texts=arguments.with_harmful_texts,
        force=arguments.force,
    )
    published = publish(
        arguments.paths, arguments.output, choices, tell=lambda path: print(f"written: {path}", file=sys.stderr)
    )
    tell(published.notices)
    if arguments.push:
        from pak3h_tasks.publish.push import push

        push(published, arguments.push, tell=print)
    return 0
