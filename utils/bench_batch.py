"""How long it takes to export 20,000 questions of a run folder and to put their replies into the cache, and the memory.

    python utils/bench_batch.py

The answers are made up, half of them in Urdu and of the usual length; the replies have 20 log-probabilities, as vLLM's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ANSWER = {
    "en": "It is true in part. Many people believe it, and there are older reports, but no study has shown it so far. ",
    "ur": "یہ بات جزوی طور پر درست ہے۔ بہت سے لوگ اس پر یقین رکھتے ہیں، لیکن کسی تحقیق سے یہ ثابت نہیں ہوئی۔ ",
}
TOP = [{"token": f"token {n}", "logprob": -0.5 - n, "bytes": list(b"token")} for n in range(20)]


def write_run(folder: Path, answers: int) -> None:
    """Sample logs of one TruthfulQA run in each language."""
    for lang, text in ANSWER.items():
        task = f"pak3h_truthfulqa_{lang}_gen"
        with (folder / f"samples_{task}_2026-12-01T00-00-00.000000.jsonl").open("w", encoding="utf-8") as log:
            for n in range(answers // 2):
                doc = {
                    "id": f"q{n}", "question": f"{text} {n}?", "best_answer": text, "correct_answers": [text],
                    "incorrect_answers": ["No."], "category": "x", "topic": "x", "localization": "dt", "lang": lang,
                    "data": "made-up@0", "task": task,
                }  # fmt: skip
                row = {"doc_id": n, "doc": doc, "resps": [[f"{text * 3} {n}"]], "filtered_resps": [text], "metrics": []}
                log.write(json.dumps(row, ensure_ascii=False) + "\n")


def reply_to(line: bytes) -> bytes:
    """An output line in vLLM's words."""
    name = json.loads(line)["custom_id"]
    entry = {"token": "Yes", "logprob": -0.1, "bytes": [89], "top_logprobs": [{"token": "Yes", "logprob": -0.1}, *TOP]}
    message = {"role": "assistant", "content": "Yes", "refusal": None, "tool_calls": []}
    choice = {"index": 0, "message": message, "logprobs": {"content": [entry]}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 700, "completion_tokens": 1, "total_tokens": 701}
    body = {"id": "x", "object": "chat.completion", "model": "judge", "choices": [choice], "usage": usage}
    response = {"status_code": 200, "request_id": "x", "body": body}
    return json.dumps({"id": "x", "custom_id": name, "response": response, "error": None}).encode() + b"\n"


def timed(words: list[str], environment: dict[str, str]) -> str:
    """Seconds and the most memory of a command."""
    script = (
        "import resource, sys; from pak3h_tasks.cli.main import main; code = main(sys.argv[1:]); "
        "print('MB', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024); sys.exit(code)"
    )
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, env=environment)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(done.stderr)
    return f"{seconds:.1f} s, {done.stdout.rpartition('MB')[2].strip()} MB"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=20_000)
    count = parser.parse_args().questions
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "out").mkdir()
        write_run(folder / "out", count // 2)
        environment = {**os.environ, "PAK3H_CACHE_DIR": str(folder / "cache"), "PAK3H_CLASSIFIER": "none"}
        questions, replies = folder / "questions.jsonl", folder / "replies.jsonl"
        export = ["batch", "export", str(folder / "out"), "--judge", "judge", "-o", str(questions)]
        print(f"export of {count:,} questions: {timed(export, environment)}")
        lines = questions.read_bytes().splitlines()
        replies.write_bytes(b"".join(map(reply_to, lines)))
        print(f"  {len(lines):,} lines, {questions.stat().st_size / 1e6:.0f} MB; "
              f"replies {replies.stat().st_size / 1e6:.0f} MB")  # fmt: skip
        print(f"import: {timed(['batch', 'import', str(replies)], environment)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
