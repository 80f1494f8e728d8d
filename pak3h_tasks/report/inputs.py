"""What the paths of a command hold: runs of lm-eval, and outputs of `pak3h moderate`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pak3h_tasks.data.moderation_file import is_moderation_file
from pak3h_tasks.data.sample_log import Run, find_runs
from pak3h_tasks.data.sample_log_names import parse_log_name
from pak3h_tasks.errors import DataError


def find_inputs(paths: Sequence[Path], warn: Callable[[str], None]) -> tuple[list[Run], list[Path]]:
    """Runs and moderation files below folders and among files.

    Args:
        paths: Folders and files.
        warn: Told of files that are left out.

    Returns:
        Runs as `find_runs` gives them, and moderation files by name.

    Raises:
        DataError: A path is unusable, or there is nothing of Pak3H in any of them.
    """
    moderated = sorted(dict.fromkeys(file for path in paths for file in _moderation_files(path)))
    others = [path for path in paths if path.is_dir() or path not in moderated]
    if not others:
        return [], moderated
    try:
        return find_runs(others, warn), moderated
    except DataError:
        # a folder with nothing but moderation files is no mistake; a path that does not exist is
        if moderated and all(path.is_dir() for path in others):
            return [], moderated
        raise


def _moderation_files(path: Path) -> Iterator[Path]:
    if path.is_file():
        if parse_log_name(path.name) is None and is_moderation_file(path):
            yield path
        return
    for folder, _, names in os.walk(path):
        for name in names:
            file = Path(folder) / name
            if name.endswith(".jsonl") and parse_log_name(name) is None and is_moderation_file(file):
                yield file
