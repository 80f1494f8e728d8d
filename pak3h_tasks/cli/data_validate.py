"""`pak3h data validate`: every fault of every file, one line each, and exit 1 when there is one."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from pak3h_tasks.cli.data_examine import Examined, examine, pair_warnings, print_faults
from pak3h_tasks.cli.table import table
from pak3h_tasks.data.load import load_file
from pak3h_tasks.data.sources import FolderSource, Source, available, parse_source, stray_files
from pak3h_tasks.errors import DataError, SettingsError
from pak3h_tasks.schema import DATASETS, LANGS, Dataset, Lang
from pak3h_tasks.settings import Settings
from pak3h_tasks.text.escape import printable, quoted

_HEADER = ("dataset", "lang", "status", "items", "faults", "warnings", "fingerprint")


def run(args: argparse.Namespace) -> int:
    """Check a source or a single file and print one row a file; 1 when anything is faulty or missing."""
    text = args.source or Settings.from_environment().data
    path = Path(text).expanduser() if text and not text.startswith("hub:") else None
    if path is not None and path.is_file():
        found, warnings = [_check_file(path, args.dataset, args.lang)], []
    else:
        source = parse_source(text)
        found = examine(source, _wanted(source, args.dataset, args.lang))
        warnings = pair_warnings(found) + _strays(source)
    rows = [_describe(one) for one in found]
    if args.format == "json":
        print(json.dumps({"files": rows, "warnings": warnings}, ensure_ascii=False, indent=2))
    else:
        counted = [{**row, "faults": len(row["faults"]), "warnings": len(row["warnings"])} for row in rows]
        print(table(_HEADER, [[row[column] for column in _HEADER] for row in counted]))
    print_faults(found, warnings)
    return 1 if any(one.faults for one in found) else 0


def _check_file(path: Path, dataset: Dataset | None, lang: Lang | None) -> Examined:
    words = re.split(r"[^a-z0-9]+", path.name.lower())
    folder = path.resolve().parent.name
    dataset = dataset or next((one for one in DATASETS if one in (folder, *words)), None)
    lang = lang or next((one for one in LANGS if one in words), None)
    if dataset is None or lang is None:
        missing = " and ".join(f"--{what}" for what, known in (("dataset", dataset), ("lang", lang)) if known is None)
        raise SettingsError(f"{quoted(str(path), 300)} is not named DATASET/LANG.jsonl; say {missing}")
    try:
        return Examined(dataset, lang, load_file(path, dataset, lang))
    except DataError as error:
        return Examined(dataset, lang, faults=tuple(str(error).splitlines()))


def _wanted(source: Source, dataset: Dataset | None, lang: Lang | None) -> list[tuple[Dataset, Lang]]:
    """What is there and what should be: en and ur of each dataset that is begun, and all that was asked for by name."""
    there = available(source)
    begun = {one for one, _ in there}
    if isinstance(source, FolderSource):
        begun |= {one for one in DATASETS if (source.folder / one).is_dir()}
    datasets = [dataset] if dataset else [one for one in DATASETS if one in begun]
    if not datasets:
        raise DataError(f"{source.text}: holds no DATASET/LANG.jsonl of {', '.join(DATASETS)}; check the folder")
    absent = [one for one in DATASETS if one not in begun and one != dataset]
    if absent and not dataset:
        print(f"pak3h: note: no {' and no '.join(absent)} in {printable(source.text)}", file=sys.stderr)
    expected = [lang] if lang else ["en", "ur"]
    return [(d, n) for d in datasets for n in LANGS if n in expected or ((d, n) in there and not lang)]


def _strays(source: Source) -> list[str]:
    names = stray_files(source.folder) if isinstance(source, FolderSource) else []
    return [f"{name} is not read; data files are DATASET/LANG.jsonl with {', '.join(LANGS)}" for name in names]


def _describe(one: Examined) -> dict[str, Any]:
    loaded = one.loaded
    return {
        "dataset": one.dataset,
        "lang": one.lang,
        "status": one.status,
        "items": len(loaded.items) if loaded else None,
        "faults": list(one.faults),
        "warnings": list(loaded.warnings) if loaded else [],
        "fingerprint": loaded.fingerprint if loaded else None,
    }
