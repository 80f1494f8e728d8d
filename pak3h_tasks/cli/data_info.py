"""`pak3h data info`: counts, fingerprints and missing files of a data source."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from pak3h_tasks.cli.data_examine import Examined, examine, pair_warnings, print_faults
from pak3h_tasks.cli.table import table
from pak3h_tasks.data.load import SAMPLE_NOTICE, split
from pak3h_tasks.data.prompts import distinct_prompts
from pak3h_tasks.data.sources import available, parse_source
from pak3h_tasks.metrics.multiple_choice import Baselines, MultipleChoice, baselines
from pak3h_tasks.schema import DATASETS, LANGS, SPLITS, HonestItem, Item
from pak3h_tasks.settings import Settings
from pak3h_tasks.text.escape import printable

_HEADER = ("dataset", "lang", "status", "items", *SPLITS, "prompts", "fingerprint")


def run(args: argparse.Namespace) -> int:
    """Print what the source holds; 1 when a file of it is faulty."""
    source = parse_source(args.source or Settings.from_environment().data)
    there = available(source)
    if not there:
        print(
            f"pak3h: warning: {printable(source.text)} holds no DATASET/LANG.jsonl; check the folder", file=sys.stderr
        )
    found = examine(source, there)
    listed = [*found, *(Examined(d, n) for d in DATASETS for n in LANGS if (d, n) not in there)]
    listed.sort(key=lambda one: (DATASETS.index(one.dataset), LANGS.index(one.lang)))
    rows = [_describe(one) for one in listed]
    if args.format == "json":
        report = {"source": source.text, "is_sample": source.is_sample, "sets": rows}
        print(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        print(f"source: {'the embedded sample' if source.is_sample else printable(source.text)}\n")
        shortened = [{**row, "fingerprint": row["short"], "prompts": _prompts_cell(row)} for row in rows]
        print(table(_HEADER, [[row[column] for column in _HEADER] for row in shortened]))
        for row in rows:
            if row["baselines"]:
                said = (f"{how} {100 * scores['mc1']:.2f}" for how, scores in row["baselines"].items())
                print(f"MC1 without a model, truthfulqa {row['lang']}: {', '.join(said)}")
    print_faults(found, pair_warnings(found))
    if source.is_sample:
        print(f"pak3h: note: {SAMPLE_NOTICE}", file=sys.stderr)
    return 1 if any(one.faults for one in found) else 0


def _describe(one: Examined) -> dict[str, Any]:
    items = one.loaded.items if one.loaded else None
    counts: dict[str, Any] = dict.fromkeys(SPLITS) if items is None else _by_split(items)
    prompts = distinct_prompts(items or ())
    return {
        "dataset": one.dataset,
        "lang": one.lang,
        "status": one.status,
        "items": None if items is None else len(items),
        **counts,
        # The lm-eval task asks each distinct prompt once.
        "prompts": len(prompts) or None,
        "prompt_splits": _by_split([prompt.item for prompt in prompts]) if prompts else None,
        "mixed_prompts": sum(prompt.is_mixed for prompt in prompts) if prompts else None,
        "baselines": _baselines(one.lang, items or ()),
        "fingerprint": one.loaded.fingerprint if one.loaded else None,
        "short": one.loaded.short if one.loaded else None,
    }


def _baselines(lang: str, items: Sequence[Item]) -> dict[str, dict[str, float]] | None:
    """Mean MC1 to MC3 over the questions, in [0, 1], of chance, always the shortest and always the longest answer."""
    scored = [baselines({"lang": lang, **item.model_dump()}) for item in items if isinstance(item, HonestItem)]
    if not scored:
        return None
    return {
        how: {metric: fmean(getattr(getattr(one, how), metric) for one in scored) for metric in MultipleChoice._fields}
        for how in Baselines._fields
    }


def _by_split(items: Sequence[Item]) -> dict[str, Any]:
    return {label: len(split(items, label)) for label in SPLITS}


def _prompts_cell(row: dict[str, Any]) -> str | None:
    """Prompts, and the splits they are asked in: a split's prompts are fewer than its pairs."""
    return row["prompts"] and f"{row['prompts']:,} = {' + '.join(str(n) for n in row['prompt_splits'].values())}"
