"""The import hook, in real environments: wheel, editable installs, off switch, override, a changed lm-eval."""

import json
import shutil
import textwrap

import pytest

from support.environments import REPO, make_environment

SHOW = """
import json, sys
from lm_eval.tasks import TaskManager
manager = TaskManager(include_path=sys.argv[1] if len(sys.argv) > 1 else None)
names = manager.all_tasks
print(json.dumps({
    "ours": [n for n in names if n.startswith("pak3h")],
    "built_in": "truthfulqa_mc1" in names,
    "where": str(manager.task_index["pak3h_truthfulqa_ur_mc"].yaml_path) if "pak3h_truthfulqa_ur_mc" in names else None,
    "include_path": manager.include_path,
}))
"""


def seen(environment, *arguments, **environ):
    done = environment.run("-c", SHOW, *arguments, **environ)
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def test_wheel_beside_an_editable_lm_eval(environment, small_lm_eval):
    result, stderr = seen(environment)
    assert {"pak3h", "pak3h_ur", "pak3h_truthfulqa_ur", "pak3h_honesty", "pak3h_truthfulqa_urmt_gen_li"} <= set(
        result["ours"]
    )
    assert result["built_in"]
    assert result["where"].startswith(str(environment.site_packages / "pak3h_tasks" / "task_yaml"))
    assert "pak3h" not in stderr.lower()
    # the trap of lm_eval_facts.md: nothing of ours may make an lm_eval folder in site-packages
    assert not (environment.site_packages / "lm_eval").exists()


def test_editable_install_of_ours(tmp_path, small_lm_eval):
    environment = make_environment(tmp_path / "env", first=small_lm_eval)
    environment.pip("install", "--no-deps", "--no-build-isolation", "-e", REPO)
    result, _ = seen(environment)
    assert result["where"].startswith(str(REPO / "task_yaml"))


def test_off_switch(environment):
    result, stderr = seen(environment, PAK3H_AUTOLOAD="0")
    assert result["ours"] == []
    assert result["built_in"]
    assert "pak3h" not in stderr.lower()


def test_a_users_task_of_the_same_name_wins(environment, tmp_path):
    (tmp_path / "mine.yaml").write_text("task: pak3h_truthfulqa_ur_mc\ndataset_path: mine\n")
    result, _ = seen(environment, tmp_path)
    assert result["where"] == str(tmp_path / "mine.yaml")
    assert result["include_path"] == str(tmp_path)
    assert "pak3h_truthfulqa_en_mc" in result["ours"]


def test_our_own_folder_as_include_path_is_not_scanned_twice(environment):
    folder = environment.run("-m", "pak3h_tasks", "tasks-dir").stdout.strip()
    result, stderr = seen(environment, folder)
    assert "pak3h_ur" in result["ours"]
    assert "overrides" not in stderr


@pytest.mark.parametrize(
    ("before", "after", "warns"),
    [
        ("include_path: str | Path", "include_paths: str | Path", True),
        (
            "        self.include_path = include_path\n",
            "        if isinstance(include_path, list):\n            raise TypeError('one folder')\n        x = 0\n",
            True,
        ),
        ("from __future__ import annotations\n", "from __future__ import annotations\n# entry_points\n", False),
    ],
    ids=["argument renamed", "takes one folder only", "loads entry points itself"],
)
def test_an_lm_eval_that_changed_goes_on_without_us(tmp_path, wheel, small_lm_eval, before, after, warns):
    shutil.copytree(small_lm_eval / "lm_eval", tmp_path / "src" / "lm_eval")
    manager = tmp_path / "src" / "lm_eval" / "tasks" / "manager.py"
    text = manager.read_text()
    assert before in text
    manager.write_text(text.replace(before, after))
    environment = make_environment(tmp_path / "env", first=tmp_path / "src")
    environment.pip("install", "--no-deps", wheel)
    done = environment.run(
        "-c", "from lm_eval.tasks import TaskManager\ntry:\n    TaskManager()\nexcept NameError: pass\nprint('alive')"
    )
    assert "alive" in done.stdout
    lines = [line for line in done.stderr.splitlines() if "pak3h-tasks" in line]
    assert len(lines) == warns, done.stderr


def test_uninstalling_leaves_nothing(tmp_path, wheel):
    environment = make_environment(tmp_path)
    before = {p.relative_to(environment.root) for p in environment.root.rglob("*")}
    environment.pip("install", "--no-deps", wheel)
    environment.run("-c", "import pak3h_tasks._autoload")
    environment.pip("uninstall", "-y", "pak3h-tasks")
    assert {p.relative_to(environment.root) for p in environment.root.rglob("*")} == before


def test_a_process_without_lm_eval_only_gets_one_finder(environment):
    done = environment.run(
        "-c",
        textwrap.dedent(
            """
            import sys
            print([getattr(finder, "__module__", "") for finder in sys.meta_path].count("pak3h_tasks._autoload"))
            print(sorted(m for m in sys.modules if m.startswith(("pak3h", "pydantic", "lm_eval", "logging"))))
            """
        ),
    )
    assert done.stdout.splitlines() == ["1", "['pak3h_tasks', 'pak3h_tasks._autoload']"]
