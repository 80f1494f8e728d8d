"""`pak3h cache info | clear`: judges' answers on disk."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pak3h_tasks.backends.cache import AnswerCache, CacheInfo, cache_path
from pak3h_tasks.harness.spool import spool_root
from pak3h_tasks.settings import Settings

_EXAMPLES = "example:\n  pak3h cache info\n  pak3h cache clear --yes"


def main(argv: Sequence[str]) -> int:
    """Run ``pak3h cache ARGV``."""
    parser = argparse.ArgumentParser(
        prog="pak3h cache",
        description="Show or clear the answers that judges gave; a cleared cache means paying for them again.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_arguments(parser)
    return run(parser.parse_args(argv))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``pak3h cache``."""
    parser.add_argument("action", choices=("info", "clear"), help="what to do")
    parser.add_argument("--cache-dir", type=Path, metavar="DIR", help="default: PAK3H_CACHE_DIR, else the user cache")
    parser.add_argument("--yes", action="store_true", help="clear without asking")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="what stdout gets")


def run(args: argparse.Namespace) -> int:
    """Do it; 1 when the cache cannot be used or clearing was not confirmed."""
    folder = Settings.from_environment(cache_dir=args.cache_dir).cache_dir
    cache = AnswerCache(cache_path(folder))
    try:
        return _clear(cache, yes=args.yes) if args.action == "clear" else _info(cache, args.format, spool_root(folder))
    finally:
        cache.close()


def _info(cache: AnswerCache, form: str, spools: Path) -> int:
    info = cache.info()
    files = [file.stat().st_size for file in spools.glob("*/*.jsonl")]
    if form == "json":
        spooled = {"path": str(spools), "files": len(files), "bytes": sum(files)}
        print(json.dumps({**_as_json(info), "spooled": spooled}, ensure_ascii=False, indent=2))
    else:
        print(f"{info.path}: {info.bytes / 1e6:.1f} MB")
        for kind, model, count in info.entries:
            print(f"{count:>9,}  {kind}  {model if model.isprintable() else ascii(model)}")
        if not info.entries:
            print("no answers")
        if files:
            print(f"{spools}: {sum(files) / 1e6:.1f} MB")
            print(f"{len(files):>9,}  spooled answers of evaluated models; delete folders you no longer need")
    return 0 if info.fault is None else 1


def _clear(cache: AnswerCache, *, yes: bool) -> int:
    if not yes:
        if not sys.stdin.isatty():
            print("pak3h cache clear: nobody to ask; repeat with --yes", file=sys.stderr)
            return 1
        print(f"Clear {cache.path}? The answers would have to be paid for again. [y/N] ", end="", file=sys.stderr)
        if input().strip().lower() not in ("y", "yes"):
            print("kept", file=sys.stderr)
            return 1
    gone = cache.clear()
    if isinstance(gone, Path):
        print(f"{cache.path} was damaged; it is now {gone}", file=sys.stderr)
    else:
        print(f"{gone:,} answers cleared", file=sys.stderr)
    return 0


def _as_json(info: CacheInfo) -> dict[str, object]:
    entries = [{"kind": kind, "model": model, "answers": count} for kind, model, count in info.entries]
    return {"path": str(info.path), "bytes": info.bytes, "entries": entries, "fault": info.fault}
