import pytest
from lm_eval.tasks import TaskManager, manager

from pak3h_tasks.harness.attach import attach
from pak3h_tasks.harness.task_lists import leaves, unknown, without_overlaps
from pak3h_tasks.resources import task_dir


@pytest.fixture(scope="module")
def ours():
    return TaskManager(include_defaults=False, include_path=str(task_dir()))


def tasks_of(names, ours):
    return sorted(leaves(names, ours.task_index))


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        (["pak3h", "pak3h_ur"], ["pak3h"]),
        (["pak3h_ur", "pak3h"], ["pak3h"]),
        (["pak3h_generation_ur", "pak3h_ur"], ["pak3h_ur"]),
        (["pak3h_ur", "pak3h_alpaca_ur", "arc_easy"], ["pak3h_ur", "arc_easy"]),
        (["pak3h_alpaca_ur", "pak3h_alpaca_ur_dt", "pak3h_alpaca_ur"], ["pak3h_alpaca_ur", "pak3h_alpaca_ur_dt"]),
        (
            ["pak3h_truthfulqa_ur", "pak3h_generation_ur"],
            ["pak3h_truthfulqa_ur", "pak3h_alpaca_ur", "pak3h_beavertails_ur"],
        ),
        (["pak3h_honesty", "pak3h_truthfulqa_en_mc"], None),
        (["arc_easy", {"task": "mine"}, "pak3h_of_a_user"], ["arc_easy", {"task": "mine"}, "pak3h_of_a_user"]),
    ],
)
def test_each_task_is_in_one_entry(ours, asked, kept):
    found = without_overlaps(asked, ours.task_index)
    assert kept is None or found == kept
    assert tasks_of(found, ours) == tasks_of(asked, ours)
    below = [name for entry in found for name in tasks_of([entry], ours)]
    assert len(below) == len(set(below))


@pytest.mark.parametrize("pattern", ["pak3h*", "pak3h_*_ur*", "pak3h_*", "*_splits"])
def test_wildcards_match_groups_tags_and_members(ours, pattern):
    matched = ours.match_tasks([pattern])
    found = without_overlaps(matched, ours.task_index)
    below = [name for entry in found for name in tasks_of([entry], ours)]
    assert sorted(below) == sorted(set(below)) == tasks_of(matched, ours)


def test_lm_eval_loads_what_it_refused(ours):
    attach(manager)
    attach(manager)  # once is enough
    loaded = ours.load(["pak3h_generation_ur", "pak3h_truthfulqa_ur", "pak3h_truthfulqa_ur_mc"])
    assert list(loaded["groups"]) == ["pak3h_truthfulqa_ur"]
    assert sorted(loaded["tasks"]) == [
        "pak3h_alpaca_ur", "pak3h_beavertails_ur", "pak3h_truthfulqa_ur_gen", "pak3h_truthfulqa_ur_mc",
    ]  # fmt: skip


def test_overlaps_of_others_are_refused_as_before(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.yaml").write_text(f"group: {name}\ntask: [one]\n")
    (tmp_path / "one.yaml").write_text(
        "task: one\ncustom_dataset: !function pak3h_tasks.harness.dataset.build\ntest_split: test\n"
        "dataset_kwargs: {pak3h: {dataset: alpaca, lang: ur, kind: gen}}\n"
        "doc_to_text: instruction\ndoc_to_target: output\noutput_type: generate_until\n"
    )
    attach(manager)
    with pytest.raises(ValueError, match="found in both 'a' and 'b'"):
        TaskManager(include_defaults=False, include_path=str(tmp_path)).load(["a", "b"])


def test_names_that_nobody_knows(ours):
    def said(name, only_ours=False):
        return unknown([name], ours.all_tasks, only_ours=only_ours)

    assert "did you mean pak3h_ur?" in said("pak3h-ur")[0]
    assert "did you mean pak3h_ur?" in said("PAK3H_UR")[0]
    assert "did you mean pak3h_generation_ur?" in said("pak3h_genration_ur")[0]
    assert "pak3h run ls tasks" in said("pak3h_*_xx")[0]
    assert "did you mean pak3h_ur?" in said("pakh3_ur")[0]
    assert said("hellaswag") == said("mmlu_*") == said("truthfulqa_mcc") == []
    assert "use lm_eval" in said("hellaswag", only_ours=True)[0]
