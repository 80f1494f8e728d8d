"""Beaver-Dam look-alikes inside and after real lm_eval runs of the harmlessness tasks."""

import json

import pytest

from pak3h_tasks.metrics.safety import harm_metric
from pak3h_tasks.schema import HARM_CATEGORIES
from support.lm_eval_run import lm_eval
from support.tiny_classifier import make_classifier

pytestmark = pytest.mark.slow

TASK = "pak3h_beavertails_ur"
GENERATION = ("--batch_size", "16", "--gen_kwargs", "max_gen_toks=24")
# the look-alike's largest of 14 probabilities is above 0.5 for every answer; above this one only for some
THRESHOLD = 0.96
AT = {"PAK3H_CLASSIFIER_THRESHOLD": str(THRESHOLD)}


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    return make_classifier(tmp_path_factory.mktemp("classifier") / "beaver")


@pytest.fixture(scope="module")
def inline(environment, tmp_path_factory, tiny_model, classifier):
    folder = tmp_path_factory.mktemp("inline")
    return lm_eval(
        environment, folder / "out", tiny_model, f"{TASK},pak3h_beavertails_ur_li", *GENERATION,
        PAK3H_CLASSIFIER=str(classifier), PAK3H_CACHE_DIR=str(folder / "cache"), **AT,
    )  # fmt: skip


def metrics(results, task=TASK):
    return {k: v for k, v in results["results"][task].items() if "," in k}


def test_the_table_has_rate_mean_and_every_category(inline):
    found = metrics(inline.results)
    wanted = {
        "unsafe_rate",
        "avg_max_harm",
        "truncated_rate",
        "refusal_rate",
        "coverage",
        "in_language",
        "empty_rate",
        "roman_urdu_rate",
        "no_language_rate",
        "unfinished_rate",
    }
    assert {f"{name},none" for name in wanted} <= set(found)
    assert {f"{harm_metric(name)},none" for name in HARM_CATEGORIES} <= set(found)
    assert found["coverage,none"] == 1.0
    assert inline.results["higher_is_better"][TASK]["unsafe_rate"] is False


def test_numbers_follow_from_the_logged_probabilities(inline):
    rows = inline.samples(TASK)
    assert len(rows) == 14
    highest = [max(row["doc"]["pak3h"]["verdicts"]["safety"]["details"]["probabilities"].values()) for row in rows]
    found = metrics(inline.results)
    assert found["avg_max_harm,none"] == pytest.approx(sum(highest) / 14)
    assert found["unsafe_rate,none"] == pytest.approx(sum(p > THRESHOLD for p in highest) / 14)
    assert 0 < found["unsafe_rate,none"] < 1
    hate = "hate_speech,offensive_language"
    rate = sum(r["doc"]["pak3h"]["verdicts"]["safety"]["details"]["probabilities"][hate] > THRESHOLD for r in rows) / 14
    assert found[f"{harm_metric(hate)},none"] == pytest.approx(rate)


def test_later_and_in_a_process_of_its_own_gives_the_same(environment, tmp_path, tiny_model, classifier, inline):
    cache = {"PAK3H_CACHE_DIR": str(tmp_path / "cache"), **AT}
    run = lm_eval(environment, tmp_path / "out", tiny_model, TASK, *GENERATION, PAK3H_CLASSIFIER="none", **cache)
    assert "unsafe_rate,none" not in metrics(run.results)
    dry = environment.run(
        "-m", "pak3h_tasks", "score", run.output, "--classifier", classifier, "--dry-run", "--format", "json", **cache
    )
    assert json.loads(dry.stdout)[0]["calls"] == 14
    done = environment.run(
        "-m", "pak3h_tasks", "score", run.output, "--classifier", classifier, "--format",
        "json", **cache,
    )  # fmt: skip
    assert metrics(json.loads(done.stdout)[0]) == metrics(inline.results)
    stricter = environment.run(
        "-m", "pak3h_tasks", "score", run.output, "--classifier", classifier, "--classifier-threshold", "0",
        "--format", "json", **cache,
    )  # fmt: skip
    assert metrics(json.loads(stricter.stdout)[0])["unsafe_rate,none"] == 1.0  # every probability is above 0


def test_without_gpu_and_classifier_the_run_goes_on_with_one_notice(environment, tmp_path, tiny_model):
    run = lm_eval(environment, tmp_path / "out", tiny_model, TASK, *GENERATION, PAK3H_CACHE_DIR=str(tmp_path / "cache"))
    (notice,) = [line for line in run.stderr.splitlines() if "no classifier" in line]
    assert "pak3h score" in notice and "PAK3H_CLASSIFIER" in notice
    assert "unsafe_rate,none" not in metrics(run.results)
    (spool,) = (tmp_path / "cache" / "spool").rglob(f"samples_{TASK}_*.jsonl")
    assert len(spool.read_text().splitlines()) == 14


@pytest.mark.parametrize(
    "setting",
    ["/no/such/folder", "owner/name", "vllm:http://127.0.0.1:9"],
    ids=["no folder", "no revision", "no server"],
)
def test_a_classifier_that_cannot_be_used_stops_before_generation(environment, tmp_path, setting):
    run = lm_eval(environment, tmp_path, "dummy", TASK, check=False, PAK3H_CLASSIFIER=setting)
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    assert run.stderr.splitlines()[-1].startswith("pak3h: error: ")
    assert "Running generate_until" not in run.stderr


def test_served_by_vllm(environment, tmp_path, tiny_model, classifier, inline):
    """The same look-alike behind vLLM's protocol: same verdicts."""
    import torch
    from transformers import AutoModelForSequenceClassification

    from support.vllm_server import VLLMServer

    model = AutoModelForSequenceClassification.from_pretrained(classifier, dtype="float32").eval()

    def probabilities(rows):
        with torch.no_grad():
            return [model(torch.tensor([row])).logits.sigmoid()[0].tolist() for row in rows]

    with VLLMServer(probabilities, model=str(classifier)) as server:
        run = lm_eval(
            environment, tmp_path / "out", tiny_model, TASK, *GENERATION,
            PAK3H_CLASSIFIER=f"vllm:{server.url}", PAK3H_CLASSIFIER_TOKENIZER=str(classifier),
            PAK3H_CACHE_DIR=str(tmp_path / "cache"), **AT,
        )  # fmt: skip
    found, wanted = metrics(run.results), metrics(inline.results)
    assert found["unsafe_rate,none"] == wanted["unsafe_rate,none"]
    assert found["avg_max_harm,none"] == pytest.approx(wanted["avg_max_harm,none"], abs=1e-4)
