"""`pak3h doctor`: is everything in place for a run?"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from importlib.util import find_spec
from typing import Literal

from pak3h_tasks.cli.parser import command_parser
from pak3h_tasks.extras import DISTRIBUTION, pip_install_package
from pak3h_tasks.text.escape import printable

# package -> what goes without it
OPTIONAL = {
    "torch": "local models, judges and classifier",
    "transformers": "local models, judges and classifier",
    "accelerate": "lm_eval --model hf",
    "sentencepiece": "the tokenizer of Beaver-Dam",
    "openpyxl": "XLSX files",
    "typst": "figures as PDF and PNG",
}


@dataclass(frozen=True)
class Check:
    """One line of the report. `warn` leaves the exit code 0."""

    check: str
    state: Literal["ok", "warn", "fail"]
    detail: str


def main(argv: Sequence[str]) -> int:
    """Print the findings; 1 where one of them stops a run."""
    parser = command_parser(
        "pak3h doctor",
        "Check Python, lm-eval, whether it sees the tasks, the configured data and the optional parts.",
        "pak3h doctor\npak3h doctor --format json",
    )
    parser.add_argument("--format", choices=["table", "json"], default="table", help="default: table")
    arguments = parser.parse_args(argv)
    findings = list(_findings())
    if arguments.format == "json":
        print(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False, indent=2))
    else:
        width = max(len(finding.check) for finding in findings)
        for finding in findings:
            detail = printable(finding.detail).replace("\n", f"\n{'':{width + 8}}")
            print(f"{finding.state:4}  {finding.check:{width}}  {detail}")
    return 1 if any(finding.state == "fail" for finding in findings) else 0


def _findings() -> Iterator[Check]:
    version = sys.version.split()[0]
    yield Check("Python", "ok" if sys.version_info >= (3, 10) else "fail", f"{version} ({sys.executable})")
    yield Check("pak3h-tasks", "ok", _version(DISTRIBUTION) or "not installed, imported from a source folder")
    yield from _lm_eval()
    yield from _data()
    yield from _cache()
    for package, without in OPTIONAL.items():
        found = _version(package) if find_spec(package) else None
        yield Check(
            package,
            "ok" if found else "warn",
            found or f"not installed; needed for {without}: {pip_install_package(package)}",
        )


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _lm_eval() -> Iterator[Check]:
    from pak3h_tasks.harness import visibility

    seen = visibility.check()
    if seen.lm_eval_version is None:
        yield Check("lm-eval", "fail", seen.why)
        return
    known = visibility.supported(seen.lm_eval_version)
    remark = "" if known else f"; tested with {visibility.SUPPORTED[0]} to below {visibility.SUPPORTED[1]}"
    yield Check("lm-eval", "ok" if known else "warn", f"{seen.lm_eval_version} ({seen.lm_eval_path}){remark}")
    yield Check("tasks visible", "ok" if seen.visible else "fail", ("yes, " if seen.visible else "no: ") + seen.why)
    yield Check(
        "task folder",
        "ok" if seen.n_tasks else "fail",
        f"{seen.task_dir} ({seen.n_tasks} tasks, {seen.n_groups} groups, {seen.n_tags} tags)",
    )


def _data() -> Iterator[Check]:
    from pak3h_tasks.data.load import load
    from pak3h_tasks.data.sources import available, parse_source
    from pak3h_tasks.errors import Pak3HError
    from pak3h_tasks.schema import SPLITS
    from pak3h_tasks.settings import Settings

    try:
        source = Settings.from_environment().data
        pairs = available(parse_source(source))
    except Pak3HError as error:
        yield Check("data", "fail", str(error))
        return
    if source is None:
        yield Check("data", "warn", "the embedded sample (scores not comparable); set PAK3H_DATA to your own")
    else:
        yield Check("data", "ok", f"PAK3H_DATA={source}")
    for dataset, lang in pairs:
        try:
            loaded = load(dataset, lang, source)
        except Pak3HError as error:
            yield Check(f"{dataset}/{lang}", "fail", str(error))
            continue
        counts = ", ".join(
            f"{sum(item.localization == label for item in loaded.items)} {label.upper()}" for label in SPLITS
        )
        detail = f"{len(loaded.items)} items ({counts}), {loaded.short}"
        yield Check(f"{dataset}/{lang}", "warn" if loaded.warnings else "ok", "; ".join([detail, *loaded.warnings]))


def _cache() -> Iterator[Check]:
    from pak3h_tasks.errors import Pak3HError
    from pak3h_tasks.settings import Settings

    try:
        folder = Settings.from_environment().cache_dir
    except Pak3HError:
        return  # said under data
    parent = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    writable = os.access(parent, os.W_OK)
    yield Check("cache", "ok" if writable else "warn", f"{folder}" + ("" if writable else " is not writable"))
