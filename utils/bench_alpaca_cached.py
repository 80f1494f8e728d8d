"""How long PakAlpaca's scoring takes when every verdict is in the cache: filter and process_results of 4,445 items.

    python utils/bench_alpaca_cached.py [--items 4445] [--both-orders]

The verdicts are first bought from a stub server on 127.0.0.1 (timed too, without a limit); the answers are as long as
real ones, about 1,000 characters of Urdu. Exit 1: the scoring takes longer than 10 s, asks the server for anything but
the check beforehand, or gives other numbers than the first time.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from pak3h_tasks.harness.filters import ScoringFilter
from pak3h_tasks.harness.judging import ready_judge
from pak3h_tasks.harness.process import alpaca
from support.pairwise_server import by_hash, pairwise_server

LIMIT_S = 10
WORDS = "یہ ایک لمبا جواب ہے جو سوال کے مطابق لکھا گیا ہے اور پڑھنے والے کو اچھا لگے گا۔"


def made_up(n: int) -> tuple[list[dict[str, Any]], list[list[str]]]:
    rng = random.Random(4445)
    words = WORDS.split()

    def text(characters: int) -> str:
        return " ".join(rng.choice(words) for _ in range(characters // 4))

    docs = [
        {
            "id": f"a{number}", "localization": "dt", "instruction": f"{number}: {text(80)}",
            "input": text(120) if number % 3 == 0 else "", "output": text(400), "lang": "ur", "data": "bench@0",
            "task": "pak3h_alpaca_ur",
        }
        for number in range(n)
    ]  # fmt: skip
    return docs, [[text(rng.randint(200, 1800))] for _ in range(n)]


def score(docs: list[dict[str, Any]], answers: list[list[str]]) -> tuple[float, list[dict[str, float]]]:
    """Seconds, and the metrics of every document, as lm-eval calls for them."""
    ready_judge.cache_clear()  # as in a new process
    begun = time.perf_counter()
    records = ScoringFilter("alpaca").apply(iter(answers), docs)
    metrics = [alpaca(dict(doc), [record]) for doc, record in zip(docs, records, strict=True)]
    return time.perf_counter() - begun, metrics


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=4445, help="default: %(default)s, all of PakAlpaca")
    parser.add_argument("--both-orders", action="store_true")
    arguments = parser.parse_args()
    docs, answers = made_up(arguments.items)
    with pairwise_server(by_hash, models=None) as server, tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "PAK3H_JUDGE": "stub-judge", "PAK3H_JUDGE_BASE_URL": server.base_url, "PAK3H_CACHE_DIR": folder,
            "PAK3H_JUDGE_BOTH_ORDERS": str(int(arguments.both_orders)),
        }  # fmt: skip
        first_s, first = score(docs, answers)
        asked = sum(server.asked.values())
        runs = [score(docs, answers) for _ in range(3)]
        asked_again = sum(server.asked.values()) - asked
        megabytes = (Path(folder) / "answers.sqlite3").stat().st_size / 1e6
    best = min(seconds for seconds, _ in runs)
    print(f"{len(docs)} items, {asked - 1} judgements bought in {first_s:.1f} s ({(asked - 1) / first_s:.0f}/s)")
    print(f"from the cache ({megabytes:.1f} MB): {best:.2f} s, {1e3 * best / len(docs):.2f} ms an item")
    print(f"({', '.join(f'{seconds:.2f}' for seconds, _ in runs)} s; limit {LIMIT_S} s)")
    faults = [f"took {best:.1f} s"] if best > LIMIT_S else []
    if asked_again != len(runs):
        faults.append(f"the server was asked {asked_again} times in {len(runs)} runs from the cache")
    if any(metrics != first for _, metrics in runs):
        faults.append("the numbers differ from the first time")
    print("\n".join(faults) or "ok")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
