"""Throw-away virtual environments that borrow this interpreter's packages, and a small copy of the real lm-eval."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
PURELIB = Path(sysconfig.get_path("purelib"))


def clean_environ(**extra: str) -> dict[str, str]:
    """This process's environment without anything that configures Pak3H or a judge, plus `extra`."""
    configures = ("PAK3H_", "OPENAI_", "PYTHONPATH")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(configures) or k == "PAK3H_CACHE_DIR"}
    return {**kept, "HF_HUB_OFFLINE": "1", "COLUMNS": "200", **extra}


def run(command: list[str | Path], *, check: bool = True, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command, text in and out; on an unexpected exit code, show what it printed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if check and done.returncode:
        raise AssertionError(f"{command} exited {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}")
    return done


@dataclass(frozen=True)
class Environment:
    """A virtual environment."""

    root: Path

    @property
    def python(self) -> Path:
        return self.root / "bin" / "python"

    @property
    def site_packages(self) -> Path:
        return self.root / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"

    def pip(self, *arguments: str | Path) -> None:
        run([sys.executable, "-m", "pip", "--python", self.python, "-q", *arguments], env=clean_environ())

    def run(self, *arguments: str | Path, check: bool = True, **environ: str) -> subprocess.CompletedProcess[str]:
        return run([self.python, *arguments], check=check, cwd=self.root, env=self.environ(**environ))

    def environ(self, **extra: str) -> dict[str, str]:
        """`clean_environ` with a cache folder of its own: tests leave nothing in the developer's."""
        return clean_environ(**{"PAK3H_CACHE_DIR": str(self.root / "cache"), **extra})


def make_environment(root: Path, *, first: Path | None = None) -> Environment:
    """A venv that sees this interpreter's packages, but not its .pth files; `first` goes before them on the path."""
    run([sys.executable, "-m", "venv", "--without-pip", root])
    environment = Environment(root)
    folders = [*([str(first)] if first else []), *borrowed_paths()]
    # named so that it is read after an editable install's .pth, as a real site-packages would come
    (environment.site_packages / "zz_borrowed.pth").write_text("\n".join(folders) + "\n")
    return environment


def borrowed_paths() -> list[str]:
    """Every site-packages this interpreter uses (a developer's .venv may itself borrow from another)."""
    return [str(PURELIB), *(p for p in sys.path if p.endswith("site-packages") and p != str(PURELIB))]


def build_wheel(folder: Path) -> Path:
    """The wheel, built from a copy without what git ignores, as a release would be."""
    run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, REPO])
    (wheel,) = folder.glob("pak3h_tasks-*.whl")
    return wheel


def small_lm_eval(folder: Path) -> Path:
    """The installed lm-eval's own code with few of its 14,000 task files: the same behaviour, a quick start."""
    import lm_eval

    source = Path(lm_eval.__file__).parent
    target = folder / "lm_eval"
    shutil.copytree(source, target, ignore=lambda d, names: [n for n in names if Path(d) == source and n == "tasks"])
    (target / "tasks").mkdir()
    for path in (source / "tasks").glob("*.py"):
        shutil.copy(path, target / "tasks")
    for name in ("truthfulqa", "arc"):
        shutil.copytree(source / "tasks" / name, target / "tasks" / name)
    return folder
