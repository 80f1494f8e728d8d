"""`pak3h run`: lm_eval with only the Pak3H tasks indexed."""

from __future__ import annotations

import os
from collections.abc import Sequence

USAGE = """usage: pak3h run LM_EVAL_ARGUMENTS
       pak3h run ls [tasks|groups|subtasks|tags]
       pak3h run validate --tasks TASK1,TASK2

Calls lm_eval with only the Pak3H tasks indexed, so that it starts in seconds.
All of lm_eval's own arguments work; `lm_eval run --help` lists them.

example:
  pak3h run --model hf --model_args pretrained=Qwen/Qwen2.5-0.5B-Instruct \\
      --tasks pak3h_truthfulqa_ur --output_path out --log_samples
"""


def main(argv: Sequence[str]) -> int:
    """Hand `argv` to lm-eval untouched; what a user can mend ends in one line, as everywhere in `pak3h`."""
    if not argv or argv[0] in {"-h", "--help"}:
        print(USAGE, end="")
        return 0 if argv else 2
    # the tasks come from `only_ours`; the import hook would only add them a second time
    os.environ["PAK3H_AUTOLOAD"] = "0"
    from pak3h_tasks.harness.only_ours import run_lm_eval

    run_lm_eval([*argv, "tasks"] if list(argv) == ["ls"] else argv)
    return 0
