"""Judges inside and after real lm_eval runs: same numbers, nothing lost, nothing asked twice, no key anywhere."""

import contextlib
import csv
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from support.environments import clean_environ
from support.judge_server import JudgeServer
from support.lm_eval_run import lm_eval
from support.providers import error

pytestmark = pytest.mark.slow

KEY = "sk-test-0123456789abcdef"
TASKS = "pak3h_truthfulqa_ur_gen,pak3h_truthfulqa_ur_gen_li,pak3h_alpaca_ur_lc"
GENERATION = ("--batch_size", "16", "--gen_kwargs", "max_gen_toks=24")


def answer(prompt):
    """m or M for pairwise prompts, Yes or No otherwise; by the prompt's length, so that replies vary."""
    pairwise = "m or M" in prompt
    return (("m", "M") if pairwise else ("Yes", "No"))[len(prompt) % 2]


@pytest.fixture(scope="module")
def server():
    with JudgeServer(answer=answer) as server:
        yield server


def judge(server, **more):
    return {"PAK3H_JUDGE_BASE_URL": server.base_url, "PAK3H_JUDGE": "stub-judge", "PAK3H_JUDGE_API_KEY": KEY, **more}


@pytest.fixture(scope="module")
def inline(environment, tmp_path_factory, tiny_model, server):
    folder = tmp_path_factory.mktemp("inline")
    run = lm_eval(
        environment, folder / "out", tiny_model, TASKS, *GENERATION,
        **judge(server, PAK3H_CACHE_DIR=str(folder / "cache")),
    )  # fmt: skip
    return run, folder


@pytest.fixture(scope="module")
def unjudged(environment, tmp_path_factory, tiny_model, server):
    folder = tmp_path_factory.mktemp("unjudged")
    before = server.asked.total()
    run = lm_eval(
        environment, folder / "out", tiny_model, TASKS, *GENERATION,
        **judge(server, PAK3H_JUDGE="none", PAK3H_CACHE_DIR=str(folder / "cache")),
    )  # fmt: skip
    return run, folder, server.asked.total() - before


def metrics(results, task):
    return {k: v for k, v in results["results"][task].items() if "," in k}


def score(environment, *arguments, check=True, **environ):
    return environment.run("-m", "pak3h_tasks", "score", *arguments, check=check, **environ)


def scored_results(folder):
    (path,) = folder.rglob("results_*_scored-*.json")
    return json.loads(path.read_text())


def test_the_table_has_the_judge_metrics(inline):
    run, _ = inline
    found = metrics(run.results, "pak3h_truthfulqa_ur_gen")
    assert {"truthful,none", "informative,none", "ti,none", "ti_joint,none", "bleu_max,none"} <= set(found)
    assert found["coverage,none"] == 1.0
    assert found["ti,none"] == pytest.approx(found["truthful,none"] * found["informative,none"])
    assert {"win_rate,none", "win_rate_stderr,none"} <= set(metrics(run.results, "pak3h_alpaca_ur_lc"))


def test_reports_and_boards_print_what_lm_eval_printed(inline, environment):
    run, folder = inline
    report, board = folder / "report.csv", folder / "board.csv"
    environment.run("-m", "pak3h_tasks", "report", run.output, "-o", report)
    environment.run("-m", "pak3h_tasks", "leaderboard", run.output, "-o", board)
    task = "pak3h_truthfulqa_ur_gen"
    printed = {name.removesuffix(",none"): value for name, value in metrics(run.results, task).items()}
    for path in (report, board):
        rows = [
            row
            for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
            if (row["dataset"], row["kind"]) == ("truthfulqa", "gen")
            and row.get("source", "measured") == "measured"
            and row.get("split", "all") == "all"
            and not row.get("category")
            and row["value"]
        ]
        assert {"ti", "truthful", "informative"} & {row["metric"] for row in rows}
        for row in rows:
            assert float(row["value"]) == pytest.approx(printed[row["metric"]], rel=1e-7), (path.name, row["metric"])


