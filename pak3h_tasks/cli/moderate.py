"""`pak3h moderate`: Beaver-Dam on existing prompt-response pairs, the paper's Table 3, resumable."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pak3h_tasks.backends.local.device import DTYPES
from pak3h_tasks.backends.local.ranks import launched_ranks, leave
from pak3h_tasks.cli.moderate_pairs import classify_pairs
from pak3h_tasks.cli.parser import command_parser, positive
from pak3h_tasks.data.human_labels import read_human_labels
from pak3h_tasks.data.load import SAMPLE_NOTICE, load
from pak3h_tasks.data.moderation_file import ModerationRecord, read_moderation
from pak3h_tasks.data.moderation_pairs import PairItem, pairs_of, read_pairs
from pak3h_tasks.errors import DataError, SettingsError
from pak3h_tasks.judges.beaver_encoding import PROFILES
from pak3h_tasks.metrics.safety import THRESHOLD
from pak3h_tasks.report.moderation import agreement_rows, report_json, score_rows
from pak3h_tasks.report.moderation_text import moderation_csv, moderation_table
from pak3h_tasks.report.published import published_safety
from pak3h_tasks.results import without_version
from pak3h_tasks.schema import LANGS, Lang
from pak3h_tasks.settings import Settings
from pak3h_tasks.text.escape import quoted

_EXAMPLE = """
pak3h moderate --dataset beavertails --lang en --lang ur --output pairs.jsonl
pak3h moderate --scored pairs.jsonl --threshold 0.4 --labels
pak3h moderate --pairs my.jsonl --classifier vllm:http://127.0.0.1:8000 --output my_scored.jsonl"""
_DESCRIPTION = """\
Classify prompt-response pairs with Beaver-Dam and report how many are unsafe, by language, split and category.

Every pair's 14 probabilities are appended to --output as they come; the same command again computes only what is
missing there, so it goes on after a kill, and with everything there no model is loaded. --scored reports from such a
file alone: no data, no model. What is not given here is taken from PAK3H_CLASSIFIER, PAK3H_CLASSIFIER_DEVICE,
PAK3H_CLASSIFIER_TOKENIZER and their kin, as in an lm_eval run. On several GPUs:
torchrun --nproc-per-node 8 -m pak3h_tasks moderate ..."""
_OWN_LABELS = ""


