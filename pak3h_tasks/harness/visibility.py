"""For `pak3h doctor`: does plain lm-eval see the Pak3H tasks, and if not, why?"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from pak3h_tasks.extras import pip_install_package
from pak3h_tasks.resources import task_dir

SUPPORTED = ("0.4.13", "0.5")  # tested from this version on, and below that one


@dataclass(frozen=True)
class Visibility:
    """What `lm_eval` will do in this Python.

    Attributes:
        visible: Whether a default TaskManager scans our folder.
        why: Why not, and the remedy; or by which way it does.
        lm_eval_version: None: not installed.
        lm_eval_path: Where lm-eval is imported from.
        task_dir: Our folder.
        n_tasks: Leaf tasks in it; `n_groups`, `n_tags` likewise.
    """

    visible: bool
    why: str
    lm_eval_version: str | None
    lm_eval_path: str | None
    task_dir: str
    n_tasks: int = 0
    n_groups: int = 0
    n_tags: int = 0


def check() -> Visibility:
    """Ask lm-eval itself which folders it would index, without parsing its 14,000 files."""
    folder = task_dir()
    try:
        version = metadata.version("lm_eval")
        import lm_eval
        from lm_eval.tasks import manager
    except Exception as error:  # noqa: BLE001 - a broken lm-eval is a finding here, whatever it raises
        why = f"lm-eval cannot be imported ({type(error).__name__}: {error}); {pip_install_package('lm_eval')}"
        return Visibility(False, why, None, None, str(folder))
    where = str(Path(lm_eval.__file__).parent) if lm_eval.__file__ else None
    ours = manager.TaskManager(include_defaults=False, include_path=str(folder))
    counts = (len(ours.all_subtasks), len(ours.all_groups), len(ours.all_tags))
    visible = _scans(manager, folder)
    why = f"by the import hook ({_pth()})" if visible else _why_not()
    return Visibility(visible, why, version, where, str(folder), *counts)


def _scans(manager: object, folder: Path) -> bool:
    scanned: list[str] = []

    class Recorder:
        @staticmethod
        def build(paths: list[Path], **_: object) -> dict[str, object]:
            scanned.extend(os.path.realpath(path) for path in paths)
            return {}

    original = manager.TaskIndex  # type: ignore[attr-defined]
    manager.TaskIndex = Recorder  # type: ignore[attr-defined]
    try:
        manager.TaskManager()  # type: ignore[attr-defined]
    finally:
        manager.TaskIndex = original  # type: ignore[attr-defined]
    return os.path.realpath(folder) in scanned


def _pth() -> str | None:
    import site

    # .pth files count in these folders only, not in every folder of sys.path
    for entry in (*site.getsitepackages(), site.getusersitepackages()):
        candidate = Path(entry) / "pak3h_autoload.pth"
        if candidate.is_file():
            return str(candidate)
    return None


def _why_not() -> str:
    workaround = 'until then use --include_path "$(pak3h tasks-dir)"'
    # imported only now: where no .pth file did it before, this import would install the hook that was looked for
    from pak3h_tasks._autoload import switched_off

    if switched_off():
        return f"PAK3H_AUTOLOAD={os.environ['PAK3H_AUTOLOAD']} switches the hook off; unset it; {workaround}"
    if _pth() is None:
        again = (
            "install it again from the wheel, URL or checkout it came from (pip install --force-reinstall --no-deps)"
        )
        return f"pak3h_autoload.pth is not in site-packages; {again}; {workaround}"
    if sys.flags.no_site:
        return f"Python runs with -S, which skips .pth files; {workaround}"
    return f"this lm-eval differs from the versions we know (0.4.13 to below 0.5); {workaround}"


def supported(version: str) -> bool:
    """Whether this lm-eval version is one the package is tested with."""
    from packaging.version import Version

    low, high = SUPPORTED
    return Version(low) <= Version(version) < Version(f"{high}.dev0")
