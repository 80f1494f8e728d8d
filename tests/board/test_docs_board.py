"""docs/board.md: its commands run, its file is one, and every field is named; the demo of two tiny models."""

import os
import re
import subprocess
import sys
import time

import pytest

from pak3h_tasks.board.config import Board, BoardModel, Classifier, Judge, read_board
from support.environments import REPO, clean_environ

PAGE = (REPO / "docs" / "board.md").read_text("utf-8")
DEMO = (REPO / "utils" / "board_demo").read_text("utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_file_of_the_page_is_a_board(tmp_path):
    (text,) = blocks("yaml")
    (tmp_path / "board.yaml").write_text(text, encoding="utf-8")
    board = read_board(tmp_path / "board.yaml")
    assert len(board.models) == 3 and board.judge.batch and board.settings().judge == "gpt-4o-mini"


@pytest.mark.parametrize("model", [Board, BoardModel, Judge, Classifier])
def test_every_field_is_on_the_page(model):
    for name in model.model_fields:
        assert name == "path" or f"`{name}`" in PAGE, name


@pytest.mark.slow
def test_its_commands_run_and_the_demo_says_what_it_says(tmp_path):
    """From nothing to a board of two models: no traceback, and with those of the install fewer than 40 lines."""
    programs = tmp_path / "bin"
    programs.mkdir()
    code = "from pak3h_tasks.cli.main import entry\nraise SystemExit(entry())\n"
    (programs / "pak3h").write_text(f"#!{sys.executable}\n{code}")
    (programs / "pak3h").chmod(0o755)
    environ = clean_environ(
        PATH=f"{programs}{os.pathsep}{os.environ['PATH']}", PAK3H_CACHE_DIR=str(tmp_path / "board_demo" / "cache"),
        PAK3H_JUDGE="gpt-4o", OPENAI_API_KEY="sk-none-of-the-demo",
    )  # fmt: skip
    assert "utils/board_demo.py board_demo\n" in DEMO  # behind the install
    said, began = "", time.monotonic()
    for line in "".join(blocks("sh")).splitlines():
        words = line.split()
        if line == "bash utils/board_demo":
            words = [sys.executable, str(REPO / "utils/board_demo.py"), "board_demo", "--limit", "2"]
        done = subprocess.run(words, cwd=tmp_path, env=environ, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        said += done.stdout + done.stderr
        if words[1:3] == [str(REPO / "utils/board_demo.py"), "board_demo"]:
            assert len(said.splitlines()) < 20  # with those of the shell script fewer than 40
            assert time.monotonic() - began < 360
    assert "Traceback" not in said and len(said.splitlines()) < 30
    shown = PAGE.split("```\n")[2].splitlines()
    for line in shown:
        assert re.sub(r"\d+", "N", line) in re.sub(r"\d+", "N", said), line
    page = (tmp_path / "board_demo/board/index.html").read_text("utf-8")
    assert "Tiny, with a chat template" in page and environ["PAK3H_CACHE_DIR"] not in page
    assert "sk-none" not in said