def main(argv: Sequence[str]) -> int:
    """Run ``pak3h moderate ARGV``; 0 done, 1 when nothing could be scored."""
    args = _parser().parse_args(argv)
    if args.threshold is not None and not 0 <= args.threshold < 1:
        raise SettingsError(f"--threshold {args.threshold:g}: must be at least 0 and below 1")
    settings = Settings.from_environment(
        data=args.data,
        classifier=args.classifier,
        classifier_device=args.classifier_device,
        classifier_dtype=args.dtype,
        classifier_tokenizer=args.tokenizer,
        classifier_profile=args.profile,
        classifier_max_length=args.max_length,
        classifier_threshold=args.threshold,
    )
    threshold = settings.classifier_threshold
    labels = read_human_labels(Path(args.labels)) if args.labels not in (None, _OWN_LABELS) else None
    if args.scored:
        if args.data:
            raise SettingsError("--scored needs no data; leave out --data")
        records = _scored(Path(args.scored), args.lang)
    else:
        ranks = launched_ranks()
        try:
            records = classify_pairs(_pairs(args, settings.data), settings, args, ranks=ranks)
        finally:
            leave(ranks)
        if ranks.rank:
            return 0  # the first one reports
    rows = score_rows(records, threshold)
    agreements = agreement_rows(records, threshold, labels) if args.labels is not None else []
    if args.labels is not None and not agreements:
        print("pak3h: note: no pair has a human label, so there is no agreement to show", file=sys.stderr)
    # Published figures stand beside the paper's own data sets, not beside a file of the user's.
    langs = {record.lang for record in records}
    published = [entry for entry in published_safety() if entry.lang in langs]
    if args.format == "json":
        report = {"threshold": threshold, **report_json(rows, agreements, published)}
        print(json.dumps(report, ensure_ascii=False, indent=2))
    elif args.format == "csv":
        print(moderation_csv(rows, agreements, published), end="")
    else:
        print(moderation_table(rows, agreements, published, threshold))
    return 0 if any(record.probabilities is not None for record in records) else 1


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("pak3h moderate", _DESCRIPTION, _EXAMPLE)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--dataset", choices=("beavertails",), help="moderate this data set's own pairs (the default)")
    what.add_argument("--pairs", metavar="FILE", help="pairs of your own: prompt, response, and if you like id, "
                      "localization, is_safe")  # fmt: skip
    what.add_argument("--scored", metavar="FILE", help="no classifying: report from an --output written before")
    parser.add_argument(
        "--lang", action="append", choices=LANGS, help="language of the data set; repeat it; default: en and ur"
    )
    parser.add_argument(
        "--data", metavar="SOURCE", help="data folder or hub:owner/name@revision; default: PAK3H_DATA, else the sample"
    )
    parser.add_argument("--output", metavar="FILE", default="pak3h_moderation.jsonl", help="default: %(default)s")
    parser.add_argument(
        "--classifier",
        metavar="MODEL",
        help="owner/name@revision, a folder, vllm:URL, or auto (Beaver-Dam-7B when a GPU can hold it); "
        "default: PAK3H_CLASSIFIER, else auto",
    )
    parser.add_argument("--classifier-device", metavar="DEVICE", help="cpu, cuda, cuda:1, ...; default: the GPU if any")
    parser.add_argument("--dtype", choices=DTYPES, help="default: float32 on CPU, else 16 bits")
    parser.add_argument("--tokenizer", metavar="MODEL", help="tokenizer of a served classifier; default: Beaver-Dam's")
    parser.add_argument(
        "--label-map", metavar="FILE", help="JSON object for another classifier: its label -> reported name or null"
    )
    parser.add_argument("--profile", choices=PROFILES, help="upstream: as the published code encodes")
    parser.add_argument(
        "--max-length", type=positive, metavar="N", help="tokens in a row; default: 2048 (upstream: 512)"
    )
    parser.add_argument("--batch-tokens", type=positive, metavar="N", help="tokens in one forward pass; default: 8192")
    parser.add_argument(
        "--threshold", type=float, help=f"unsafe above it; default: {THRESHOLD:g}; needs no model again"
    )
    parser.add_argument(
        "--labels",
        nargs="?",
        const=_OWN_LABELS,
        metavar="FILE",
        help="compare with human labels: the data's own is_safe, or a CSV or JSONL of id and is_safe",
    )
    parser.add_argument("--format", choices=("table", "json", "csv"), default="table", help="what stdout gets")
    return parser


def _pairs(args: argparse.Namespace, source: str | None) -> list[PairItem]:
    if args.pairs:
        if args.lang or args.data:
            raise SettingsError("--pairs brings its own pairs; leave out --lang and --data")
        return read_pairs(Path(args.pairs))
    langs: Sequence[Lang] = args.lang or ("en", "ur")
    pairs: list[PairItem] = []
    for lang in dict.fromkeys(langs):
        loaded = load("beavertails", lang, source)
        for warning in loaded.warnings:
            print(f"pak3h: warning: {warning}", file=sys.stderr)
        pairs += pairs_of(loaded)
    if loaded.is_sample:
        print(f"pak3h: note: {SAMPLE_NOTICE}", file=sys.stderr)
    return pairs


def _scored(path: Path, langs: Sequence[Lang] | None) -> list[ModerationRecord]:
    records = [record for record in read_moderation(path) if langs is None or record.lang in langs]
    if not records:
        wanted = f" in {', '.join(langs)}" if langs else ""
        raise DataError(f"{path}: no classified pairs{wanted} there; write some with pak3h moderate --output {path}")
    made_by = sorted({without_version(record.made_by) for record in records})
    if len(made_by) > 1:
        raise DataError(
            f"{path}: holds results of {len(made_by)} classifiers or settings ({'; '.join(made_by)}); "
            "numbers of different makings do not mix: keep one --output for each"
        )
    places = Counter((record.lang, record.id) for record in records)
    if twice := [place for place, count in places.items() if count > 1]:
        lang, identifier = twice[0]
        raise DataError(
            f"{path}: {len(twice):,} pairs are there with two texts, such as {quoted(identifier)} ({lang}), so the "
            "data changed between runs: run without --scored on the data you mean, or keep one --output for each"
        )
    return records
