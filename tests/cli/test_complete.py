"""TAB after `pak3h ...` in a real bash, by the very line that README.md tells people to put into ~/.bashrc."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pak3h_tasks.cli.main import COMMANDS
from support.environments import REPO, clean_environ

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")

_TAB = """
COMP_LINE="$1" COMP_POINT=${#1} COMP_TYPE=9
read -ra COMP_WORDS <<< "$1"
[[ "$1" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_python_argcomplete pak3h
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def tab(tmp_path):
    scripts = Path(sys.executable).parent
    if not (scripts / "pak3h").exists() or not (scripts / "register-python-argcomplete").exists():
        pytest.skip("the commands are not installed beside this Python")
    (switch_on,) = re.findall(r'`(eval "[^`]*argcomplete pak3h\)")`', (REPO / "README.md").read_text(encoding="utf-8"))
    (tmp_path / "runs").mkdir()

    def press(line):
        environ = clean_environ(PATH=f"{scripts}{os.pathsep}{os.environ['PATH']}")
        command = ["bash", "--norc", "-c", f"{switch_on}\n{_TAB}", "bash", line]
        done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    return press


def test_commands(tab):
    assert {command.name for command in COMMANDS} <= set(tab("pak3h "))
    assert tab("pak3h lea") == ["leaderboard"]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("pak3h data val", ["validate"]),
        ("pak3h data convert x --la", ["--lang"]),
        ("pak3h data convert x --lang ", ["ur", "en", "urmt"]),
        ("pak3h agreement draw x --dataset b", ["beavertails"]),
        ("pak3h report ru", ["runs/"]),
        ("pak3h run --model_a", ["--model_args"]),
        ("pak3h run --tasks pak3h_truthfulqa_ur_mc_l", ["pak3h_truthfulqa_ur_mc_lc", "pak3h_truthfulqa_ur_mc_li"]),
        (
            "pak3h run --tasks pak3h_ur,pak3h_alpaca_en_l",
            ["pak3h_ur,pak3h_alpaca_en_lc", "pak3h_ur,pak3h_alpaca_en_li"],
        ),
        ("pak3h run ls t", ["tasks", "tags"]),
        ("pak3h nonsense x", []),
    ],
)
def test_below_a_command(tab, line, offered):
    assert tab(line) == offered


def test_every_command_offers_its_options(tab):
    for command in COMMANDS:
        assert "--help" in tab(f"pak3h {command.name} --he"), command.name


def test_no_command_pays_for_it(tmp_path):
    code = "import sys; from pak3h_tasks.cli.main import main\n"
    code += "main(['data', 'info']); sys.exit('argcomplete' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=clean_environ())
    assert done.returncode == 0