def test_every_verdict_is_in_the_sample_log(inline):
    run, _ = inline
    for row in run.samples("pak3h_truthfulqa_ur_gen"):
        verdicts = row["doc"]["pak3h"]["verdicts"]
        assert verdicts["truthful"]["value"] == row["truthful"]
        assert verdicts["truthful"]["raw"] in ("Yes", "No")
        assert "stub-judge" in verdicts["truthful"]["signature"]
    said = run.results["configs"]["pak3h_alpaca_ur_lc"]["dataset_kwargs"]["pak3h"]
    assert "stub-judge" in said["judge"]


def test_judge_none_makes_no_call_and_no_judge_metric(unjudged):
    run, _, requests = unjudged
    assert requests == 0
    assert "truthful,none" not in metrics(run.results, "pak3h_truthfulqa_ur_gen")
    assert "bleu_max,none" in metrics(run.results, "pak3h_truthfulqa_ur_gen")


def test_scoring_later_gives_exactly_the_inline_numbers(environment, inline, unjudged, server):
    run, folder, _ = unjudged
    done = score(environment, run.output, **judge(server, PAK3H_CACHE_DIR=str(folder / "cache")))
    assert "|truthful " in done.stdout and "pak3h_alpaca_ur_lc" in done.stdout
    later = scored_results(folder / "out")
    for task in TASKS.split(","):
        assert metrics(later, task) == metrics(inline[0].results, task)  # values and standard errors
    assert run.results["results"] != later["results"], "the original stays as it was"


def test_one_item(environment, tmp_path, server):
    """A scored copy of a run with one item, judged anew: the inline numbers again, without standard errors."""
    task = "pak3h_truthfulqa_ur_gen"
    run = lm_eval(
        environment, tmp_path / "out", "dummy", task, "--limit", "1",
        **judge(server, PAK3H_CACHE_DIR=str(tmp_path / "cache")),
    )  # fmt: skip
    score(environment, run.output, **judge(server, PAK3H_CACHE_DIR=str(tmp_path / "another cache")))
    found = metrics(scored_results(run.output), task)
    assert found == metrics(run.results, task)
    assert found["truthful,none"] in (0.0, 1.0)
    assert found["truthful_stderr,none"] == "N/A"
    assert found["coverage,none"] == 1.0


def test_the_key_is_nowhere(inline, unjudged):
    for folder in (inline[1], unjudged[1]):
        for path in folder.rglob("*"):
            if path.is_file():
                assert KEY.encode() not in path.read_bytes(), path
    for run in (inline[0], unjudged[0]):
        assert KEY not in run.stdout + run.stderr


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"PAK3H_JUDGE_BASE_URL": "http://127.0.0.1:9/v1", "PAK3H_JUDGE": "m"}, "connection failed"),
        ({"PAK3H_JUDGE": "gpt-4o-mini"}, "no API key"),
        ({"PAK3H_JUDGE_CONCURRENCY": "many"}, "PAK3H_JUDGE_CONCURRENCY"),
    ],
)
def test_a_judge_that_cannot_be_used_stops_the_run_before_generation(environment, tmp_path, environ, says):
    run = lm_eval(environment, tmp_path, "dummy", "pak3h_truthfulqa_ur_gen", check=False, **environ)
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    assert says in run.stderr.splitlines()[-1]
    assert "Running generate_until" not in run.stderr


PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body></body></html>"


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (error(401, "Incorrect API key provided"), "refuses the key (HTTP 401"),
        (error(404, "The model `x` does not exist"), "does not know the model (HTTP 404"),
        (error(429, "You exceeded your current quota, please check your plan and billing details."), "no quota left"),
        ((307, b"", {"location": "http://10.1.2.3/v1/chat/completions"}), "another server, http://10.1.2.3/v1"),
        ((200, PAGE, {}), "no JSON but a web page: Sign in"),
    ],
)
def test_a_server_that_cannot_judge_stops_the_run_before_generation(environment, tmp_path, reply, says):
    with JudgeServer(mode=lambda body: reply) as server:
        environ = judge(server, PAK3H_CACHE_DIR=str(tmp_path / "cache"))
        run = lm_eval(environment, tmp_path, "dummy", "pak3h_truthfulqa_ur_gen", check=False, **environ)
    errors = [line for line in run.stderr.splitlines() if line.startswith("pak3h: error: ")]
    assert run.returncode == 1 and "Traceback" not in run.stderr and len(errors) == 1
    assert says in errors[0] and KEY not in run.stderr
    assert "Running generate_until" not in run.stderr and server.asked.total() <= 3


