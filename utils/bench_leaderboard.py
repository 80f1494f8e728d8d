"""Time and memory of `pak3h leaderboard` on a board of full size, in a process of its own.

    python utils/bench_leaderboard.py [--models 50] [--items 12584] [--output board.html] [--keep FOLDER]

Writes made-up runs in English and Urdu: `--items` prompts of PakBeaverTails, 4,445 instructions and 817 questions a
language, generated and multiple choice. The models' logs are links to those of five, so that the disk need not hold
fifty; every log is read all the same.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

_DISTINCT = 5
_DATES = ("2026-11-30T21-41-45.470855", "2026-11-30T22-41-45.470855", "2026-11-30T23-41-45.470855")


def write_models(folder: Path, n: int, items: int) -> None:
    """Runs of `n` models."""
    from support.run_folder import write_run

    parts = (
        ((("beavertails", "gen"),), items),
        ((("alpaca", "gen"),), 4445),
        ((("truthfulqa", "gen"), ("truthfulqa", "mc")), 817),
    )
    for number in range(min(n, _DISTINCT)):
        for date, (kinds, size) in zip(_DATES, parts, strict=True):
            write_run(folder, model=f"org/model-{number}", kinds=kinds, n=size, date=date, skill=0.3 + 0.1 * number)
    for number in range(_DISTINCT, n):
        of = folder / f"org__model-{number % _DISTINCT}"
        to = folder / f"org__model-{number}"
        to.mkdir()
        for path in of.glob("samples_*"):
            os.link(path, to / path.name)
        for path in of.glob("results_*"):
            content = json.loads(path.read_bytes())
            (to / path.name).write_text(json.dumps({**content, "model_name": f"org/model-{number}"}), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=50)
    parser.add_argument("--items", type=int, default=12_584)
    parser.add_argument("--output", default="board.html", help="its ending says what: .html .json .csv .md .tex .txt")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write the runs there, or use those that are there")
    args = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if not folder.is_dir() or not any(folder.iterdir()):
            folder.mkdir(exist_ok=True)
            write_models(folder, args.models, args.items)
        logs = list(folder.rglob("samples_*.jsonl"))
        size = sum(path.stat().st_size for path in logs)
        with tempfile.TemporaryDirectory() as out:
            command = [sys.executable, "-m", "pak3h_tasks", "leaderboard", str(folder), "-o", f"{out}/{args.output}"]
            start = time.perf_counter()
            process = subprocess.Popen(command)
            peak = 0.0
            while process.poll() is None:
                peak = max(peak, _memory_mb(process.pid))
                time.sleep(0.1)
            seconds = time.perf_counter() - start
            if process.returncode:
                raise SystemExit(process.returncode)
            written = Path(out, args.output).stat().st_size
    one = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"{len({path.parent for path in logs})} models, {len(logs)} logs of {size / 2**20:,.0f} MiB: {seconds:.1f} s, "
        f"peak {peak:.0f} MiB in all, {one:.0f} MiB in one process, {args.output} {written / 2**20:.1f} MiB"
    )


def _memory_mb(parent: int) -> float:
    """Resident memory of a process and those it has started; Linux alone says it."""
    of_process: dict[int, tuple[int, float]] = {}
    for path in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError, KeyError):
            lines = path.read_text(encoding="utf-8").splitlines()
            fields = dict(line.split(":", 1) for line in lines if ":" in line)
            of_process[int(path.parent.name)] = int(fields["PPid"]), int(fields["VmRSS"].split()[0]) / 1024
    return sum(size for pid, (above, size) in of_process.items() if parent in (pid, above))


if __name__ == "__main__":
    main()
