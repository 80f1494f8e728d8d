"""A built wheel in an empty virtual environment, used there as a stranger would: pak3h, lm_eval, doctor."""

from __future__ import annotations

import email
import json
import os
import shutil
import subprocess
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

from install import python_of
from packaging.requirements import Requirement

TASK = "pak3h_truthfulqa_ur"
LIMIT = 2
# Modules are imported late, so what an older Python cannot read may lie where no quick run comes by.
IMPORT_ALL = """
import importlib, pkgutil, pak3h_tasks
for module in pkgutil.walk_packages(pak3h_tasks.__path__, "pak3h_tasks."):
    try:
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        if error.name.startswith("pak3h_tasks"):
            raise  # the others are those of extras
"""
OF_THE_CHECKOUT = ("PAK3H_", "OPENAI_", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


class InstallError(Exception):
    """A command failed, or gave something else than it should."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and the folder that everything in it is run in."""

    folder: Path

    @classmethod
    def empty(cls, interpreter: Path, folder: Path) -> Environment:
        """A new one, with nothing in it but pip."""
        subprocess.run([interpreter, "-m", "venv", folder], check=True)
        return cls(folder)

    def run(self, *command: str) -> str:
        """Run a command of the environment, without the settings of whoever calls; returns what it printed."""
        program = python_of(self.folder).with_name(command[0])  # Windows finds pak3h.exe by itself
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_THE_CHECKOUT)}
        own = {"HF_HUB_OFFLINE": "1", "PYTHONUTF8": "1", "PAK3H_CACHE_DIR": str(self.folder / "cache")}
        done = subprocess.run(
            [program, *command[1:]],
            capture_output=True,
            check=False,
            cwd=self.folder,
            encoding="utf-8",
            env={**kept, **own},
        )
        if done.returncode:
            last = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
            raise InstallError(f"{' '.join(command)} ended with {done.returncode}:\n{last}")
        return done.stdout

    def pip(self, *arguments: str) -> str:
        """Run the environment's pip, from the index and with the settings that pip has on this machine."""
        return self.run("python", "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check")

    def use(self, version: str) -> str:
        """Do what a newcomer does first; returns the version of lm-eval that it was done with.

        Raises:
            InstallError: Something is not as it should be.
        """
        if (said := self.run("pak3h", "--version").strip()) != f"pak3h {version}":
            raise InstallError(f"pak3h --version says {said}")
        self.run("python", "-m", "pip", "check")
        self.run("python", "-W", "error::SyntaxWarning", "-c", IMPORT_ALL)
        shutil.rmtree(self.folder / "runs", ignore_errors=True)
        lm_eval = ("lm_eval", "--model", "dummy", "--tasks", TASK, "--limit", str(LIMIT), "--output_path", "runs")
        self.run(*lm_eval)
        found = list((self.folder / "runs").rglob("results_*.json"))
        if len(found) != 1:
            raise InstallError(f"lm_eval wrote {len(found)} results files")
        results = json.loads(found[0].read_text(encoding="utf-8"))
        for task, metric in ((f"{TASK}_mc", "mc2,none"), (f"{TASK}_gen", "chrf_max,none")):
            value, items = results["results"][task].get(metric), results["n-samples"][task]["effective"]
            if not isinstance(value, float) or items != LIMIT:
                raise InstallError(f"{task} has {metric} {value} of {items} items, not a number of {LIMIT}")
        self.run("pak3h", "doctor")  # ends with 1 where lm_eval would not see the tasks or the data are broken
        return str(results["lm_eval_version"])

    def resolve(self, wheel: Path, extra: str) -> dict[str, str]:
        """Versions of what pip would add for an extra; where the index serves metadata, nothing big is downloaded."""
        report = self.folder / "report.json"
        self.pip("install", "--dry-run", "--report", str(report), f"{wheel}[{extra}]")
        added = json.loads(report.read_text(encoding="utf-8"))["install"]
        return {entry["metadata"]["name"]: entry["metadata"]["version"] for entry in added}


def try_wheel(interpreter: Path, wheel: Path, folder: Path, version: str) -> tuple[list[str], str]:
    """Install with the newest packages that pip finds, as strangers get them; then with the oldest lm-eval, if another.

    Args:
        interpreter: Makes the virtual environment.
        wheel: The file to install.
        folder: Of the environment, which is removed at the end: it takes about a gigabyte.
        version: What the wheel must say it is.

    Returns:
        The versions of lm-eval it was used with, and one line about all of it.

    Raises:
        InstallError: What went wrong.
    """
    began = time.monotonic()
    environment = Environment.empty(interpreter, folder)
    try:
        environment.pip("install", str(wheel))
        installed = time.monotonic() - began
        used = [environment.use(version)]
        if (oldest := oldest_lm_eval(wheel)) not in used:
            environment.pip("install", f"lm_eval=={oldest}")
            used.append(environment.use(version))
        added = environment.resolve(wheel, "hf")
        packages = environment.run("python", "-m", "pip", "list", "--format", "freeze").splitlines()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    heavy = ", ".join(f"{name} {added[name]}" for name in ("torch", "transformers"))
    took = f"{len(packages)} packages in {installed:.0f} s, all in {time.monotonic() - began:.0f} s"
    return (
        used,
        f"lm-eval {' and '.join(used)}: pak3h --version, lm_eval, doctor are right ({took}); [hf] would bring {heavy}",
    )


def oldest_lm_eval(wheel: Path) -> str:
    """The lowest lm-eval that a wheel's own metadata take."""
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(opened.read(name))
    requirements = [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]
    needed = next(r for r in requirements if r.name.replace("-", "_") == "lm_eval" and r.marker is None)
    return next(part.version for part in needed.specifier if part.operator == ">=")


def find_python(wanted: str) -> tuple[Path, str] | None:
    """The interpreter that is meant by a path, or by `3.12`: on PATH, in pyenv's folder, or of Windows' launcher.

    Returns:
        Its path and full version; None where there is none, or it does not run (pyenv's shims of versions that are not
        chosen do not).
    """
    commands = [[wanted]]
    if is_version := wanted.replace(".", "").isdigit():
        pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
        of_pyenv = [[str(python_of(folder))] for folder in sorted(pyenv.glob(f"{wanted}.*"), reverse=True)]
        commands = [[f"python{wanted}"], *of_pyenv, ["py", f"-{wanted}"]]
    for command in commands:
        if not shutil.which(command[0]):
            continue
        question = "import sys; print('%d.%d.%d' % sys.version_info[:3], sys.executable)"
        done = subprocess.run([*command, "-c", question], capture_output=True, text=True, check=False)
        version, _, executable = done.stdout.strip().partition(" ")
        if done.returncode == 0 and (not is_version or f"{version}.".startswith(f"{wanted}.")):
            return Path(executable), version
    return None
