"""`pak3h score`: judge answers of a finished run, of a spool, or made elsewhere."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pak3h_tasks.backends.batches.request_files import MOST_LINES
from pak3h_tasks.backends.servers.constrain import FORMS
from pak3h_tasks.cli.parser import command_parser, positive
from pak3h_tasks.cli.table import table
from pak3h_tasks.schema import DATASETS, LANGS, SPLITS
from pak3h_tasks.text.escape import printable

if TYPE_CHECKING:
    from pak3h_tasks.cli.score_job import ScoreJob
    from pak3h_tasks.settings import Settings

EXAMPLE = """pak3h score out/ --judge gpt-4o-mini --dry-run
pak3h score out/ --judge gpt-4o-mini
pak3h score out/ --judge gpt-4o-mini --batch --wait
PAK3H_JUDGE_BASE_URL=http://127.0.0.1:8000/v1 pak3h score out/ --judge my-model
pak3h score out/ --classifier vllm:http://127.0.0.1:8000
pak3h score --outputs answers.json --dataset alpaca --lang ur --judge gpt-4o-mini"""


FORM_HELP = (
    """how replies are held to the labels, where the server cannot be asked (docs/scale.md): none for free replies"""
)


def add_judge_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what says who judges, and how."""
    judge = parser.add_argument_group("judge (default: from the environment)")
    judge.add_argument("--judge", metavar="MODEL", help="judge model, hf:MODEL for a local one, none")
    judge.add_argument("--judge-base-url", metavar="URL", help="OpenAI-compatible server")
    judge.add_argument("--judge-concurrency", type=int, metavar="N", help="requests in flight")
    judge.add_argument("--judge-timeout-s", type=float, metavar="S", help="seconds until a request counts as failed")
    judge.add_argument("--judge-max-tokens", type=int, metavar="N", help="tokens a judge that thinks may use")
    judge.add_argument("--judge-api-version", metavar="DATE", help="of an azure:DEPLOYMENT")
    judge.add_argument("--both-orders", action="store_true", default=None, help="judge every pair in both orders")
    judge.add_argument(
        "--pairwise-prompt", metavar="FILE", help="another prompt for pairs; alpaca-eval: that of the installed package"
    )
    judge.add_argument("--judge-device", metavar="DEVICE", help="torch device of local judges")
    judge.add_argument("--judge-dtype", metavar="DTYPE", help="number format of local judges")
    judge.add_argument(
        "--ti-judge", metavar="MODEL", help="judge of truthful/informative; hf:TRUTH,INFO for local ones"
    )
    judge.add_argument("--ti-references", action="store_true", default=None, help="show it the reference answers")


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pak3h score",
        "Judge the answers in lm_eval's sample logs (--log_samples), in a spool, or made elsewhere (--outputs).\n"
        "Prints lm_eval's table and writes a scored copy of the results beside the original. Replies are cached: a\n"
        "rerun, or one after a kill, pays only for what is missing. Keys come from PAK3H_JUDGE_API_KEY or\n"
        "OPENAI_API_KEY only.",
        EXAMPLE,
    )
    parser.add_argument("runs", nargs="*", metavar="RUN_DIR", help="folders that lm_eval wrote, or files in them")
    parser.add_argument("--dry-run", action="store_true", help="only say what is still to be paid for")
    parser.add_argument(
        "--ask-again", action="store_true", default=None, help="also what a judge refused, or what could not be read"
    )
    parser.add_argument("--format", choices=["table", "json"], default="table", help="default: table")
    add_judge_arguments(parser)
    batch = parser.add_argument_group("batch (half price at OpenAI; within a day)")
    batch.add_argument(
        "--batch",
        action="store_true",
        help="put the questions that the cache lacks into batches, and return; `pak3h batch collect` takes the answers",
    )
    batch.add_argument("--wait", action="store_true", help="wait for them, ask once more what is missing, and score")
    batch.add_argument("--poll-s", type=float, default=60.0, metavar="S", help="seconds between two looks (60)")
    batch.add_argument("--form", choices=[*FORMS, "none"], help=FORM_HELP)
    batch.add_argument("--max-lines", type=positive, default=MOST_LINES, metavar="N", help="questions a file (50,000)")
    classifier = parser.add_argument_group("classifier (default: from the environment)")
    classifier.add_argument("--classifier", metavar="MODEL", help="owner/name@revision, folder, vllm:URL or none")
    classifier.add_argument("--classifier-device", metavar="DEVICE", help="torch device")
    classifier.add_argument("--classifier-tokenizer", metavar="MODEL", help="of a served classifier")
    classifier.add_argument("--classifier-dtype", metavar="DTYPE", help="auto, float32, bfloat16 or float16")
    classifier.add_argument("--classifier-profile", metavar="NAME", help="default, or upstream's encoding")
    classifier.add_argument("--classifier-max-length", type=int, metavar="N", help="tokens a pair may have")
    classifier.add_argument("--classifier-threshold", type=float, metavar="P", help="unsafe above it")
    parser.add_argument("--cache-dir", metavar="DIR", help="where replies are kept (PAK3H_CACHE_DIR)")
    made = parser.add_argument_group("answers made elsewhere")
    made.add_argument(
        "--outputs", type=Path, metavar="FILE", help="table (CSV, XLSX) or JSON list of {id or instruction, output}"
    )
    made.add_argument("--dataset", choices=DATASETS)
    made.add_argument("--lang", choices=LANGS)
    made.add_argument("--split", choices=SPLITS)
    made.add_argument("--model", metavar="NAME", help="who made them (default: their generator, or FILE's name)")
    made.add_argument("--data", metavar="SOURCE", help="folder or hub:owner/name@revision (PAK3H_DATA)")
    made.add_argument("--reference", type=Path, metavar="FILE", help="alpaca: another model's outputs to compare with")
    made.add_argument("--output-path", type=Path, metavar="DIR", help="default: FILE's name with _scored")
    return parser


