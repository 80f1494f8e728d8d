"""Run the real `lm_eval` command in an environment and read back what it wrote."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.environments import Environment, clean_environ


@dataclass(frozen=True)
class Run:
    """One finished command."""

    returncode: int
    stdout: str
    stderr: str
    output: Path

    @property
    def results(self) -> dict[str, Any]:
        (path,) = (p for p in self.output.rglob("results_*.json") if "_scored-" not in p.name)
        return json.loads(path.read_text(encoding="utf-8"))

    def samples(self, task: str) -> list[dict[str, Any]]:
        (path,) = self.output.rglob(f"samples_{task}_2*.jsonl")  # a date: no longer name
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def lm_eval(
    environment: Environment,
    output: Path,
    model: Path | str,
    tasks: str,
    *arguments: str | Path,
    command: tuple[str, ...] = ("-m", "lm_eval"),
    cwd: Path | None = None,
    check: bool = True,
    **environ: str,
) -> Run:
    """`lm_eval --model hf --model_args pretrained=MODEL --tasks TASKS ...` (`model="dummy"`: lm-eval's own dummy)."""
    model_args = ["--model", "dummy"] if model == "dummy" else ["--model", "hf", "--model_args", f"pretrained={model}"]
    line = [environment.python, *command, *model_args, "--tasks", tasks, "--device", "cpu", "--output_path", output]
    done = subprocess.run(
        [str(part) for part in (*line, "--log_samples", *arguments)],
        capture_output=True,
        text=True,
        cwd=cwd or environment.root,
        env=clean_environ(**environ),
    )
    if check and done.returncode:
        raise AssertionError(f"lm_eval exited {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}")
    return Run(done.returncode, done.stdout, done.stderr, output)
