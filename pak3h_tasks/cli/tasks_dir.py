"""`pak3h tasks-dir`: the folder for lm_eval's --include_path."""

from __future__ import annotations

from collections.abc import Sequence

from pak3h_tasks.cli.parser import command_parser
from pak3h_tasks.resources import task_dir


def main(argv: Sequence[str]) -> int:
    """Print the folder."""
    command_parser(
        "pak3h tasks-dir",
        "Print the folder of the task YAML, for an lm_eval that does not see the tasks by itself.",
        'lm_eval --include_path "$(pak3h tasks-dir)" --tasks pak3h_truthfulqa_ur --model hf ...',
    ).parse_args(argv)
    print(task_dir())
    return 0
