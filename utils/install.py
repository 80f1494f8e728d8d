"""Make .venv and install this checkout into it, once for each state of pyproject.toml and constraints.txt.

python utils/install.py EXTRAS     such as: hf    or: hf,localise,test
"""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OF_THE_INSTALL = ("pyproject.toml", "pak3h_autoload.pth", "utils/constraints.txt")


def python_of(environment: Path) -> Path:
    """The interpreter of a virtual environment, where this system puts it."""
    return environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def install(extras: str) -> Path:
    """Install; returns the Python of .venv."""
    if sys.version_info < (3, 10):  # noqa: UP036 - it is the first thing that runs, by whatever Python there is
        version = ".".join(map(str, sys.version_info[:3]))
        sys.exit(
            f"Python 3.10 or newer is needed; {sys.executable} is {version}. Call another (bash: set PYTHON to it)."
        )
    environment = ROOT / ".venv"
    python = python_of(environment)
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    state = zlib.crc32(b"".join((ROOT / name).read_bytes() for name in OF_THE_INSTALL))
    stamp = environment / f".installed-{extras}-{state}"
    if not stamp.exists():
        print(f"installing this checkout [{extras}] into .venv (a few minutes, once)", file=sys.stderr, flush=True)
        pip = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*pip, "-c", "utils/constraints.txt", "-e", f".[{extras}]"], cwd=ROOT, check=True)
        stamp.touch()
    return python


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print((__doc__ or "").strip(), file=sys.stderr)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        install(arguments[0])
    except subprocess.CalledProcessError as error:
        return int(error.returncode)  # pip has said why
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
