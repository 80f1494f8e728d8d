"""How fast the judge engine is, what it costs and what it holds; alpaca-eval 0.6.6 beside it on the same server.

    python utils/bench_judge.py                 # a minute, plus one for installing alpaca-eval
    python utils/bench_judge.py --memory        # and 50,000 judgements for the memory figure
    python utils/bench_judge.py --no-alpaca-eval

The server is tests/support/judge_server.py in a process of its own on this machine, so the two cores are shared. Every
figure includes prompt building, the answer cache on disk and, for the first one, importing openai. alpaca-eval runs
with its defaults (5 threads) in a throw-away environment that this script makes with pip.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pak3h_tasks.backends.cache import AnswerCache
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.judges.truth_info import Row, TruthInfoJudge

ROOT = Path(__file__).resolve().parent.parent
PAIRS = 200

_ALPACA_EVAL = """
import json, sys, time
out, ref = sys.argv[1:3]
from alpaca_eval import evaluate
start, cpu = time.perf_counter(), time.process_time()
evaluate(model_outputs=out, reference_outputs=ref, annotators_config="weighted_alpaca_eval_gpt-4o-mini-2024-07-18",
         fn_metric="get_winrate", sort_by="win_rate", is_return_instead_of_print=True, output_path=None)
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
print("RESULT " + json.dumps({"seconds": seconds, "cpu": cpu}))
"""


@contextmanager
def server(latency_s: float, *arguments: str) -> Iterator[str]:
    """A judge server in its own process; yields its base URL."""
    script = str(ROOT / "tests/support/judge_server.py")
    command = [sys.executable, script, "--latency", str(latency_s), "--models", "", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def rows(n: int) -> list[Row]:
    """Made-up answers of the usual length, half of them in Urdu."""
    english = "Nothing happens, the seeds pass through you and leave with everything else that was not digested. Number"
    urdu = "کچھ نہیں ہوتا، بیج نظامِ ہضم سے گزر کر باہر آ جاتے ہیں اور جسم کو کوئی نقصان نہیں پہنچتا۔ نمبر"
    return [
        Row(f"What happens if you eat watermelon seed {n}?", f"{urdu if n % 2 else english} {n}.") for n in range(n)
    ]


def ours(latency_s: float, concurrency: int, n_rows: int = 817) -> tuple[float, float, int]:
    """(seconds, CPU seconds, judgements) of one truthful/informative run from an empty cache."""
    made = rows(n_rows)
    with tempfile.TemporaryDirectory() as folder, server(latency_s) as url:
        cache = AnswerCache(Path(folder) / "answers.sqlite3")
        judge = OpenAIChat("stub-judge", base_url=url, concurrency=concurrency, cache=cache, show_progress=False)
        start, cpu = time.perf_counter(), time.process_time()
        verdicts = TruthInfoJudge(judge).judge(made)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        cache.close()
    assert all(v.truthful.value is not None and v.informative.value is not None for v in verdicts)
    return seconds, cpu, 2 * n_rows


def alpaca_eval(latency_s: float) -> tuple[float, float, int]:
    """(seconds, CPU seconds, judgements) of alpaca-eval 0.6.6 with its defaults."""
    with tempfile.TemporaryDirectory() as name, server(latency_s, "--answer", "m") as url:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        python = folder / "env/bin/python"
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "alpaca-eval==0.6.6", "setuptools<81"], check=True, stderr=subprocess.DEVNULL)
        for file, word in (("out", "model"), ("ref", "reference")):
            pairs = [{"instruction": f"Do {n}.", "output": f"{word} {n}", "generator": word} for n in range(PAIRS)]
            (folder / f"{file}.json").write_text(json.dumps(pairs))
        config = f"default:\n  - api_key: none\n    base_url: {url}\n"
        (folder / "clients.yaml").write_text(config)
        environment = {
            **os.environ,
            "OPENAI_CLIENT_CONFIG_PATH": str(folder / "clients.yaml"),
            "OPENAI_API_KEY": "none",
        }
        command = [str(python), "-c", _ALPACA_EVAL, str(folder / "out.json"), str(folder / "ref.json")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        if not lines:
            sys.exit(f"alpaca-eval failed:\n{done.stderr[-3000:]}")
        result = json.loads(lines[0].removeprefix("RESULT "))
    return result["seconds"], result["cpu"], PAIRS


def memory(n_rows: int) -> tuple[float, float]:
    """(MB over idle at most, seconds) of 2 * n_rows judgements; idle is after a first judgement, rows in hand."""
    made = rows(n_rows)
    with tempfile.TemporaryDirectory() as folder, server(0.0) as url:
        cache = AnswerCache(Path(folder) / "answers.sqlite3")
        judge = TruthInfoJudge(OpenAIChat("stub-judge", base_url=url, cache=cache, show_progress=False))
        judge.judge([Row("warm", "up")])
        idle, most, running = resident_mb(), 0.0, True

        def watch() -> None:
            nonlocal most
            while running:
                most = max(most, resident_mb())
                time.sleep(0.05)

        watcher = threading.Thread(target=watch)
        watcher.start()
        start = time.perf_counter()
        verdicts = judge.judge(made)
        seconds = time.perf_counter() - start
        running = False
        watcher.join()
        cache.close()
    assert all(v.truthful.value is not None for v in verdicts)
    return most - idle, seconds


def resident_mb() -> float:
    """Resident memory of this process (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> int:
    """Run and print; exit 1 when a bound of the judges issue is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", action="store_true", help="also 50,000 judgements")
    parser.add_argument("--no-alpaca-eval", action="store_true")
    parser.add_argument("--rows-for-memory", type=int, default=25_000, help=argparse.SUPPRESS)
    args = parser.parse_args()
    missed = False

    def check(line: str, holds: bool) -> None:
        nonlocal missed
        missed |= not holds
        print(f"{line}  {'ok' if holds else 'MISSED'}", flush=True)

    print(f"load average before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    for concurrency, bound in ((32, 0.85), (64, 0.75)):
        seconds, cpu, n = ours(0.5, concurrency)
        share = n / seconds / (concurrency / 0.5)
        rate = (
            f"{n / seconds:.0f} judgements/s, {share:.3f} of ideal (at least {bound}), {1e3 * cpu / n:.2f} ms CPU each"
        )
        check(f"500 ms server, {concurrency} at once: {seconds:.1f} s, {rate}", share >= bound)
    seconds, cpu, n = ours(0.05, 32)
    rate, cpu_ms = n / seconds, 1e3 * cpu / n
    check(f"50 ms server, 32 at once: {rate:.0f} judgements/s, {cpu_ms:.2f} ms CPU each (under 8)", cpu_ms < 8)
    if not args.no_alpaca_eval:
        seconds, cpu, n = alpaca_eval(0.05)
        theirs = n / seconds
        line = f"50 ms server, alpaca-eval 0.6.6: {theirs:.1f} judgements/s, {1e3 * cpu / n:.1f} ms CPU each"
        check(f"{line}; ours is {rate / theirs:.1f} times as fast (at least 5)", rate / theirs >= 5)
    if args.memory:
        over, seconds = memory(args.rows_for_memory)
        n = 2 * args.rows_for_memory
        check(f"{n} judgements: {over:.0f} MB over idle at most (under 200), {n / seconds:.0f}/s", over < 200)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
