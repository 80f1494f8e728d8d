"""Measure what starting and loading cost, against the limits of the project. Exit 1: a limit is passed.

Each figure stands beside its peer from the same run: a bare Python start, and json.loads over the same file.
Usage: python utils/bench_load.py
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pak3h_tasks.data.load import load
from pak3h_tasks.schema import HARM_CATEGORIES

ROOT = Path(__file__).resolve().parent.parent
PAIRS = 12_584  # PakBeaverTails
STARTS = 15
PATH = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
IMPORT_LIMIT_MS, LOAD_LIMIT_S, AUTOLOAD_LIMIT_MS = 50, 2, 1
URDU = "مجھے نہیں معلوم کہ یہ ٹھیک ہے یا نہیں، مگر احتیاط بہتر ہے اور کسی ماہر سے پوچھ لینا اچھا رہے گا۔ "


def start_ms(code: str) -> float:
    # Without site: a bare start must not run our own .pth file, which imports the package.
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)
    return 1000 * (time.perf_counter() - begun)


def import_costs() -> tuple[float, float]:
    """Median start with our import, and bare, in ms; taken in turns so that load on the machine hits both."""
    times = [(start_ms(f"{PATH}; import pak3h_tasks"), start_ms(PATH)) for _ in range(STARTS)]
    ours, bare = zip(*times, strict=True)
    return statistics.median(ours), statistics.median(bare)


def autoload_ms() -> float | None:
    """Median cost of the import hook inside a fresh process that did not run any .pth file; None: it is not there."""
    # os first: site has imported it by the time it reads .pth files
    timed = "t = time.perf_counter(); import pak3h_tasks._autoload; print(time.perf_counter() - t)"
    code = f"{PATH}; import os, time; {timed}"
    if not (ROOT / "pak3h_tasks" / "_autoload.py").is_file():
        return None
    runs = [
        subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True, capture_output=True) for _ in range(STARTS)
    ]
    return 1000 * statistics.median(float(run.stdout) for run in runs)


def best_s(run: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
    return min(times)


def write_pairs(path: Path) -> None:
    """12,584 pairs with Urdu responses of 100 to 1,000 letters."""
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8") as file:
        for number in range(PAIRS):
            unsafe = number % 4 != 0
            category = {name: unsafe and index == number % 14 for index, name in enumerate(HARM_CATEGORIES)}
            row = {
                "id": f"bench-{number}",
                "localization": ("dt", "dt", "lc", "li")[number % 4],
                "prompt": f"سوال {number // 4}: {URDU}",
                "response": f"جواب {number}: {URDU * (1 + number % 10)}",
                "category": category,
                "is_safe": not any(category.values()),
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> int:
    ours, bare = import_costs()
    passed = [ours - bare < IMPORT_LIMIT_MS]
    print(f"import pak3h_tasks: {ours - bare:.1f} ms over a bare start of {bare:.1f} ms (limit {IMPORT_LIMIT_MS})")
    hook = autoload_ms()
    if hook is None:
        print("autoload hook: skipped, pak3h_tasks/_autoload.py is not there")
    else:
        passed.append(hook < AUTOLOAD_LIMIT_MS)
        print(f"autoload hook: {hook:.2f} ms (limit {AUTOLOAD_LIMIT_MS})")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "beavertails" / "ur.jsonl"
        write_pairs(path)
        loading = best_s(lambda: load("beavertails", "ur", folder))
        peer = best_s(lambda: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])
        size = path.stat().st_size / 1e6
    passed.append(loading < LOAD_LIMIT_S)
    print(
        f"load and validate {PAIRS:,} pairs ({size:.0f} MB): {loading:.2f} s (limit {LOAD_LIMIT_S}); "
        f"json.loads alone {peer:.2f} s, ratio {loading / peer:.1f}"
    )
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
