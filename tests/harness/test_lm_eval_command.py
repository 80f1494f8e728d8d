"""What a user types: the real lm_eval command on the installed wheel, with a tiny local model."""

import json
import shutil

import pytest
from sacrebleu.metrics import BLEU

from pak3h_tasks.metrics.references import references
from support.environments import make_environment
from support.lm_eval_run import lm_eval

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ur_run(environment, tmp_path_factory, tiny_model):
    return lm_eval(environment, tmp_path_factory.mktemp("ur"), tiny_model, "pak3h_truthfulqa_ur", "--batch_size", "8")


def numbers(run, task):
    return {k: v for k, v in run.results["results"][task].items() if isinstance(v, float)}


def test_the_main_command(ur_run):
    assert "pak3h_truthfulqa_ur_mc" in ur_run.stdout
    mc, gen = numbers(ur_run, "pak3h_truthfulqa_ur_mc"), numbers(ur_run, "pak3h_truthfulqa_ur_gen")
    assert {"mc1,none", "mc1_stderr,none", "mc2,none", "mc3,none", "coverage,none"} <= set(mc)
    assert {"bleu_max,none", "rougeL_acc,none", "chrf_diff,none", "refusal_rate,none", "in_language,none"} <= set(gen)
    assert 0 <= mc["mc2,none"] <= 1 and mc["coverage,none"] == 1


def test_raw_values_are_those_of_the_texts_as_they_are(ur_run):
    bleu = BLEU(tokenize="intl", smooth_method="exp", force=True)
    values = []
    for sample in ur_run.samples("pak3h_truthfulqa_ur_gen"):
        doc = sample["doc"]
        raw = references(doc["correct_answers"], doc["incorrect_answers"], "ur").correct
        values.append(max(bleu.corpus_score([doc["pak3h"]["answer"]], [[text]]).score for text in raw))
        assert sample["bleu_official_max_raw"] == pytest.approx(values[-1], abs=1e-6)
    found = numbers(ur_run, "pak3h_truthfulqa_ur_gen")
    assert found["bleu_official_max_raw,none"] == pytest.approx(sum(values) / len(values), abs=1e-6)
    names = {f"{metric}_max_raw,none" for metric in ("bleu", "rouge1", "rouge2", "rougeL", "chrf")}
    assert names <= set(found)


def test_one_notice_about_the_sample(ur_run):
    assert ur_run.stderr.count("NOT comparable") == 1


def test_results_tell_which_data_made_them(ur_run):
    config = ur_run.results["configs"]["pak3h_truthfulqa_ur_gen"]["dataset_kwargs"]["pak3h"]
    assert config["data"].startswith("sample@")
    assert config["data_fingerprint"].startswith(config["data"].split("@")[1])
    assert {"normaliser", "tokeniser", "refusal"} <= config["rules"].keys()
    sample = ur_run.samples("pak3h_truthfulqa_ur_gen")[0]
    assert sample["doc"]["data"] == config["data"]
    assert "answer" in sample["doc"]["pak3h"]


def test_a_second_run_gives_the_same_numbers_and_pak3h_run_too(environment, tmp_path, tiny_model, ur_run):
    again = lm_eval(
        environment,
        tmp_path / "again",
        tiny_model,
        "pak3h_truthfulqa_ur",
        "--batch_size",
        "8",
        command=("-m", "pak3h_tasks", "run"),
    )
    for task in ("pak3h_truthfulqa_ur_mc", "pak3h_truthfulqa_ur_gen"):
        assert numbers(again, task) == pytest.approx(numbers(ur_run, task), abs=1e-6)


def test_many_options_at_once_from_a_folder_that_holds_one_named_pak3h(environment, tmp_path, tiny_model):
    (tmp_path / "pak3h").mkdir()

    def run(output):
        return lm_eval(
            environment, tmp_path / output, f"{tiny_model},max_length=512", "pak3h",
            "--limit", "2", "--num_fewshot", "6", "--apply_chat_template", "--batch_size", "auto",
            "--gen_kwargs", "max_gen_toks=16", "--use_cache", tmp_path / "cache", cwd=tmp_path,
        )  # fmt: skip

    first = run("out")
    results = first.results
    wanted = {f"pak3h_truthfulqa_{lang}_{kind}" for lang in ("ur", "en", "urmt") for kind in ("mc", "gen")}
    wanted |= {f"pak3h_{dataset}_{lang}" for dataset in ("alpaca", "beavertails") for lang in ("ur", "en", "urmt")}
    assert wanted <= set(results["results"])
    assert results["n-samples"]["pak3h_truthfulqa_en_mc"]["effective"] == 2
    assert results["n-shot"]["pak3h_truthfulqa_ur_gen"] == 6
    assert results["n-shot"]["pak3h_alpaca_ur"] == results["n-shot"]["pak3h_beavertails_ur"] == 0
    prompt = first.samples("pak3h_truthfulqa_ur_gen")[0]["arguments"]
    text = json.dumps(prompt, ensure_ascii=False)
    assert text.count("assistant: ") == 7  # six shots as turns of their own, and the opened last one
    again = run("out2")
    for task in wanted:
        assert numbers(again, task) == pytest.approx(numbers(first, task))


