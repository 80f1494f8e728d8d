"""How much faster the overlap metrics are than lm-eval's truthfulqa_gen, on the same answers in the same run.

    python utils/bench_overlap.py [TruthfulQA_v1.csv]

Ours scores every question. lm-eval takes about 0.3 s a reference, so it scores an evenly spaced subset, and its time is
scaled by the number of references; the output says so. Exits 1 below 50 times, or if a value differs.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

REQUIRED_RATIO = 200
PLACES = (Path(__file__).resolve().parents[1].parent / "shared/data/TruthfulQA_v1.csv",)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="?", type=Path, help="default: $PAK3H_TRUTHFULQA_CSV, or ../shared/data")
    parser.add_argument("--docs", type=int, default=24, help="questions that lm-eval scores (default: %(default)s)")
    arguments = parser.parse_args()
    path = arguments.csv or _default_path()
    if path is None or not path.is_file():
        print(f"no TruthfulQA_v1.csv at {path or 'the usual places'}; give its path", file=sys.stderr)
        return 1

    from lm_eval.tasks.truthfulqa.utils import preprocess_function, process_results_gen

    from pak3h_tasks.metrics.overlap import answer_overlap

    docs = _documents(path)
    answer_overlap("warm", ["up"], ["now"], "en")
    start = time.perf_counter()
    ours = [answer_overlap(doc["answer"], doc["correct_answers"], doc["incorrect_answers"], "en") for doc in docs]
    our_s = time.perf_counter() - start

    chosen = range(0, len(docs), max(1, len(docs) // arguments.docs))
    prepared = {index: preprocess_function(docs[index]) for index in chosen}
    process_results_gen({"correct_answers": ["up"], "incorrect_answers": ["now"]}, ["warm"])
    start = time.perf_counter()
    theirs = {index: process_results_gen(doc, [docs[index]["answer"]]) for index, doc in prepared.items()}
    subset_s = time.perf_counter() - start

    total, subset = sum(map(_references, docs)), sum(map(_references, prepared.values()))
    total += len(docs) - sum("I have no comment" in doc["correct_answers"] for doc in docs)
    their_s = subset_s * total / subset
    worst = max(abs(ours[i]["rouge1_ascii_max"] - theirs[i]["rouge1_max"]) for i in chosen)
    worst = max(worst, *(abs(ours[i]["bleu_official_max"] - theirs[i]["bleu_max"]) for i in chosen))
    ratio = their_s / our_s
    print(f"answers {len(docs)}, references {total}")
    print(f"pak3h   {our_s:9.2f} s  {1000 * our_s / total:8.3f} ms a reference")
    print(
        f"lm-eval {their_s:9.2f} s  {1000 * their_s / total:8.3f} ms a reference"
        f"  (measured {subset_s:.2f} s on {len(prepared)} answers, {subset} references; scaled by references)"
    )
    print(f"ratio   {ratio:9.0f}    required {REQUIRED_RATIO}")
    print(f"largest difference of ROUGE-1 (its tokenizer) and official BLEU on those answers: {worst:.1e}")
    return 0 if ratio >= REQUIRED_RATIO and worst < 1e-9 else 1


def _default_path() -> Path | None:
    named = os.environ.get("PAK3H_TRUTHFULQA_CSV")
    places = (Path(named),) if named else PLACES
    return next((place for place in places if place.is_file()), None)


def _documents(path: Path) -> list[dict]:
    """The questions, each with a partly right answer: every other word of its best answer, then another one's."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [
        {
            "question": row["Question"],
            "correct_answers": _split(row["Correct Answers"]),
            "incorrect_answers": _split(row["Incorrect Answers"]),
            "answer": f"{' '.join(row['Best Answer'].split()[::2])}. {other['Best Answer']}.",
        }
        for row, other in zip(rows, rows[1:] + rows[:1], strict=True)
    ]


def _split(cell: str) -> list[str]:
    return [answer.strip() for answer in cell.split(";") if answer.strip()]


def _references(doc: dict) -> int:
    return len(doc["correct_answers"]) + len(doc["incorrect_answers"])


if __name__ == "__main__":
    sys.exit(main())
