"""`pak3h batch`: batches of questions, and files of them for whoever runs them."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pak3h_tasks.backends.batches.request_files import MOST_BYTES, MOST_LINES
from pak3h_tasks.backends.servers.constrain import FORMS
from pak3h_tasks.cli.parser import Parser, command_parser, dress, positive
from pak3h_tasks.cli.score import FORM_HELP, add_judge_arguments, settings_of
from pak3h_tasks.cli.table import table
from pak3h_tasks.errors import BackendError, DataError, Pak3HError, SettingsError

if TYPE_CHECKING:
    from pak3h_tasks.backends.batches.ledger import Record
    from pak3h_tasks.settings import Settings

_EXAMPLES = """
pak3h score out/ --judge gpt-4o-mini --batch
pak3h batch status
pak3h batch collect --wait
pak3h batch export out/ --judge judge -o questions.jsonl
vllm run-batch -i questions.jsonl -o replies.jsonl --model Qwen/Qwen2.5-72B-Instruct --served-model-name judge
pak3h batch import replies.jsonl
pak3h score out/ --judge judge"""


def main(argv: Sequence[str]) -> int:
    """Run ``pak3h batch ARGV``."""
    args = _parser().parse_args(argv)
    settings = settings_of(args)
    commands = {"status": _status, "collect": _collect, "cancel": _cancel, "export": _export, "import": _import}
    return commands[args.command](args, settings)


def _parser() -> Parser:
    parser = command_parser(
        "pak3h batch",
        "Judging hours later at half the price (OpenAI's Batch API, and those like it), or by `vllm run-batch` on as\n"
        "many GPUs as there are. `pak3h score --batch` submits; what comes back is read as online replies are.",
        _EXAMPLES,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, says: str, example: str) -> Parser:
        made = commands.add_parser(name, help=says.partition(";")[0], allow_abbrev=False)
        dress(made, says, example)
        made.add_argument("--cache-dir", metavar="DIR", help="where replies and records are kept (PAK3H_CACHE_DIR)")
        return made

    status = command("status", "show the batches; those of the judge's server are looked at", "pak3h batch status")
    collect = command("collect", "take what came back into the cache, and score; again later for the rest",
                      "pak3h batch collect --wait")  # fmt: skip
    cancel = command("cancel", "give batches up; answers there are by now are still taken by collect",
                     "pak3h batch cancel 3f2c9a51d20b77e4-18")  # fmt: skip
    for one in (status, collect, cancel):
        one.add_argument("--judge-base-url", metavar="URL", help="server the batches are at (PAK3H_JUDGE_BASE_URL)")
        one.add_argument("--judge-api-version", metavar="DATE", help="of Azure's classic interface")
    status.add_argument("--format", choices=("table", "json"), default="table", help="what stdout gets")
    collect.add_argument("ids", nargs="*", metavar="ID", help="default: all")
    collect.add_argument("--wait", action="store_true", help="until none is running")
    collect.add_argument("--poll-s", type=float, default=60.0, metavar="S", help="seconds between two looks (60)")
    collect.add_argument("--no-score", action="store_true", help="only fill the cache")
    cancel.add_argument("ids", nargs="*", metavar="ID", help="an export's is forgotten")
    cancel.add_argument("--all", action="store_true", help="all that wait")
    cancel.add_argument("--forget", action="store_true", help="also what they have brought, or will; asks no server")
    export = command("export", "write the questions that the cache lacks into a file",
                     "pak3h batch export out/ --judge judge -o questions.jsonl")  # fmt: skip
    export.add_argument("runs", nargs="+", metavar="RUN_DIR", help="folders that lm_eval wrote, or files in them")
    export.add_argument("-o", "--output", type=Path, required=True, metavar="FILE",
                        help="JSONL; where it is too large for one, FILE-1, FILE-2...")  # fmt: skip
    export.add_argument("--form", choices=[*FORMS, "none"], default="structured_outputs",
                        help=f"{FORM_HELP} (structured_outputs: vLLM's)")  # fmt: skip
    export.add_argument("--without", action="append", default=[], metavar="PARAMETER",
                        choices=("temperature", "logprobs", "system", "seed", "stop"),
                        help="that the judge does not take: temperature, logprobs, system...")  # fmt: skip
    export.add_argument("--max-lines", type=positive, default=MOST_LINES, metavar="N", help="questions a file (50,000)")
    export.add_argument("--max-bytes", type=positive, default=MOST_BYTES, metavar="N", help="size of a file (200 MB)")
    add_judge_arguments(export)
    imported = command("import", "put replies to exported questions into the cache; or a batch's output",
                       "pak3h batch import replies.jsonl")  # fmt: skip
    imported.add_argument("files", nargs="+", type=Path, metavar="FILE", help="what vllm run-batch or a provider wrote")
    return parser


def _status(args: argparse.Namespace, settings: Settings) -> int:
    from pak3h_tasks.cli.score_batch import at_this_server
    from pak3h_tasks.harness.batches import api_of, ledger_of

    ledger = ledger_of(settings)
    records = ledger.records()
    here = {record.id for record in at_this_server(records, settings)}
    for record in records:
        if record.id in here and record.waiting and record.batch_id is not None:
            try:
                api_of(record, settings).refresh(record)
            except BackendError as error:
                print(f"pak3h: error: {record.id}: {error}", file=sys.stderr)
    names = ("id", "model", "questions", "state", "answered", "failed", "began", "batch")
    rows = [
        [record.id, record.model, record.lines, _state(record), record.done, record.failed,
         datetime.fromtimestamp(record.began).isoformat(" ", "minutes"), record.batch_id or record.url or None]
        for record in records
    ]  # fmt: skip
    if args.format == "json":
        print(json.dumps([dict(zip(names, row, strict=True)) for row in rows], ensure_ascii=False, indent=2))
    else:
        print(table(names, rows) if rows else "no batches")
    _say_elsewhere(records, here)
    return 0


def _state(record: Record) -> str:
    if record.exported:
        return "exported"
    state = f"{record.status}, in the cache" if record.taken else record.status
    return f"{state}: {record.said}" if record.said else state


def _say_elsewhere(records: Sequence[Record], here: set[str]) -> None:
    for url in dict.fromkeys(record.url for record in records if record.waiting and record.id not in here):
        count = sum(record.url == url and record.waiting for record in records)
        print(f"pak3h: {count} batches are at {url}: give --judge-base-url for them", file=sys.stderr)


def _collect(args: argparse.Namespace, settings: Settings) -> int:
    from pak3h_tasks.cli.score_batch import at_this_server, job_again, score_from_cache, take_all
    from pak3h_tasks.harness.batches import ledger_of

    ledger = ledger_of(settings)
    records = ledger.records()
    if unknown := set(args.ids) - {record.id for record in records}:
        raise SettingsError(f"no batch {', '.join(sorted(unknown))}; pak3h batch status lists them")
    _say_elsewhere(records, {record.id for record in at_this_server(records, settings)})
    if not any(record.waiting or not record.scored for record in records if not record.exported):
        print("pak3h: nothing to collect: what the batches brought is in the cache, and scored", file=sys.stderr)
    take_all(settings, wait=args.wait, poll_s=args.poll_s, ids=args.ids)
    records = at_this_server(ledger.records(), settings)
    running = [record for record in records if record.waiting and (not args.ids or record.id in args.ids)]
    for record in running:
        print(f"pak3h: {record.id} is {record.status}: {record.done:,} of {record.lines:,} answered", file=sys.stderr)
    complete = not running
    if args.no_score:
        return 0 if complete else 1
    jobs: dict[str, list[Record]] = {}
    for record in records:
        jobs.setdefault(json.dumps(record.job, sort_keys=True), []).append(record)
    for text, made in jobs.items():
        if any(record.waiting for record in made) or all(record.scored for record in made):
            continue
        work: dict[str, Any] = json.loads(text)
        try:
            complete &= score_from_cache(*job_again(work, settings)) == 0
        except Pak3HError as error:  # such as a run that was moved; the other jobs are scored
            print(f"pak3h: error: {', '.join(record.id for record in made)}: {error}", file=sys.stderr)
            complete = False
            continue
        for record in made:
            record.scored = True
            ledger.save(record)
    return 0 if complete else 1


def _cancel(args: argparse.Namespace, settings: Settings) -> int:
    from pak3h_tasks.cli.score_batch import at_this_server
    from pak3h_tasks.harness.batches import api_of, ledger_of

    ledger = ledger_of(settings)
    with ledger.locked():
        records = ledger.records()
        here = {record.id for record in at_this_server(records, settings)}
        chosen = [r for r in records if r.id in args.ids or (args.all and r.waiting and r.id in here)]
        if unknown := set(args.ids) - {record.id for record in chosen}:
            raise SettingsError(f"no batch {', '.join(sorted(unknown))}; pak3h batch status lists them")
        if not chosen:
            raise SettingsError("nothing to cancel; give an ID, or --all")
        for record in chosen:
            if record.exported or record.taken or args.forget:
                ledger.forget(record)
                print(f"pak3h: {record.id}: forgotten", file=sys.stderr)
            elif record.id not in here:
                raise SettingsError(f"{record.id} is at {record.url}; give --judge-base-url")
            elif api_of(record, settings).find(record):
                api_of(record, settings).cancel(record)
                print(f"pak3h: {record.id}: {record.status}; collect takes what there is", file=sys.stderr)
            else:
                ledger.forget(record)
                print(f"pak3h: {record.id}: was not submitted, forgotten", file=sys.stderr)
    return 0


def _export(args: argparse.Namespace, settings: Settings) -> int:
    from pak3h_tasks.backends.batches.request_files import RequestFiles
    from pak3h_tasks.cli.score_batch import write_questions
    from pak3h_tasks.cli.score_job import job_of
    from pak3h_tasks.files import whole_file
    from pak3h_tasks.harness.batches import ledger_of

    args.outputs, args.format = None, "table"
    job = job_of(args, settings)
    datasets = [dataset for dataset in job.datasets if dataset != "beavertails"]
    began = time.time()
    ledger = ledger_of(settings)
    with ledger.locked():
        files = RequestFiles(ledger.folder, any_server=True, most_lines=args.max_lines, most_bytes=args.max_bytes)
        write_questions(job, datasets, settings, files, form=args.form, without=args.without)
        records = [ledger.enter(file, "", began, {}) for file in files.close()]
    if not records:
        print("pak3h: nothing to export: the cache has every answer", file=sys.stderr)
        return 0
    rows = []
    for number, record in enumerate(records, 1):
        name = args.output if len(records) == 1 else args.output.with_stem(f"{args.output.stem}-{number}")
        with whole_file(name) as part:
            shutil.copyfile(ledger.path(record), part)
        rows.append([str(name), record.model, record.lines, record.bytes])
    print(table(["file", "model", "questions", "bytes"], rows))
    return 0


def _import(args: argparse.Namespace, settings: Settings) -> int:
    from pak3h_tasks.backends.batches.outputs import take
    from pak3h_tasks.harness.batches import ledger_of, open_cache

    for path in args.files:
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "no such file"
            raise DataError(f"{path}: {what}; give what vllm run-batch or the provider wrote")
    ledger = ledger_of(settings)
    cache = open_cache(settings)
    with ledger.locked():
        records = [record for record in ledger.records() if not record.taken]
        taken = take(ledger, records, args.files, cache)
    cache.close()
    print(taken)
    if not taken.replies and not taken.refused:
        raise DataError(
            f"{', '.join(map(str, args.files))}: no reply to a question that was exported or submitted with this "
            f"cache ({settings.cache_dir}); PAK3H_CACHE_DIR names another one"
        )
    return 1 if taken.failed or taken.strangers or taken.missing else 0
