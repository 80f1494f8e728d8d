"""How plain lm_eval prints and resolves our tasks, and that it does what it did with those of others."""

import shlex

import pytest

from support.environments import REPO
from support.lm_eval_commands import say

pytestmark = pytest.mark.slow

TASK = """
task: mine
custom_dataset: !function pak3h_tasks.harness.dataset.build
test_split: test
dataset_kwargs: {pak3h: {dataset: truthfulqa, lang: ur, kind: mc}}
doc_to_text: question
doc_to_choice: choices
doc_to_target: 0
output_type: multiple_choice
metric_list: [{metric: acc}, {metric: acc_norm}]
"""
WORDS = ("lm_eval", "--model", "dummy", "--limit", "2")


@pytest.fixture(scope="module")
def said(environment, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mine")
    (folder / "mine.yaml").write_text(TASK)
    names = ("wildcard", "predicted", "others")
    return dict(
        zip(
            names,
            say(
                environment,
                [
                    [*WORDS, "--tasks", "pak3h_*_ur*,pak3h_generation_ur,pak3h_ur,pak3h"],
                    [*WORDS, "--tasks", "pak3h_truthfulqa_ur", "--predict_only", "--output_path", folder / "out"],
                    [*WORDS, "--tasks", "mine", "--include_path", folder],
                ],
            ),
            strict=True,
        )
    )


def test_commands_of_the_page_about_prompts(environment, tiny_model, tmp_path):
    page = (REPO / "docs/prompting.md").read_text("utf-8")
    commands = [
        shlex.split(line, comments=True) for line in page.splitlines() if line.startswith(("lm_eval ", "pak3h "))
    ]
    assert len(commands) == 5
    for command in commands:
        for number, word in enumerate(command):
            command[number] = word.replace("out/", f"{tmp_path}/").replace("=MODEL", f"={tiny_model}")
        if command[0] == "lm_eval":
            command += ["--limit", "2", "--device", "cpu", "--gen_kwargs", "max_gen_toks=8"]
    for done in say(environment, commands):
        assert done.code == 0, done.stderr[-3000:]


def rows(said):
    """(task, metric) of each row; a task's name stands in its first."""
    found, task = [], ""
    for line in said.stdout.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 9 and cells[3] not in ("Filter", "------"):
            task = cells[1].removeprefix("- ") or task
            found.append((task, cells[5]))
    return found


def test_a_wildcard_beside_groups_and_tags_runs_each_task_once(said):
    assert said["wildcard"].code == 0, said["wildcard"].stderr[-3000:]
    first = {}
    for task, metric in rows(said["wildcard"]):
        first.setdefault(task, metric)
    assert first["pak3h_truthfulqa_ur_mc"] == first["pak3h_truthfulqa_ur_mc_dt"] == "mc1"
    assert {"pak3h_alpaca_urmt", "pak3h_beavertails_en", "pak3h_truthfulqa_ur_gen_li"} <= set(first)
    found = [row for row in rows(said["wildcard"]) if row[0]]
    assert len(found) == len(set(found))


def test_our_tasks_give_no_advice_about_metadata(said):
    assert "Custom kwargs" not in said["wildcard"].stderr
    assert said["wildcard"].stderr.count("WARNING") <= 4  # --limit, and ours: sample, no judge, no classifier
    assert "mine: Custom kwargs can be passed" in said["others"].stderr


def test_choices_have_a_row_where_only_predictions_are_asked_for(said):
    assert rows(said["predicted"]) == [("pak3h_truthfulqa_ur_gen", "bypass"), ("pak3h_truthfulqa_ur_mc", "bypass")]


def test_rows_of_others_stay_in_their_order(said):
    assert rows(said["others"]) == [("mine", "acc"), ("mine", "acc_norm")]
