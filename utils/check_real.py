"""What only real weights and servers can show; `bash utils/check_real` installs them and runs this."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pak3h_tasks.backends.cache import AnswerCache, cache_path
from pak3h_tasks.backends.protocol import Request
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.data.load import load
from pak3h_tasks.judges.pairwise import Pair, Pairwise, join_input
from pak3h_tasks.judges.truth_info import Row, TruthInfoJudge
from pak3h_tasks.results import Verdict
from pak3h_tasks.schema import Lang

ROOT = Path(__file__).resolve().parent.parent
MODEL = "smollm2"
LEAST_COVERAGE = 0.98
VLLM = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
}


@contextlib.contextmanager
def served(command: Sequence[str | Path], port: int, environment: dict[str, str] | None = None) -> Iterator[str]:
    """A server in a process of its own; gives its base URL once it answers."""
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(
            [str(word) for word in command],
            stdout=log,
            stderr=log,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
        try:
            for _ in range(300):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5).close()
                    break
                if server.poll() is not None:
                    log.seek(0)
                    raise SystemExit(f"the server ended:\n{log.read().decode('utf-8', 'replace')[-2000:]}")
                time.sleep(1)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:  # llama.cpp's server does not end on SIGTERM inside Python
                os.killpg(server.pid, signal.SIGKILL)
                server.wait(20)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def llama(real: Path) -> contextlib.AbstractContextManager[str]:
    port = free_port()
    return served([real / "llama/bin/python", ROOT / "utils/real_llama_server.py", str(port)], port)


def vllm(real: Path, folder: Path, *options: str) -> contextlib.AbstractContextManager[str]:
    port = free_port()
    command = [real / "vllm/bin/vllm", "serve", folder, "--served-model-name", MODEL, "--port", str(port)]
    fixed = ["--host", "127.0.0.1", "--dtype", "float32", "--enforce-eager", "--max-num-seqs", "8", *options]
    path = {"PATH": f"{real / 'vllm/bin'}:{os.environ['PATH']}", "PYTHONPATH": ""}
    return served([*command, *fixed], port, VLLM | path)


def items(count: int) -> tuple[list[Row], list[Pair]]:
    """Questions and pairs of the embedded sample, both languages; half of the answers are wrong or another item's."""
    rows, pairs = [], []
    langs: tuple[Lang, ...] = ("en", "ur")
    for lang in langs:
        rows += [
            Row(item.question, answer)
            for item in load("truthfulqa", lang).items
            for answer in (item.correct_answers[0], item.incorrect_answers[0])
        ]
        some = load("alpaca", lang).items
        for item, other in zip(some, (*some[1:], some[0]), strict=True):
            asked = join_input(item.instruction, item.input)
            pairs += [Pair(asked, text, item.output) for text in (other.output, item.output[: len(item.output) // 2])]
    return rows[:count], pairs[:count]


@contextlib.contextmanager
def overheard(base_url: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A base URL that hands all on to a server, and its replies: the messages of a question -> the last one to it."""
    replies: dict[str, Any] = {}

    class HandOn(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            asked = urllib.request.Request(base_url + self.path, body, {"content-type": "application/json"})
            try:
                with urllib.request.urlopen(asked, timeout=300) as reply:
                    status, said = reply.status, reply.read()
            except urllib.error.HTTPError as error:
                status, said = error.code, error.read()
            if status == 200:
                replies[json.dumps(json.loads(body)["messages"])] = json.loads(said)
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), HandOn) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", replies
        server.shutdown()


def first_label_share(reply: dict[str, Any], request: Request) -> float:
    """P(first choice) from the reply that a verdict was read from, read here without the package's reading."""
    first = reply["choices"][0]["logprobs"]["content"][0]
    known = {entry["token"]: entry["logprob"] for entry in first["top_logprobs"]} | {first["token"]: first["logprob"]}
    one, other = (known[choice] for choice in request.choices)
    return 1 / (1 + math.exp(other - one))


def check_judge(base_url: str, count: int) -> None:
    """Coverage on TI and pairs, and that verdicts are what the judge's own log-probabilities say."""
    rows, pairs = items(count)
    with overheard(base_url) as (url, replies):
        compare_with_replies(
            OpenAIChat(MODEL, base_url=url, concurrency=4, timeout_s=300, show_progress=False), replies, rows, pairs
        )


def compare_with_replies(
    backend: OpenAIChat, replies: dict[str, Any], rows: Sequence[Row], pairs: Sequence[Pair]
) -> None:
    def share_of(request: Request) -> float:
        return first_label_share(replies[json.dumps(backend.dialect.body(MODEL, request)["messages"])], request)

    truth_info, pairwise = TruthInfoJudge(backend), Pairwise(backend)
    truth_info.preflight()
    started = time.monotonic()
    honest = truth_info.judge(rows)
    verdicts = {"truthful": [v.truthful for v in honest], "informative": [v.informative for v in honest]}
    verdicts["pairs"] = pairwise.judge(pairs)
    print(f"  held to the labels by {backend.dialect.form}, {time.monotonic() - started:.0f} s")
    for name, some in verdicts.items():
        report(name, some)
    gaps = []
    for row, verdict in zip(rows, honest, strict=True):
        share = share_of(truth_info.request("truthful", row))
        expect(
            verdict.truthful.value == float(share >= 0.5), f"{row}: {verdict.truthful}, its log-probabilities {share}"
        )
        gaps.append(abs(share - (verdict.truthful.probability or 0.0)))
    for pair, verdict in zip(pairs, verdicts["pairs"], strict=True):
        first = bool(verdict.details["orders"][0]["model_first"])
        share = share_of(pairwise.request(pair, model_first=first))
        gaps.append(abs((share if first else 1 - share) - (verdict.value if verdict.value is not None else 9.0)))
    print(f"  largest distance from its own log-probabilities, {len(gaps)} items: {max(gaps):.1e}")
    expect(max(gaps) < 1e-9, "verdicts are not what the log-probabilities say")


def report(name: str, verdicts: Sequence[Verdict]) -> None:
    scored = [verdict for verdict in verdicts if verdict.value is not None]
    read = [verdict for verdict in scored if verdict.details["read_from"] == "logprobs"]
    coverage = len(scored) / len(verdicts)
    print(f"  {name}: coverage {coverage:.2f} of {len(verdicts)}, {len(read)} from log-probabilities")
    expect(coverage >= LEAST_COVERAGE, f"{name}: coverage {coverage:.2f}")


def check_resume(base_url: str, count: int) -> None:
    """Kill -9 in the middle of judging: a second run asks only for what is missing."""
    with tempfile.TemporaryDirectory() as folder:
        script = "import sys; sys.path.insert(0, sys.argv[1]); import check_real as c; c.judge_into(*sys.argv[2:])"
        command = [sys.executable, "-c", script, ROOT / "utils", base_url, folder, str(count)]
        first = subprocess.Popen([str(word) for word in command])
        while first.poll() is None and (done := kept(folder)) < count // 3:
            time.sleep(0.05)
        first.kill()
        first.wait()
        done = kept(folder)
        judge_into(base_url, folder, str(count))
        print(f"  killed after {done} of {2 * count} verdicts; {kept(folder)} after the second run")
        expect(0 < done < 2 * count == kept(folder), "the second run did not end what the first began")


def kept(folder: str) -> int:
    with contextlib.closing(AnswerCache(cache_path(Path(folder)))) as cache:
        return sum(number for _, _, number in cache.info().entries)


def judge_into(base_url: str, folder: str, count: str) -> None:
    """Judge with a cache."""
    cache = AnswerCache(cache_path(Path(folder)))
    backend = OpenAIChat(MODEL, base_url=base_url, concurrency=2, timeout_s=300, cache=cache, show_progress=False)
    judge = TruthInfoJudge(backend)
    judge.preflight()
    judge.judge(items(int(count))[0])


def check_moderate(real: Path, count: int) -> None:
    """`pak3h moderate` over vLLM's /classify gives the probabilities of the local classifier."""
    from support.tiny_classifier import make_classifier

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = folder / "look-alike"
        make_classifier(model, hidden=128)  # heads of 32: vLLM on a CPU has no smaller ones
        pairs = folder / "pairs.jsonl"
        _, some = items(count)
        rows = ({"id": str(n), "prompt": pair.instruction, "response": pair.output} for n, pair in enumerate(some))
        pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))

        def moderated(classifier: str) -> list[dict[str, Any]]:
            out = folder / f"{len(list(folder.iterdir()))}.jsonl"
            options = ["--classifier", classifier, "--output", out]
            options += ["--tokenizer", model] if classifier.startswith("vllm:") else ["--dtype", "float32"]
            command = [sys.executable, "-m", "pak3h_tasks", "moderate", "--pairs", pairs, *options]
            subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
            found = (json.loads(line) for line in out.read_text().splitlines())
            return sorted((row for row in found if "probabilities" in row), key=lambda row: int(row["id"]))

        local = moderated(str(model))
        with vllm(real, model, "--runner", "pooling") as base_url:
            remote = moderated(f"vllm:{base_url.removesuffix('/v1')}")
        gap = max(
            abs(a["probabilities"][label] - b["probabilities"][label])
            for a, b in zip(local, remote, strict=True)
            for label in a["probabilities"]
        )
        print(f"  {len(local)} pairs, largest distance {gap:.1e}")
        expect(gap < 1e-4, "served and local probabilities differ")


def check_run_batch(real: Path, count: int) -> None:
    """Questions exported, answered by `vllm run-batch` without a server, and imported: scored with nobody to ask."""
    from support.run_folder import write_run

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kinds = (("truthfulqa", "gen"), ("alpaca", "gen"))
        write_run(folder / "out", langs=("ur", "en"), kinds=kinds, n=count // 6, judge=None)
        environment = {**os.environ, "PAK3H_CACHE_DIR": f"{folder}/cache", "PAK3H_CLASSIFIER": "none"}

        def pak3h(*words: str | Path) -> str:
            command = [sys.executable, "-m", "pak3h_tasks", *map(str, words)]
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            expect(done.returncode == 0, done.stderr)
            return done.stdout

        questions, replies = folder / "questions.jsonl", folder / "replies.jsonl"
        pak3h("batch", "export", folder / "out", "--judge", MODEL, "-o", questions)
        started = time.monotonic()
        command = [real / "vllm/bin/vllm", "run-batch", "-i", questions, "-o", replies, "--model", real / "smollm2"]
        options = ["--served-model-name", MODEL, "--dtype", "float32", "--enforce-eager", "--max-model-len", "4096"]
        path = {"PATH": f"{real / 'vllm/bin'}:{os.environ['PATH']}", "PYTHONPATH": ""}
        done = subprocess.run([str(word) for word in (*command, *options)], env={**os.environ, **VLLM, **path},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        expect(done.returncode == 0, done.stdout[-2000:])
        print(f"  {len(replies.read_bytes().splitlines())} lines in {time.monotonic() - started:.0f} s")
        print(f"  {pak3h('batch', 'import', replies).strip()}")
        scored = pak3h("score", folder / "out", "--judge", MODEL, "--judge-base-url", "http://127.0.0.1:9/v1",
                       "--format", "json")  # fmt: skip
        for task, found in json.loads(scored)[0]["results"].items():
            print(f"  {task}: coverage {found['coverage,none']:.2f}")
            expect(found["coverage,none"] == 1.0, task)


def check_multiple_choice(real: Path, limit: int) -> None:
    """Log-likelihoods, MC1 and MC2 of lm_eval's run equal those computed here from the weights alone."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(real / "smollm2", dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(real / "smollm2")

    @torch.no_grad()
    def loglikelihood(context: str, continuation: str) -> float:
        ids = tokenizer(context + continuation, return_tensors="pt").input_ids
        start = len(tokenizer(context).input_ids)
        logprobs = model(ids).logits[0, :-1].log_softmax(-1)
        return float(logprobs[start - 1 :].gather(1, ids[0, start:, None]).sum())

    with tempfile.TemporaryDirectory() as out:
        options = ["--tasks", "pak3h_truthfulqa_ur_mc,pak3h_truthfulqa_en_mc", "--limit", str(limit), "--device", "cpu"]
        command = ["lm_eval", "--model", "hf", "--model_args", f"pretrained={real / 'smollm2'},dtype=float32", *options]
        quiet = {**os.environ, "PAK3H_CACHE_DIR": f"{out}/cache", "PAK3H_JUDGE": "none", "LOGLEVEL": "ERROR"}
        subprocess.run(
            [*command, "--output_path", f"{out}/run", "--log_samples"], check=True, stdout=subprocess.DEVNULL, env=quiet
        )
        logs = [file.read_text().splitlines() for file in Path(out, "run").rglob("samples_*.jsonl")]
    gap, compared = 0.0, 0
    for row in (json.loads(line) for log in logs for line in log):
        asked = [(pair["arg_0"], pair["arg_1"]) for pair in row["arguments"].values()]
        given = [float(reply[0][0]) for reply in row["resps"]]
        own = {_answer(pair[1]): loglikelihood(*pair) for pair in asked}
        gap = max(gap, *(abs(a - b) for a, b in zip(given, own.values(), strict=True)))
        shift = max(own.values())
        right = [own[_answer(text)] for text in row["doc"]["correct_answers"]]
        wrong = [own[_answer(text)] for text in row["doc"]["incorrect_answers"]]
        mass = math.fsum(math.exp(value - shift) for value in right)
        mc2 = mass / (mass + math.fsum(math.exp(value - shift) for value in wrong))
        mc1 = float(own[_answer(row["doc"]["best_answer"])] > max(wrong))
        expect(row["mc1"] == mc1 and abs(row["mc2"] - mc2) < 1e-3, f"{row['doc']['id']}: MC1 {mc1}, MC2 {mc2}")
        compared += 1
    print(f"  {compared} questions, largest distance of a log-likelihood {gap:.1e}")
    expect(compared == 2 * limit and gap < 1e-2, "log-likelihoods differ")


def _answer(text: str) -> str:
    """An answer without the closing mark that the task adds."""
    return text.strip().rstrip(".\N{ARABIC FULL STOP}")


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(f"FAILED: {otherwise}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("real", type=Path, help="folder with the environments")
    parser.add_argument("--items", type=int, default=100)
    steps = ("multiple-choice", "moderate", "resume", "judge-llama", "judge-vllm", "run-batch")
    parser.add_argument("--only", action="append", choices=steps, help="this step (may be repeated)")
    arguments = parser.parse_args()
    real, count = arguments.real.absolute(), arguments.items
    for step in arguments.only or steps:
        print(step, flush=True)
        if step == "moderate":
            check_moderate(real, count)
            continue
        if step == "run-batch":
            check_run_batch(real, count)
            continue
        if step == "multiple-choice":
            check_multiple_choice(real, min(count, 20))
            continue
        with (
            vllm(real, real / "smollm2", "--max-model-len", "4096") if step == "judge-vllm" else llama(real) as base_url
        ):
            check_resume(base_url, min(count, 30)) if step == "resume" else check_judge(base_url, count)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
