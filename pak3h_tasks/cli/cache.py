"""`pak3h cache info | clear`: judges' answers and spooled responses on disk."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pak3h_tasks.backends.cache import AnswerCache, CacheInfo, cache_path
from pak3h_tasks.cli.parser import command_parser
from pak3h_tasks.errors import DataError, SettingsError
from pak3h_tasks.harness.spool import spool_files, spool_root
from pak3h_tasks.settings import Settings

_EXAMPLES = """
pak3h cache info
pak3h cache clear --spools --older-than-days 30
pak3h cache clear --yes"""


def main(argv: Sequence[str]) -> int:
    """Run ``pak3h cache ARGV``."""
    parser = command_parser(
        "pak3h cache",
        "Show or clear the answers that judges gave (a cleared cache means paying for them again); with --spools,\n"
        "clear the responses of evaluated models that every run puts aside before it asks a judge.",
        _EXAMPLES,
    )
    add_arguments(parser)
    return run(parser.parse_args(argv))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``pak3h cache``."""
    parser.add_argument("action", choices=("info", "clear"), help="what to do")
    parser.add_argument("--cache-dir", type=Path, metavar="DIR", help="default: PAK3H_CACHE_DIR, else the user cache")
    parser.add_argument("--spools", action="store_true", help="clear: spooled responses, and no answers of judges")
    parser.add_argument(
        "--older-than-days", type=float, default=0, metavar="N", help="clear --spools: only what is older"
    )
    parser.add_argument("--yes", action="store_true", help="clear without asking")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="what stdout gets")


def run(args: argparse.Namespace) -> int:
    """Do it; 1 when the cache cannot be used or clearing was not confirmed."""
    folder = Settings.from_environment(cache_dir=args.cache_dir).cache_dir
    if folder.exists() and not folder.is_dir():
        raise SettingsError(f"{folder}: is a file; give the folder of the cache (--cache-dir or PAK3H_CACHE_DIR)")
    if args.older_than_days < 0:
        raise SettingsError(f"--older-than-days {args.older_than_days:g}: give 0 or more")
    if args.action == "clear" and args.spools:
        return _clear_spools(folder, args.older_than_days, yes=args.yes)
    cache = AnswerCache(cache_path(folder))
    try:
        return _clear(cache, yes=args.yes) if args.action == "clear" else _info(cache, args.format, folder)
    finally:
        cache.close()


def _info(cache: AnswerCache, form: str, folder: Path) -> int:
    info, spools = cache.info(), spool_root(folder)
    files = [file.stat().st_size for file in spool_files(folder)]
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
            print(f"{len(files):>9,}  spooled responses of evaluated models; pak3h cache clear --spools deletes them")
    return 0 if info.fault is None else 1


def _clear(cache: AnswerCache, *, yes: bool) -> int:
    if not yes and not _agreed(f"Clear {cache.path}? The answers would have to be paid for again."):
        return 1
    gone = cache.clear()
    if isinstance(gone, Path):
        print(f"{cache.path} was damaged or no cache; it is now {gone}", file=sys.stderr)
    else:
        print(f"{gone:,} answers cleared", file=sys.stderr)
    return 0


def _clear_spools(folder: Path, days: float, *, yes: bool) -> int:
    latest = time.time() - 86400 * days
    files = [file for file in spool_files(folder) if file.stat().st_mtime <= latest]
    size = f"{len(files):,} spooled files ({sum(file.stat().st_size for file in files) / 1e6:.1f} MB)"
    if files and not yes and not _agreed(f"Delete {size} in {spool_root(folder)}? The responses would be gone."):
        return 1
    try:
        for file in files:
            file.unlink(missing_ok=True)
            with suppress(OSError):  # another file is in there: a newer one, or a scored copy
                file.parent.rmdir()
    except OSError as error:
        raise DataError(f"{error.filename}: cannot be deleted ({error.strerror})") from None
    print(f"{size} deleted", file=sys.stderr)
    return 0


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        print("pak3h cache clear: nobody to ask; repeat with --yes", file=sys.stderr)
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr)
    if input().strip().lower() in ("y", "yes"):
        return True
    print("kept", file=sys.stderr)
    return False


def _as_json(info: CacheInfo) -> dict[str, object]:
    entries = [{"kind": kind, "model": model, "answers": count} for kind, model, count in info.entries]
    return {"path": str(info.path), "bytes": info.bytes, "entries": entries, "fault": info.fault}
