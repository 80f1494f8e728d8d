"""How fast the safety scorer is: length-sorted batches against two usual ways, and 12,584 pairs that are known already.

Run: ``python utils/bench_classifier.py``. One thread, CPU seconds (wall-clock time says little on a shared machine).
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

N_TEXTS, BATCH = 512, 16
N_PAIRS, N_PROMPTS = 12_584, 3_500
Rows = list[list[int]]


def lognormal_rows(seed: int = 1) -> Rows:
    """512 rows of byte tokens, log-normal lengths: median about 106, at most 512."""
    rng = random.Random(seed)
    lengths = [min(512, max(5, round(rng.lognormvariate(4.66, 0.8)))) for _ in range(N_TEXTS)]
    lengths[N_TEXTS // 2] = 512
    return [[*(rng.randrange(3, 259) for _ in range(length - 1)), 1] for length in lengths]


def cpu_seconds(work: Callable[[], list[Sequence[float]]]) -> tuple[float, list[Sequence[float]]]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def bench_batching(folder: Path) -> bool:
    import torch

    from pak3h_tasks.backends.local.classifier import HFClassifier
    from pak3h_tasks.backends.local.model_source import ModelSource
    from support.tiny_classifier import make_classifier

    torch.set_num_threads(1)
    make_classifier(folder, hidden=256, layers=4, heads=8, spread=0.1)
    classifier = HFClassifier(ModelSource(str(folder)), device="cpu")
    classifier.load()
    model = classifier._model
    rows = lognormal_rows()
    longest, total = max(map(len, rows)), sum(map(len, rows))
    lengths = sorted(map(len, rows))
    print(f"{N_TEXTS} texts, median {lengths[N_TEXTS // 2]}, longest {longest}, {total:,} tokens")

    def forward(chunk: Rows, width: int) -> list[Sequence[float]]:
        ids = torch.zeros((len(chunk), width), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for index, row in enumerate(chunk):
            ids[index, : len(row)] = torch.tensor(row)
            mask[index, : len(row)] = 1
        with torch.inference_mode():
            values: list[Sequence[float]] = torch.sigmoid(model(input_ids=ids, attention_mask=mask).logits).tolist()
        return values

    def arrival() -> list[Sequence[float]]:
        chunks = (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))
        return [value for chunk in chunks for value in forward(chunk, max(map(len, chunk)))]

    def pad_to_longest() -> list[Sequence[float]]:
        chunks = (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))
        return [value for chunk in chunks for value in forward(chunk, longest)]

    def ours() -> list[Sequence[float]]:
        results = sorted((row for batch in classifier.classify(rows) for row in batch), key=lambda row: row.index)
        return [row.probabilities or () for row in results]

    forward(rows[:BATCH], longest)  # warm-up
    seconds, values = {}, {}
    for name, work in (("ours", ours), ("arrival order, 16", arrival), ("all to the longest, 16", pad_to_longest)):
        seconds[name], values[name] = cpu_seconds(work)
    good = True
    for name, least in (("arrival order, 16", 2.5), ("all to the longest, 16", 3.0)):
        ratio = seconds[name] / seconds["ours"]
        gap = max(
            abs(a - b) for x, y in zip(values[name], values["ours"], strict=True) for a, b in zip(x, y, strict=True)
        )
        good &= ratio >= least and gap <= 1e-5
        print(
            f"{name:24} {seconds[name]:6.1f} CPU s, ours {seconds['ours']:5.1f}: {ratio:.2f} times (at least {least}), "
            f"largest difference {gap:.1e}"
        )
    return good


def bench_known(folder: Path) -> bool:
    import json

    from pak3h_tasks.backends.cache import AnswerCache
    from pak3h_tasks.cli import moderate_pairs
    from pak3h_tasks.cli.moderate import main
    from pak3h_tasks.judges.beaver_dam import BeaverDam
    from pak3h_tasks.judges.beaver_encoding import PromptResponse
    from support.fake_classifier import FakeClassifier

    rng = random.Random(2)
    words = ["یہ", "ایک", "لمبا", "سا", "جواب", "ہے", "جس", "میں", "کئی", "طرح", "کے", "الفاظ", "آتے", "ہیں"]
    pairs = [
        PromptResponse(f"سوال {index % N_PROMPTS}", " ".join(rng.choices(words, k=rng.randrange(5, 120))) + f" {index}")
        for index in range(N_PAIRS)
    ]
    one = [0.25] * 14
    cache = AnswerCache(folder / "answers.sqlite3")
    first = BeaverDam(FakeClassifier(answer=lambda _: one, rows=64), store=cache)
    first.judge(pairs)
    start = time.perf_counter()
    verdicts = BeaverDam(FakeClassifier(), store=cache).judge(pairs)
    cached_s = time.perf_counter() - start
    cache.close()
    assert all(verdict.value == 0 for verdict in verdicts)
    rows = [
        {"id": str(index), "prompt": pair.prompt, "response": pair.response, "localization": "dt", "is_safe": True}
        for index, pair in enumerate(pairs)
    ]
    source = folder / "pairs.jsonl"
    source.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    moderate_pairs.open_classifier = lambda *_, **__: FakeClassifier(answer=lambda _: one, rows=64)
    command = ["--pairs", str(source), "--output", str(folder / "out.jsonl"), "--labels"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main(command)
        start = time.perf_counter()
        main(command)
        stored_s = time.perf_counter() - start
    print(
        f"{N_PAIRS:,} known pairs: {cached_s:.1f} s from the answer cache, {stored_s:.1f} s for all of pak3h moderate "
        "from its own output (under 10 each)"
    )
    return max(cached_s, stored_s) < 10


def bench_memory() -> bool:
    from array import array

    from pak3h_tasks.backends.local.batching import BatchLimits, run_in_batches

    def peak(n: int) -> float:
        def rows() -> Iterator[array[int]]:
            for index in range(n):
                yield array("i", [index % 250]) * (50 + index % 400)

        tracemalloc.start()
        count = 0
        for batch in run_in_batches(rows(), lambda b: [[0.5] * 14] * len(b), lambda _: False, BatchLimits()):
            count += len(batch)
        assert count == n
        size = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        return size

    small, large = peak(4_000), peak(40_000)
    print(f"peak beyond the results: {small:.1f} MB for 4,000 rows, {large:.1f} MB for 40,000")
    return large < 1.2 * small


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        good = [bench_batching(Path(folder) / "model"), bench_known(Path(folder)), bench_memory()]
    print("all bounds hold" if all(good) else "a bound does NOT hold")
    return 0 if all(good) else 1


if __name__ == "__main__":
    raise SystemExit(main())
