"""Every JSON file that real runs with gaps leave is read by a parser that knows no NaN and no Infinity."""

import json
import shutil

import pytest

from support.judge_server import JudgeServer
from support.lm_eval_run import lm_eval
from support.tiny_classifier import make_classifier

pytestmark = pytest.mark.slow

GENERATION = ("--batch_size", "16", "--limit", "3", "--gen_kwargs", "max_gen_toks=8")
LIKELIHOODS = "pak3h_truthfulqa_ur_mc,pak3h_truthfulqa_ur_mc_li"
TASKS = "pak3h_ur,pak3h_truthfulqa_ur_gen_li,pak3h_beavertails_ur_lc"


def refuse(name):
    raise AssertionError(f"{name} is no JSON")


def strictly(text):
    return json.loads(text, parse_constant=refuse)


def read_strictly(folder):
    """Every file, by name; each line by itself where it is JSON Lines."""
    found = {}
    for path in sorted(folder.rglob("*.json*")):
        text = path.read_text(encoding="utf-8")
        found[path.name] = list(map(strictly, text.splitlines())) if path.suffix == ".jsonl" else strictly(text)
    return found


@pytest.fixture(scope="module")
def broken_model(tiny_model, tmp_path_factory):
    """Every logit is NaN, as of a model that overflows in its number format."""
    import torch
    from transformers import AutoModelForCausalLM

    folder = tmp_path_factory.mktemp("broken") / "model"
    shutil.copytree(tiny_model, folder)
    model = AutoModelForCausalLM.from_pretrained(tiny_model)
    with torch.no_grad():
        model.lm_head.weight.fill_(float("nan"))
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def server():
    """Of the questions about TruthfulQA answers it answers every other one with what is no verdict."""
    with JudgeServer(answer=lambda prompt: ("Yes", "It depends.")[len(prompt) % 2], logprobs=False) as server:
        yield server


@pytest.fixture(scope="module")
def runs(environment, tmp_path_factory, tiny_model, broken_model, server):
    folder = tmp_path_factory.mktemp("runs")
    judged = {
        "PAK3H_JUDGE_BASE_URL": server.base_url,
        "PAK3H_JUDGE": "stub-judge",
        "PAK3H_CLASSIFIER": str(make_classifier(folder / "classifier")),
    }
    unjudged = {"PAK3H_JUDGE": "none", "PAK3H_CLASSIFIER": "none"}
    for name, model, tasks, settings in (
        ("broken", broken_model, LIKELIHOODS, unjudged),
        ("gaps", tiny_model, TASKS, judged),
        ("unjudged", tiny_model, TASKS, unjudged),
    ):
        cache = {"PAK3H_CACHE_DIR": str(folder / f"cache-{name}")}
        lm_eval(environment, folder / name, model, tasks, *GENERATION, **settings, **cache)
    return folder


def results_of(found):
    (results,) = (content for name, content in found.items() if name.startswith("results_"))
    return results["results"]


def test_results_samples_and_spools(runs):
    for name in ("broken", "gaps", "unjudged"):
        found = read_strictly(runs / name)
        assert len(found) == 1 + (2 if name == "broken" else 6)
        assert read_strictly(runs / f"cache-{name}")
    broken = results_of(read_strictly(runs / "broken"))["pak3h_truthfulqa_ur_mc"]
    assert broken["coverage,none"] == 0
    assert "mc1,none" not in broken
    gaps = read_strictly(runs / "gaps")
    assert 0 < results_of(gaps)["pak3h_truthfulqa_ur_gen"]["coverage,none"] < 1
    # alpaca: "Yes" is no preference, so nothing is scored
    assert results_of(gaps)["pak3h_alpaca_ur"]["coverage,none"] == 0
    assert "win_rate,none" not in results_of(gaps)["pak3h_alpaca_ur"]


@pytest.mark.parametrize("command", ["report", "leaderboard", "compare"])
def test_what_reports_write(environment, runs, tmp_path, command):
    pairs = {"compare": [runs / "gaps", runs / "unjudged"]}
    for name in ("broken", "gaps", "unjudged") if command != "compare" else ("gaps",):
        output = tmp_path / f"{name}.json"
        environment.run("-m", "pak3h_tasks", command, *pairs.get(command, [runs / name]), "-o", output)
        assert strictly(output.read_text(encoding="utf-8"))


def test_what_score_writes(environment, runs, server, tmp_path):
    shutil.copytree(runs / "unjudged", tmp_path / "copy")
    settings = {"PAK3H_JUDGE_BASE_URL": server.base_url, "PAK3H_JUDGE": "stub-judge", "PAK3H_CLASSIFIER": "none"}
    arguments = ("score", tmp_path / "copy", "--format", "json")
    settings["PAK3H_CACHE_DIR"] = str(tmp_path / "cache")
    done = environment.run("-m", "pak3h_tasks", *arguments, check=False, **settings)
    assert strictly(done.stdout)
    assert any("_scored-" in name for name in read_strictly(tmp_path / "copy"))