def test_chosen_samples_and_two_languages_at_once(environment, tmp_path):
    chosen = {"pak3h_truthfulqa_ur_gen": [3, 5], "pak3h_truthfulqa_en_gen": [4]}
    run = lm_eval(
        environment, tmp_path, "dummy", "pak3h_generation_ur,pak3h_generation_en", "--samples", json.dumps(chosen)
    )
    assert [s["doc"]["id"] for s in run.samples("pak3h_truthfulqa_ur_gen")] == ["tqa-sample-004", "tqa-sample-006"]
    assert [s["doc"]["id"] for s in run.samples("pak3h_truthfulqa_en_gen")] == ["tqa-sample-005"]


def test_own_data_by_metadata_and_by_environment(environment, tmp_path):
    folder = tmp_path / "data" / "truthfulqa"
    folder.mkdir(parents=True)
    item = {
        "id": "q1", "localization": "DT", "question": "2 + 2?", "best_answer": "4",
        "correct_answers": ["4"], "incorrect_answers": ["5"],
    }  # fmt: skip
    (folder / "ur.jsonl").write_text(json.dumps(item) + "\n")
    data = str(tmp_path / "data")
    by_metadata = lm_eval(
        environment, tmp_path / "a", "dummy", "pak3h_truthfulqa_ur_mc", "--metadata", json.dumps({"pak3h_data": data})
    )
    by_environment = lm_eval(environment, tmp_path / "b", "dummy", "pak3h_truthfulqa_ur_mc", PAK3H_DATA=data)
    for run in (by_metadata, by_environment):
        loaded = run.results["configs"]["pak3h_truthfulqa_ur_mc"]["dataset_kwargs"]["pak3h"]
        assert loaded["data_source"] == data
        assert "NOT comparable" not in run.stderr
        assert len(run.samples("pak3h_truthfulqa_ur_mc")) == 1


def test_bad_data_ends_in_lines_not_in_a_traceback(environment, tmp_path):
    folder = tmp_path / "truthfulqa"
    folder.mkdir()
    (folder / "ur.jsonl").write_text('{"id": "a"}\n{oops\n')
    run = lm_eval(
        environment, tmp_path / "out", "dummy", "pak3h_truthfulqa_ur_mc", check=False, PAK3H_DATA=str(tmp_path)
    )
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    last = run.stderr.splitlines()[-6:]
    # six faults (five missing fields, broken JSON), and each line says by itself that it is an error and whose
    assert all(line.startswith("pak3h: error: truthfulqa/ur.jsonl line ") for line in last)
    assert "line 1: 'question' is missing" in run.stderr and "line 2: broken JSON" in last[-1]


def test_a_split_that_the_data_does_not_have(environment, tmp_path):
    folder = tmp_path / "data" / "truthfulqa"
    folder.mkdir(parents=True)
    sample = (environment.site_packages / "pak3h_tasks" / "data" / "sample" / "truthfulqa" / "ur.jsonl").read_text()
    (folder / "ur.jsonl").write_text(
        "".join(line + "\n" for line in sample.splitlines() if '"localization": "li"' not in line)
    )
    run = lm_eval(
        environment,
        tmp_path / "out",
        "dummy",
        "pak3h_truthfulqa_ur_mc_li",
        check=False,
        PAK3H_DATA=str(tmp_path / "data"),
    )
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    assert "'li'" in run.stderr.splitlines()[-1]


def test_ls_tasks_of_the_whole_lm_eval(tmp_path, wheel):
    """Once with all 14,000 files of the real installation, the way most people have it."""
    environment = make_environment(tmp_path)
    environment.pip("install", "--no-deps", wheel)
    listed = environment.run("-m", "lm_eval", "ls", "tasks").stdout
    assert "|pak3h_truthfulqa_ur_mc " in listed and "|hellaswag" in listed
    assert "pak3h_honesty" in listed
    shutil.rmtree(environment.root)
