"""The whole quality gate, as CI runs it: own .venv, format, lint, types, layers, tests.

python utils/check.py     (bash utils/check is the same)
"""

from __future__ import annotations

import os
import subprocess
import sys

from install import ROOT, install

STEPS = (
    ("ruff", "format", "--check", "."),
    ("ruff", "check", "."),
    ("mypy",),
    ("lint-imports", "--no-cache"),
    ("python", "utils/make_task_yaml.py", "--check"),
    ("python", "utils/check_sample.py"),
    # a file at a time to each process
    ("pytest", "-n", "auto", "--maxprocesses", "8", "--dist", "loadfile"),
)


def main() -> int:
    python = install("hf,localise,test")
    if sys.platform == "linux":
        subprocess.run(["bash", "utils/install_browser"], cwd=ROOT, check=True)
    environment = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",  # or two processes of torch get in each other's way
        "PATH": os.pathsep.join([str(python.parent), os.environ["PATH"]]),
        "PYTHONUTF8": "1",  # tests read and print Urdu, which a code page of Windows does not have
    }
    for step in STEPS:
        print("==", *step, flush=True)
        program = python.with_name(step[0] + (".exe" if sys.platform == "win32" else ""))
        status = subprocess.run([program, *step[1:]], cwd=ROOT, env=environment, check=False).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)  # pip or apt-get has said why
