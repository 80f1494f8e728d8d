"""Time and memory of `pak3h report` on logs of full size, in a process of its own.

    python utils/bench_report.py [--items 12584] [--models 1] [--output report.json]

Writes made-up runs (English and Urdu) to a temporary folder: `--items` beavertails prompts (12,584 are the pairs of
PakBeaverTails; the task itself asks 3,500 prompts), 4,445 instructions and 817 questions a language.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))


def main() -> None:
    from support.run_folder import write_run

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=12_584)
    parser.add_argument("--models", type=int, default=1)
    parser.add_argument("--output", default="report.json", help="its ending says what: .html .json .csv .md .tex .txt")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(args.models):
            model = f"org/model-{number}"
            dates = ("2026-11-30T21-41-45.470855", "2026-11-30T22-41-45.470855", "2026-11-30T23-41-45.470855")
            sizes = ((("beavertails", "gen"), args.items), (("alpaca", "gen"), 4445), (("truthfulqa", "gen"), 817))
            for date, (kind, n) in zip(dates, sizes, strict=True):
                kinds = (kind, ("truthfulqa", "mc")) if kind[0] == "truthfulqa" else (kind,)
                write_run(folder, model=model, kinds=kinds, n=n, date=date, skill=0.3 + 0.4 * number / args.models)
        size = sum(path.stat().st_size for path in folder.rglob("*.jsonl"))
        command = [sys.executable, "-m", "pak3h_tasks", "report", name, "-o", str(folder / args.output)]
        start = time.perf_counter()
        subprocess.run(command, check=True)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        written = (folder / args.output).stat().st_size
    print(f"{args.models} models, logs {size / 2**20:.0f} MiB: {seconds:.1f} s, peak {peak:.0f} MiB, ", end="")
    print(f"{args.output} {written / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
