"""`pak3h tasks-dir`: the folder for lm_eval's --include_path."""

from __future__ import annotations

import argparse

from pak3h_tasks.resources import task_dir

HELP = "print the folder of the task YAML, for lm_eval --include_path"
EXAMPLE = 'lm_eval --include_path "$(pak3h tasks-dir)" --tasks pak3h_truthfulqa_ur --model hf ...'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments."""
    del parser


def run(arguments: argparse.Namespace) -> int:
    """Print the folder."""
    del arguments
    print(task_dir())
    return 0
