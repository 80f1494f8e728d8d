"""`pak3h score`: judge answers of a finished run, of a spool, or made elsewhere."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pak3h_tasks.cli.parser import command_parser
from pak3h_tasks.cli.table import table
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.schema import DATASETS, LANGS, SPLITS
from pak3h_tasks.text.escape import finite, printable

if TYPE_CHECKING:
    from pak3h_tasks.harness.rescore import Judges
    from pak3h_tasks.settings import Settings

EXAMPLE = """pak3h score out/ --judge gpt-4o-mini --dry-run
pak3h score out/ --judge gpt-4o-mini
PAK3H_JUDGE_BASE_URL=http://127.0.0.1:8000/v1 pak3h score out/ --judge my-model
pak3h score out/ --classifier vllm:http://127.0.0.1:8000
pak3h score --outputs answers.json --dataset alpaca --lang ur --judge gpt-4o-mini"""


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
    made.add_argument("--outputs", type=Path, metavar="FILE", help="JSON or JSONL list of {id or instruction, output}")
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
    settings = _settings(arguments)
    return _score_outputs(arguments, settings) if arguments.outputs else _score_runs(arguments, settings)


def _settings(arguments: argparse.Namespace) -> Settings:
    from pak3h_tasks.settings import Settings

    names = set(Settings.model_fields) - {"judge_both_orders"}
    given = {name: value for name, value in vars(arguments).items() if name in names}
    return Settings.from_environment(judge_both_orders=arguments.both_orders, **given)


def _judges(datasets: Iterable[str], settings: Settings, *, check: bool) -> tuple[Judges, str]:
    """Judge by dataset, and the slug of their names; none at all only where the user said so."""
    from pak3h_tasks.harness.judges import check_judge, open_judge
    from pak3h_tasks.harness.rescore import slug_of

    judges = {dataset: open_judge(dataset, settings) for dataset in dict.fromkeys(datasets)}
    there = {dataset: judge for dataset, judge in judges.items() if judge is not None}
    if not there and "none" not in (settings.judge, settings.ti_judge, settings.classifier):
        wanted = "--classifier" if set(judges) == {"beavertails"} else "--judge"
        raise SettingsError(
            f"nothing to score {', '.join(judges)} with; give {wanted} (a judge needs OPENAI_API_KEY, "
            f"PAK3H_JUDGE_API_KEY or --judge-base-url), or {wanted} none for the metrics that need none"
        )
    for judge in there.values() if check else ():
        check_judge(judge, settings)
    names = _copy_names(settings)
    return judges, slug_of(dict.fromkeys(names[dataset] for dataset in there)) or "no-judge"


def _copy_names(settings: Settings) -> dict[str, str]:
    """By dataset, the name of a scored copy: the judge, and what else makes other verdicts of the same answers."""
    from pak3h_tasks.backends.servers.address import shown_setting

    references = "-references" if settings.ti_references else ""
    orders = "-both-orders" if settings.judge_both_orders else ""
    prompt = f"-prompt-{Path(settings.pairwise_prompt).stem}" if settings.pairwise_prompt else ""
    profile = f"-{settings.classifier_profile}" if settings.classifier_profile != "default" else ""
    threshold = f"-above-{settings.classifier_threshold:g}" if settings.classifier_threshold != 0.5 else ""
    return {
        "truthfulqa": f"{settings.ti_judge_model}{references}",
        "alpaca": f"{settings.judge_model}{orders}{prompt}",
        "beavertails": f"{shown_setting(settings.classifier)}{profile}{threshold}",
    }


def _score_runs(arguments: argparse.Namespace, settings: Settings) -> int:
    from pak3h_tasks.data.sample_log import find_runs
    from pak3h_tasks.errors import DataError
    from pak3h_tasks.harness.rescore import missing, rescore

    runs = [run for run in find_runs(arguments.runs) if not run.scored]
    tasks = [task.identity for run in runs for task in run.tasks.values()]
    generated = {task.dataset for task in tasks if task.kind == "gen"}
    if not tasks:
        raise DataError(f"{', '.join(arguments.runs)}: no logged responses to score; run lm_eval with --log_samples")
    judges: Judges
    judges, slug = _judges(sorted(generated), settings, check=not arguments.dry_run) if generated else ({}, "no-judge")
    if arguments.dry_run:
        _print_cost([row for run in runs for row in missing(run, judges)], arguments.format)
        return 0
    complete = True
    printed = []
    for run in runs:
        done = rescore(run, judges, slug)
        printed.append(done.results)
        complete &= _report_unscored(done.unscored) & _report_lost(done.lost)
        if arguments.format == "table":
            if len(runs) > 1:
                print(f"{printable(run.model)} {run.date}")
            _print_results(done.results)
        print(f"scored copy: {done.path}", file=sys.stderr)
    if arguments.format == "json":
        print(json.dumps(finite(printed), ensure_ascii=False, indent=2, default=str))
    return 0 if complete else 1


def _score_outputs(arguments: argparse.Namespace, settings: Settings) -> int:
    from pak3h_tasks.harness.score_outputs import OutputsJob

    job = OutputsJob.read(
        arguments.outputs,
        arguments.dataset,
        arguments.lang,
        arguments.split,
        settings.data,
        arguments.reference,
        arguments.model,
    )
    for line in job.shown:
        print(f"pak3h: {printable(line)}", file=sys.stderr)
    judges, slug = _judges([arguments.dataset], settings, check=not arguments.dry_run)
    judge = judges[arguments.dataset]
    if arguments.dry_run:
        _print_cost([job.missing(judge)] if judge is not None else [], arguments.format)
        return 0
    folder = arguments.output_path or arguments.outputs.with_name(f"{arguments.outputs.stem}_scored")
    done = job.score(judge, folder, slug)
    complete = _report_unscored(done.unscored)
    if arguments.format == "json":
        print(json.dumps(done.results, ensure_ascii=False, indent=2, default=str))
    else:
        _print_results(done.results)
    print(f"results: {done.path}", file=sys.stderr)
    return 0 if complete else 1


def _print_results(results: dict[str, Any]) -> None:
    from pak3h_tasks.harness.summary import table as lm_eval_table

    print(lm_eval_table(results))


def _print_cost(rows: list[tuple[str, int, Any]], form: str) -> None:
    header = ["task", "answers", "cached", "calls", "prompt_tokens"]
    cells = [[task, n, cost.cached, cost.calls, cost.tokens] for task, n, cost in rows]
    if len(cells) > 1:
        cells.append(["all", *(sum(int(row[column]) for row in cells) for column in range(1, 5))])
    if form == "json":
        print(json.dumps([dict(zip(header, row, strict=True)) for row in cells], ensure_ascii=False, indent=2))
    else:
        print(table([*header[:-1], "prompt tokens (about)"], cells))


def _report_unscored(unscored: Sequence[tuple[str, int, int]]) -> bool:
    for task, without, n in unscored:
        if without:
            print(
                f"pak3h: {task}: {without} of {n} answers are unscored; run this again to ask for those that "
                "were not answered, with --ask-again for those refused or unreadable, too",
                file=sys.stderr,
            )
    return not any(without for _, without, _ in unscored)


def _report_lost(lost: Sequence[tuple[str, int, int]]) -> bool:
    for task, missing, n in lost:
        what = f"{missing} of {n} answers are" if n else "all answers are"
        print(f"pak3h: {task}: {what} missing from the sample log; the table is without them", file=sys.stderr)
    return not lost
