"""`pak3h demo`: a tiny random model, lm_eval on the embedded Urdu sample, and a report."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from pak3h_tasks.cli.parser import command_parser
from pak3h_tasks.errors import BackendError
from pak3h_tasks.extras import missing_extra


def main(argv: Sequence[str]) -> int:
    """Run it; 1 where a step failed, which has said why."""
    parser = command_parser(
        "pak3h demo",
        "Make a tiny random model, run lm_eval on the embedded Urdu sample, and write a report. No download, no\n"
        "judge is asked, and nothing is written outside the folder.",
        "pak3h demo",
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("demo_out"), help="folder; default: demo_out")
    folder: Path = parser.parse_args(argv).output
    for package in ("torch", "transformers", "accelerate"):
        if find_spec(package) is None:
            raise missing_extra("the demo", package)
    from pak3h_tasks.backends.local.tiny_model import build

    model, results, report = folder / "tiny-llama", folder / "results", folder / "report.html"
    try:
        build(model)
    except OSError as error:
        raise BackendError(f"{folder}: cannot be written ({error.strerror or error}); give another -o") from None
    _step(
        *(
            "lm_eval",
            "--model",
            "hf",
            "--model_args",
            f"pretrained={model.as_posix()}",
            "--tasks",
            "pak3h_truthfulqa_ur",
        ),
        *("--device", "cpu", "--batch_size", "8", "--output_path", str(results), "--log_samples"),
        folder=folder,
    )
    _step("pak3h", "report", str(results), "-o", str(report), folder=folder)
    print("The model is random, so these numbers only show that everything works.")
    print(f"Results and samples: {results.absolute()}")
    print(f"Report, open it in a browser: {report.absolute()}")
    return 0


def environment(folder: Path) -> dict[str, str]:
    """Of a step: whatever keys and settings lie about, a demo costs nobody anything and leaves nothing elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAK3H_", "OPENAI_"))}
    return {
        **kept,
        "PAK3H_JUDGE": "none",
        "PAK3H_CLASSIFIER": "none",
        "PAK3H_CACHE_DIR": str(folder.absolute() / "cache"),
        "HF_HUB_OFFLINE": "1",
        "PYTHONUTF8": "1",  # lm_eval prints arrows, which a code page of Windows may not have
    }


def _step(program: str, *arguments: str, folder: Path) -> None:
    print("+", shlex.join([program, *arguments]), file=sys.stderr, flush=True)
    module = {"lm_eval": "lm_eval", "pak3h": "pak3h_tasks"}[program]
    # by this Python: the scripts of an environment that is not active are on no PATH
    done = subprocess.run([sys.executable, "-m", module, *arguments], env=environment(folder), check=False)
    if done.returncode:
        raise BackendError(f"the demo's {program} failed with exit code {done.returncode}; pak3h doctor may say why")
