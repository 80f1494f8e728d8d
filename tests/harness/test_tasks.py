"""Every task, group and tag is what the design says, and builds: lm-eval itself skips or misreports broken ones."""

import re
from pathlib import Path

import lm_eval
import make_task_yaml
import pytest
from jinja2 import Template
from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

from pak3h_tasks.errors import DataError
from pak3h_tasks.harness.dataset import build
from pak3h_tasks.harness.records import record_of
from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.resources import task_dir
from pak3h_tasks.results import Verdict
from pak3h_tasks.schema import HARM_CATEGORIES, LANGS, SPLITS
from support.data_files import harmless, write_jsonl


@pytest.fixture(scope="module")
def manager():
    return TaskManager(include_defaults=False, include_path=str(task_dir()))


def test_the_files_are_as_generated():
    assert make_task_yaml.drift() == []


def test_what_a_language_changes_is_a_file_and_no_condition():
    for path in task_dir().rglob("*"):
        if path.is_file() and path.suffix != ".md":
            assert "lang ==" not in path.read_text(encoding="utf-8"), path


def test_headline_metrics_come_first(manager):
    for name in ("pak3h_truthfulqa_ur_mc", "pak3h_truthfulqa_ur_gen", "pak3h_alpaca_en", "pak3h_beavertails_urmt"):
        listed = list(manager.load([name])["tasks"][name].aggregation())
        headline = [metric for metric in listed if METRICS[metric].headline]
        assert headline and listed[: len(headline)] == headline, name


def test_the_readme_names_what_there_is(manager):
    text = (task_dir() / "README.md").read_text(encoding="utf-8")
    named = {name.replace("{lang}", lang) for name in re.findall(r"`(pak3h\w*(?:{lang}\w*)?)`", text) for lang in LANGS}
    splits = {name for name in manager.all_subtasks if name.endswith(("_dt", "_lc", "_li"))}
    assert named - {"pak3h"} == {*manager.all_tasks} - splits - {"pak3h"}
    for base, version in make_task_yaml.VERSIONS.items():
        dataset, _, kind = base.partition("_")
        assert f"* `pak3h_{dataset}_*{'_' if kind else ''}{kind}` {version}: " in text


def test_names_match_files(manager):
    for name in manager.all_subtasks + manager.all_groups:
        path = manager.task_index[name].yaml_path
        # a single-task dataset is named like its group would be
        assert path.stem == name, path
    named = {path.stem for path in task_dir().rglob("*.yaml")}
    assert named == set(manager.all_subtasks) | set(manager.all_groups)


def test_the_tree(manager):
    wanted = {
        f"pak3h_truthfulqa_{lang}_{kind}{split}"
        for lang in LANGS
        for kind in ("mc", "gen")
        for split in ("", *(f"_{s}" for s in SPLITS))
    }
    assert wanted <= set(manager.all_subtasks)
    groups = manager.load(["pak3h"])["group_map"]
    assert groups["pak3h"] == ["pak3h_ur", "pak3h_en", "pak3h_urmt"]
    assert groups["pak3h_truthfulqa_ur"] == ["pak3h_truthfulqa_ur_mc", "pak3h_truthfulqa_ur_gen"]


def test_languages_together_do_not_overlap(manager):
    tasks = manager.load(["pak3h_ur", "pak3h_en"])["tasks"]
    assert {"pak3h_truthfulqa_ur_mc", "pak3h_truthfulqa_en_gen"} <= set(tasks)


@pytest.mark.parametrize(
    ("tag", "task"),
    [
        ("pak3h_honesty", "pak3h_truthfulqa_urmt_mc"),
        ("pak3h_generation_ur", "pak3h_truthfulqa_ur_gen"),
        ("pak3h_truthfulqa_en_splits", "pak3h_truthfulqa_en_gen_li"),
    ],
)
def test_tags(manager, tag, task):
    tasks = manager.load([tag])["tasks"]
    assert task in tasks
    if tag.startswith("pak3h_generation"):
        assert all(t.OUTPUT_TYPE == "generate_until" for t in tasks.values())


def test_everything_builds_and_scores_what_it_lists(manager):
    """Keys of process_results equal metric_list, for every task."""
    for name, task in manager.load(manager.all_subtasks)["tasks"].items():
        document = task.eval_docs[0]
        assert set(task.process_results(document, full_results(task, document))) == set(task.aggregation()), name
        assert set(task.aggregation()) == set(task.higher_is_better()), name
        config = task.dump_config()
        loaded = config["dataset_kwargs"]["pak3h"]
        assert loaded["data"].startswith("sample@"), name
        assert document["data"] == loaded["data"]
        assert config["metadata"]["version"]


VERDICTS = {
    "truthfulqa": {"truthful": Verdict(1.0), "informative": Verdict(0.0)},
    "alpaca": {"preference": Verdict(0.7, details={"consistent": True})},
    "beavertails": {
        "safety": Verdict(
            1.0,
            probability=0.9,
            details={
                "threshold": 0.5,
                "truncated": False,
                "probabilities": {name: 0.9 if number == 3 else 0.1 for number, name in enumerate(HARM_CATEGORIES)},
            },
        )
    },
}


def full_results(task, document):
    """What a task gets when everything could be scored."""
    if task.OUTPUT_TYPE == "multiple_choice":
        return [(-1.0 - i, False) for i in range(len(task.doc_to_choice(document)))]
    verdicts = VERDICTS[document["task"].split("_")[1]]
    answer = "کچھ نہیں ہوتا۔"
    return [[{"response": answer, "answer": answer, "verdicts": {k: v.to_json() for k, v in verdicts.items()}}]]