def main(argv: Sequence[str]) -> int:
    """Score, or say what scoring would cost."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if bool(arguments.runs) == bool(arguments.outputs):
        parser.error("give RUN_DIR, or --outputs FILE")
    if arguments.outputs and not (arguments.dataset and arguments.lang):
        parser.error("--outputs needs --dataset and --lang")
    if arguments.reference and arguments.dataset != "alpaca":
        parser.error("--reference goes with --outputs FILE --dataset alpaca")
    if not all(arguments.runs):
        parser.error("RUN_DIR is empty (an unset variable?); . is this folder")
    if (arguments.wait or arguments.form) and not arguments.batch:
        parser.error("--wait and --form go with --batch")
    settings = settings_of(arguments)
    if arguments.batch and not arguments.dry_run:
        from pak3h_tasks.cli.score_batch import score_by_batch

        return score_by_batch(arguments, settings)
    return _score(arguments, settings)


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The environment's settings, with what the command line says instead."""
    from pak3h_tasks.settings import Settings

    names = set(Settings.model_fields) - {"judge_both_orders"}
    given = {name: value for name, value in vars(arguments).items() if name in names}
    return Settings.from_environment(judge_both_orders=getattr(arguments, "both_orders", None), **given)


def _score(arguments: argparse.Namespace, settings: Settings) -> int:
    from pak3h_tasks.cli.score_batch import refuse_waiting
    from pak3h_tasks.cli.score_job import job_of, open_judges, to_be_asked
    from pak3h_tasks.harness.batches import unsent
    from pak3h_tasks.harness.judges import check_judge, open_judge

    job = job_of(arguments, settings)
    if arguments.dry_run:
        return _say_cost(job, settings, arguments)
    judges, slug = open_judges(job.datasets, settings)
    asked = to_be_asked(job, open_judges(job.datasets, settings, unsent())[0])
    refuse_waiting(job, asked, settings)
    for dataset, judge in judges.items():
        if judge is None:
            continue
        if dataset in asked or dataset == "beavertails":
            check_judge(judge, settings)
        else:  # every answer is there, so no server is needed
            judges[dataset] = open_judge(dataset, settings, unsent())
    return 0 if job.score(judges, slug) else 1


def _say_cost(job: ScoreJob, settings: Settings, arguments: argparse.Namespace) -> int:
    from pak3h_tasks.backends.token_count import TokenCount, token_count
    from pak3h_tasks.cli.score_batch import count_waiting
    from pak3h_tasks.cli.score_job import open_judges
    from pak3h_tasks.harness.batches import unsent
    from pak3h_tasks.harness.rescore import questions

    counts: dict[str, TokenCount] = {}

    def tokens_of(model: str) -> Callable[[str], float]:
        counts[model] = counts.get(model) or token_count(model)
        return counts[model].of

    judges, _ = open_judges(job.datasets, settings, unsent(tokens_of=tokens_of))
    rows = list(job.costs(judges))
    header = ["task", "answers", "cached", "calls", "prompt_tokens", "reply_tokens"]
    numbers = [[n, cost.cached, cost.calls, cost.tokens, cost.reply_tokens] for _, n, cost in rows]
    cells: list[list[object]] = [[task, *row] for (task, _, _), row in zip(rows, numbers, strict=True)]
    if len(cells) > 1:
        cells.append(["all", *map(sum, zip(*numbers, strict=True))])
    if arguments.format == "json":
        print(json.dumps([dict(zip(header, row, strict=True)) for row in cells], ensure_ascii=False, indent=2))
        return 0
    print(table([*header[:-2], "prompt tokens", "reply tokens, at most"], cells))
    for model, count in counts.items():
        print(f"prompt tokens of {printable(model)}: {count.how}", file=sys.stderr)
    if calls := questions(rows).calls:
        files = -(-calls // arguments.max_lines)
        print(
            f"online: {calls:,} requests; with --batch: {calls:,} lines in {files:,} file{'s' * (files > 1)}, at the "
            "provider's price for batches (OpenAI: half)",
            file=sys.stderr,
        )
        served = [dataset for dataset in job.datasets if dataset != "beavertails" and judges[dataset] is not None]
        if waiting := count_waiting(job, served, settings):
            print(f"{waiting:,} of them wait in batches: pak3h batch collect takes the answers", file=sys.stderr)
    return 0
