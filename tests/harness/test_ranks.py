"""Judging on two ranks: lm-eval's own evaluate() in two processes that gather by gloo."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pak3h_tasks.harness import ranks
from support.environments import clean_environ
from support.judge_server import JudgeServer
from support.tiny_classifier import make_classifier

pytestmark = pytest.mark.slow

TASK = "pak3h_truthfulqa_ur_gen"
JUDGED = {"truthful,none", "informative,none", "ti,none", "ti_joint,none"}


def edit(body, reply):
    """Verdicts by the prompt's length; `broken` gives none, `either` one of the two about each answer."""
    prompt = body["messages"][-1]["content"]
    said = (("m", "M") if "m or M" in prompt else ("Yes", "No"))[len(prompt) % 2]
    number = re.search(r"جواب \d+ (\d+)\n", prompt)
    silent = number and (int(number[1]) // 2 % 2 == ("Is the answer truthful?" in prompt))
    if body["model"] == "broken" or (body["model"] == "either" and silent):
        said = "Hmm."
    reply["choices"][0] |= {"message": {"role": "assistant", "content": said}, "logprobs": None}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """What rank 0 got in each scenario, and the requests of the server by scenario's cache folder."""
    folder = tmp_path_factory.mktemp("ranks")
    make_classifier(folder / "model")
    script = str(Path(__file__).parents[1] / "support" / "ranks.py")
    with JudgeServer(models=None, edit=edit, record=True) as server:
        processes = [
            subprocess.Popen(
                [sys.executable, script, str(rank), str(folder / "store"), server.base_url, str(folder / "cache")],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environ(OMP_NUM_THREADS="1"),
            )
            for rank in (0, 1)
        ]  # fmt: skip
        outputs = [process.communicate(timeout=200) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], [err[-3000:] for _, err in outputs]
    found = [[json.loads(line) for line in out.splitlines() if line.startswith("{")] for out, _ in outputs]
    assert all(not run["results"] for run in found[1])  # lm-eval reports on rank 0 alone
    rows = [run["rows"] for run in (found[0][-1], found[1][-1])]
    return {run["name"]: run for run in found[0]} | {"rows": rows}, server.bodies, outputs[0][1]


def verdicts(run, task=TASK):
    return [doc["pak3h"]["verdicts"] for doc in run["docs"][task]]


def test_split_documents_are_judged_on_their_own_ranks(runs):
    run = runs[0]["split"]
    assert len({doc["id"] for doc in run["docs"][TASK]}) == 8
    assert set(run["results"][TASK]) >= JUDGED and run["results"][TASK]["coverage,none"] == 1.0
    values = [verdict["truthful"]["value"] for verdict in verdicts(run)]
    assert run["results"][TASK]["truthful,none"] == sum(values) / 8
    assert runs[0]["split again"]["results"] == run["results"]


def test_the_same_documents_on_both_ranks_are_judged_once(runs):
    run = runs[0]["same"]
    for task in (TASK, "pak3h_alpaca_ur_lc"):
        assert run["results"][task]["coverage,none"] == 1.0
    numbers, others = (
        {name: value for name, value in runs[0][one]["results"][TASK].items() if isinstance(value, float)}
        for one in ("same", "split")
    )
    assert numbers == pytest.approx(others)


@pytest.mark.parametrize("model", ["split", "same"])
def test_every_judgement_is_asked_for_once(runs, model):
    """Judge names are scenarios; the third one, "split again", finds everything in the cache."""
    asked = Counter(
        (body["messages"][-1]["content"]) for body in runs[1] if body["model"] == model and body["max_tokens"] > 1
    )
    assert len(asked) >= 16 and set(asked.values()) == {1}


@pytest.mark.parametrize("name", ["nothing scored on rank 1", "nothing scored on rank 0"])
def test_a_rank_with_nothing_scored_costs_no_run(runs, name):
    run = runs[0][name]
    assert not JUDGED & set(run["results"][TASK])
    assert run["results"][TASK]["coverage,none"] == 0.5
    scored = [verdict for verdict in verdicts(run) if verdict["truthful"]["value"] is not None]
    assert len(scored) == 4  # kept in the log
    assert run["docs"][TASK][0]["pak3h"]["withheld"] == ["informative", "ti", "ti_joint", "truthful"]


def test_a_rank_without_a_judge_costs_no_run(runs):
    run = runs[0]["no judge on rank 1"]
    assert not (JUDGED | {"coverage,none"}) & set(run["results"][TASK])
    assert "bleu_max,none" in run["results"][TASK]


def test_a_rank_where_no_answer_has_both_verdicts(runs):
    found = set(runs[0]["never both on rank 1"]["results"][TASK])
    assert JUDGED - found == {"ti,none", "ti_joint,none"}


def test_it_is_said(runs):
    assert "a rank has nothing scored for informative, ti, ti_joint, truthful" in runs[2]


def test_without_a_process_group_local_rank_0_judges(monkeypatch):
    docs = [{"task": "t", "id": "1"}]
    monkeypatch.setattr(ranks, "_process_group", lambda: None)
    for rank, calls in (("0", 1), ("1", 0)):
        monkeypatch.setenv("LOCAL_RANK", rank)
        made = []
        ranks.judge_across_ranks(docs, lambda made=made: made.append(1) or [{}], lambda records: set())
        assert len(made) == calls


def test_every_rank_classifies_its_own_answers(runs):
    """8 prompts on two ranks: four rows each, with weights of its own."""
    run = runs[0]["classified"]
    assert runs[0]["rows"] == [4, 4]
    assert run["results"]["pak3h_beavertails_ur"]["coverage,none"] == 1.0
    probabilities = [verdict["safety"]["details"]["probabilities"] for verdict in verdicts(run, "pak3h_beavertails_ur")]
    assert len(probabilities) == 8 and all(len(one) == 14 for one in probabilities)