def test_categories_with_commas_become_metric_names(manager):
    task = manager.load(["pak3h_beavertails_ur"])["tasks"]["pak3h_beavertails_ur"]
    document = task.eval_docs[0]
    metrics = task.process_results(document, full_results(task, document))
    assert metrics["harm_discrimination_stereotype_injustice"] == 1.0
    assert sum(value for name, value in metrics.items() if name.startswith("harm_")) == 1.0


def test_each_distinct_prompt_is_asked_once(manager):
    task = manager.load(["pak3h_beavertails_ur"])["tasks"]["pak3h_beavertails_ur"]
    prompts = [document["prompt"] for document in task.eval_docs]
    assert len(prompts) == len(set(prompts)) == 14


def test_split_documents_are_the_split(manager):
    tasks = manager.load([f"pak3h_truthfulqa_ur_mc{s}" for s in ("", "_dt", "_lc", "_li")])["tasks"]
    whole = [d["id"] for d in tasks["pak3h_truthfulqa_ur_mc"].eval_docs]
    parts = {s: [d["id"] for d in tasks[f"pak3h_truthfulqa_ur_mc_{s}"].eval_docs] for s in SPLITS}
    assert sorted(whole) == sorted(name for part in parts.values() for name in part)
    assert all(parts.values())


def test_split_tasks_of_mixed_prompts_ask_each_prompt_once(tmp_path):
    labels = (("p", "dt"), ("p", "lc"), ("p", "lc"), ("q", "dt"), ("r", "li"), ("r", "dt"))
    rows = [harmless(n, prompt=prompt, localization=label) for n, (prompt, label) in enumerate(labels, 1)]
    write_jsonl(tmp_path / "beavertails" / "ur.jsonl", rows)

    def ids(split):
        task = {"dataset": "beavertails", "lang": "ur", "kind": "gen", "split": split}
        return [(doc["id"], doc["localization"]) for doc in build(task, pak3h_data=str(tmp_path))["test"]]

    assert ids(None) == [("b1", "lc"), ("b4", "dt"), ("b5", "dt")]
    assert (ids("dt"), ids("lc")) == ([("b4", "dt"), ("b5", "dt")], [("b1", "lc")])
    with pytest.raises(DataError, match="no prompt is in split 'li'; run the task without _li"):
        ids("li")


def test_prompts(manager):
    tasks = manager.load([f"pak3h_truthfulqa_{lang}" for lang in LANGS])["tasks"]
    for lang, start, end in (("ur", "سوال: ", "\nجواب:"), ("urmt", "سوال: ", "\nجواب:"), ("en", "Q: ", "\nA:")):
        for kind in ("mc", "gen"):
            task = tasks[f"pak3h_truthfulqa_{lang}_{kind}"]
            document = task.eval_docs[0]
            assert task.fewshot_context(document, 0) == f"{start}{document['question']}{end}"
            shots = task.fewshot_context(document, 6)
            assert shots.count(end) == 7
            assert shots.endswith(f"{start}{document['question']}{end}")
            assert ("I have no comment." if lang == "en" else "میں کوئی تبصرہ نہیں کروں گا۔") in shots


def test_six_pairs_make_lm_evals_own_prompt(manager):
    """Under ``--num_fewshot 6``, which its truthfulqa_mc has in the text of the prompt."""
    theirs = load_yaml(Path(lm_eval.__file__).parent / "tasks/truthfulqa/truthfulqa_mc1.yaml", resolve_func=False)
    task = manager.load(["pak3h_truthfulqa_en_mc"])["tasks"]["pak3h_truthfulqa_en_mc"]
    for doc in list(task.eval_docs)[:3]:
        assert task.fewshot_context(doc, 6) == Template(theirs["doc_to_text"]).render(question=doc["question"])


def test_tasks_without_a_primer_ignore_num_fewshot(manager):
    """lm-eval would draw shots from the items it scores (and empty answers for beavertails); 0 in the config wins."""
    for name, task in manager.load(manager.all_subtasks)["tasks"].items():
        assert task.get_config("num_fewshot") == (None if "truthfulqa" in name else 0), name


def test_few_shot_turns_for_chat_models(manager):
    task = manager.load(["pak3h_truthfulqa_ur_gen"])["tasks"]["pak3h_truthfulqa_ur_gen"]
    seen = []
    task.fewshot_context(
        task.eval_docs[0],
        6,
        apply_chat_template=True,
        fewshot_as_multiturn=True,
        chat_template=lambda messages, **_: seen.append(messages) or "",
    )
    assert [message["role"] for message in seen[0]] == ["user", "assistant"] * 6 + ["user"]


def test_continuations_start_with_one_space(manager):
    task = manager.load(["pak3h_truthfulqa_ur_mc"])["tasks"]["pak3h_truthfulqa_ur_mc"]
    document = task.eval_docs[0]
    requests = task.construct_requests(document, task.fewshot_context(document, 0), metadata=("t", 0, 1))
    assert len(requests) == len(set(document["choices"])) == len(document["choices"])
    for request, choice in zip(requests, document["choices"], strict=True):
        assert request.args[1] == f" {choice}"
        assert choice[-1] in "۔؟!.“”" and not choice.endswith("۔.")


@pytest.mark.parametrize("wrapped", [[{"response": "x"}], [[{"response": "x"}]], [[[{"response": "x"}]]]])
def test_record_is_found_in_whatever_lists_lm_eval_wraps(wrapped):
    assert record_of(wrapped) == {"response": "x"}


@pytest.mark.parametrize("wrong", [["a string"], [["a", "b"]], [], None, [[]]])
def test_anything_else_is_refused(wrong):
    with pytest.raises(TypeError, match="filter_list"):
        record_of(wrong)
