"""How much faster two processes of `pak3h moderate` classify than one, and that they give the same.

    python utils/bench_moderate.py              # about three minutes; needs two free cores

A small look-alike of Beaver-Dam on the CPU, one thread a process. What 8 pairs take is the start (Python, torch,
weights), and is taken off; with a real classifier it is a small part.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from support.tiny_classifier import make_classifier

PAIRS, START_PAIRS = 1500, 8
REQUIRED = 1.8
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")


def write_pairs(path: Path, count: int) -> Path:
    rows = (
        {"id": str(n), "prompt": f"prompt {n} {'word ' * 40}", "response": f"{n} {'some words of an answer ' * 30}"}
        for n in range(count)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def moderated(folder: Path, pairs: Path, *launcher: str) -> tuple[float, dict[str, dict[str, float]]]:
    """Seconds, and id -> probabilities."""
    output = folder / f"{pairs.stem}-{len(launcher)}.jsonl"
    command = [sys.executable, *launcher, "-m", "pak3h_tasks", "moderate", "--pairs", str(pairs)]
    command += ["--classifier", str(folder / "model"), "--output", str(output), "--format", "json"]
    started = time.perf_counter()
    done = subprocess.run(
        command, check=False, capture_output=True, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PAK3H_CLASSIFIER_DEVICE": "cpu"},
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    rows = (json.loads(line) for line in output.read_text(encoding="utf-8").splitlines())
    return time.perf_counter() - started, {row["id"]: row["probabilities"] for row in rows if "id" in row}


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_classifier(folder / "model", hidden=256)
        few, many = write_pairs(folder / "few.jsonl", START_PAIRS), write_pairs(folder / "many.jsonl", PAIRS)
        work, found = [], []
        for launcher in ((), TORCHRUN):
            start, _ = moderated(folder, few, *launcher)
            whole, probabilities = moderated(folder, many, *launcher)
            print(f"{2 if launcher else 1} process(es): {whole:6.1f} s, of which the start is {start:.1f} s")
            work.append(whole - start)
            found.append(probabilities)
    one, two = found
    distance = max(abs(one[pair][harm] - two[pair][harm]) for pair in one for harm in one[pair])
    print(f"{len(one)} and {len(two)} pairs, largest distance of a probability {distance:.1e}  required 1.0e-06")
    print(f"pairs a second: {work[0] / work[1]:.2f} times as many  required {REQUIRED}")
    return 0 if len(one) == len(two) == PAIRS and distance <= 1e-6 and round(work[0] / work[1], 2) >= REQUIRED else 1


if __name__ == "__main__":
    raise SystemExit(main())