def start(environment, folder, tiny_model, slow, tasks):
    environ = clean_environ(
        PAK3H_JUDGE_BASE_URL=slow.base_url, PAK3H_JUDGE="stub-judge", PAK3H_CACHE_DIR=str(folder / "cache"),
        PAK3H_JUDGE_CONCURRENCY="1",
    )  # fmt: skip
    return subprocess.Popen(
        [environment.python, "-m", "lm_eval", "--model", "hf", "--model_args", f"pretrained={tiny_model}",
         "--tasks", tasks, "--device", "cpu", "--output_path", folder / "out", "--log_samples", *GENERATION],
        cwd=folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for(slow, process, n):
    deadline = time.monotonic() + 120
    while slow.asked.total() < n and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)


def test_kill_while_the_first_task_is_judged_loses_nothing_of_the_others(environment, tmp_path, tiny_model, inline):
    """J17: with kill -9, `pak3h score SPOOL` still makes the whole table, multiple choice to the last digit."""
    mc = "pak3h_truthfulqa_ur_mc"
    whole = lm_eval(environment, tmp_path / "whole", tiny_model, mc, "--batch_size", "16")
    with JudgeServer(answer=answer, latency_s=0.05) as slow:
        process = start(environment, tmp_path, tiny_model, slow, f"{TASKS},{mc}")
        wait_for(slow, process, 8)
        process.kill()
        process.communicate()
        spooled = {path.name.rpartition("_")[0]: path for path in (tmp_path / "cache/spool").rglob("samples_*.jsonl")}
        assert set(spooled) == {f"samples_{task}" for task in (*TASKS.split(","), mc)}
        slow.latency_s = 0.0
        done = score(
            environment, tmp_path / "cache" / "spool", "--format", "json",
            PAK3H_JUDGE_BASE_URL=slow.base_url, PAK3H_JUDGE="stub-judge", PAK3H_CACHE_DIR=str(tmp_path / "cache"),
        )  # fmt: skip
    (found,) = json.loads(done.stdout)
    assert metrics(found, mc) == metrics(whole.results, mc)
    # PakTruthfulQA is generated without sampling, so another run's answers are the same
    task = "pak3h_truthfulqa_ur_gen"
    assert metrics(found, task) == metrics(inline[0].results, task)
    assert metrics(found, "pak3h_alpaca_ur_lc")["coverage,none"] == 1.0


def test_sigterm_while_judging_says_what_is_kept(environment, tmp_path, tiny_model):
    with JudgeServer(answer=answer, latency_s=0.05) as slow:
        process = start(environment, tmp_path, tiny_model, slow, "pak3h_truthfulqa_ur_gen")
        wait_for(slow, process, 12)
        process.terminate()
        _, said = process.communicate(timeout=60)
        assert process.returncode == -signal.SIGTERM  # a shell says 143
        assert "Traceback" not in said
        (line,) = [line for line in said.splitlines() if "judgements are kept" in line]
        kept = int(line.partition(" judgements are kept")[0].split()[-1])
        assert kept >= 9 and f"{60 - kept} are still to be asked for" in line


def test_predict_only_asks_nobody(environment, tmp_path, tiny_model):
    """L1: not even at the preflight; `pak3h score` judges later."""
    tasks = "pak3h_truthfulqa_ur_mc,pak3h_truthfulqa_ur_gen"
    with JudgeServer(answer=answer) as watched:
        run = lm_eval(
            environment, tmp_path / "out", tiny_model, tasks, *GENERATION, "--predict_only",
            **judge(watched, PAK3H_CACHE_DIR=str(tmp_path / "cache")),
        )  # fmt: skip
        assert watched.asked.total() == 0
        assert len(run.samples("pak3h_truthfulqa_ur_mc")) == len(run.samples("pak3h_truthfulqa_ur_gen")) == 30
        score(environment, run.output, **judge(watched, PAK3H_CACHE_DIR=str(tmp_path / "cache")))
        assert metrics(scored_results(run.output), "pak3h_truthfulqa_ur_gen")["coverage,none"] == 1.0


