"""One step, one line, on stderr, above whatever progress bar is drawn there."""

from __future__ import annotations

import sys
from pathlib import Path

from pak3h_tasks.text.escape import one_line


def here(path: Path | None) -> str:
    """A path as seen from this folder, where that is shorter."""
    if path is None:
        return "none"
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def say(line: str) -> None:
    """Print the line; texts in it may be anything."""
    print(one_line(line, 400), file=sys.stderr)