def test_kill_during_judging_loses_no_generation(environment, tmp_path, tiny_model):
    """kill -9 of lm_eval while it judges: the spool has every answer, and pak3h score asks only for the rest."""
    task = "pak3h_truthfulqa_ur_gen"
    cache = tmp_path / "cache"
    with JudgeServer(answer=answer, latency_s=0.05) as slow:
        process = start(environment, tmp_path, tiny_model, slow, task)
        wait_for(slow, process, 12)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        answered = slow.asked.total()
        assert 12 <= answered < 40
        (spool,) = (cache / "spool").rglob("samples_*.jsonl")
        assert len(spool.read_text().splitlines()) == 30
        assert not list((tmp_path / "out").rglob("results*"))
        done = environment.run(
            "-m", "pak3h_tasks", "score", cache / "spool", "--format", "json",
            PAK3H_JUDGE_BASE_URL=slow.base_url, PAK3H_JUDGE="stub-judge", PAK3H_CACHE_DIR=str(cache),
        )  # fmt: skip
        found = metrics(json.loads(done.stdout)[0], task)
        assert found["coverage,none"] == 1.0
        twice = {prompt: n for prompt, n in slow.asked.items() if n > 1}
        # the request in flight at the kill, and the checks before generation, may be asked again
        assert len(twice) <= 3, twice


def test_torchrun_on_a_cpu_judges_nothing_twice(environment, tmp_path, tiny_model):
    with JudgeServer(answer=answer) as server:
        done = subprocess.run(
            [environment.python, "-m", "torch.distributed.run", "--nproc_per_node", "2", "--master_port", "29517",
             "-m", "lm_eval", "--model", "hf", "--model_args", f"pretrained={tiny_model}",
             "--tasks", "pak3h_truthfulqa_ur_gen", "--device", "cpu", "--output_path", str(tmp_path / "out"),
             "--log_samples", "--limit", "8", *GENERATION],
            capture_output=True, text=True, cwd=tmp_path,
            env=clean_environ(**judge(server, PAK3H_CACHE_DIR=str(tmp_path / "cache")), OMP_NUM_THREADS="1"),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        # each process makes its own check before generation; every judgement is asked once
        judgements = {p: n for p, n in server.asked.items() if "capital of Pakistan" not in p and p.strip()}
        assert judgements and max(judgements.values()) == 1


def test_through_transformers_serve(environment, tmp_path):
    """A server nobody here wrote: `transformers serve` with a tiny chat model that says Yes."""
    import socket
    import urllib.request

    from support.bigram_model import build

    model = build(tmp_path / "yes-model")
    log = (tmp_path / "serve.log").open("w")
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "transformers.cli.transformers", "serve", str(model), "--host", "127.0.0.1",
         "--port", str(port), "--device", "cpu"],
        cwd=tmp_path, env=clean_environ(), stdout=subprocess.DEVNULL, stderr=log,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 90
        while True:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
                break
            assert server.poll() is None and time.monotonic() < deadline, (tmp_path / "serve.log").read_text()[-2000:]
            time.sleep(0.3)
        run = lm_eval(
            environment, tmp_path / "out", "dummy", "pak3h_truthfulqa_ur_gen", "--limit", "6",
            PAK3H_JUDGE_BASE_URL=f"http://127.0.0.1:{port}/v1", PAK3H_JUDGE=str(model),
            PAK3H_CACHE_DIR=str(tmp_path / "cache"), PAK3H_JUDGE_CONCURRENCY="2",
        )  # fmt: skip
        found = metrics(run.results, "pak3h_truthfulqa_ur_gen")
        assert found["coverage,none"] == found["truthful,none"] == found["informative,none"] == 1.0
    finally:
        server.terminate()
        server.wait(20)
        log.close()
