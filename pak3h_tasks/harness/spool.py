"""The spool: every response of every task of a run is on disk before the first judge or classifier is asked.

lm-eval itself writes nothing until all tasks are aggregated. A spool file has the rows of an lm-eval sample log
(``doc_id``, ``doc``, ``resps``), so `pak3h score` reads both alike: generated texts, and the log-likelihoods of
multiple-choice tasks (as text, as lm-eval writes them).
"""

from __future__ import annotations

import functools
import json
import logging
import os
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from pak3h_tasks.text.clean import without_surrogates

log = logging.getLogger("lm_eval.pak3h")  # below lm-eval's own logger: its format, its level

Row = tuple[int, dict[str, Any], list[Any]]
"""Number and document, and the responses to each of its requests (one, or one a choice), each a list of repeats."""


def spool_root(cache_dir: Path) -> Path:
    """Where all spools are, one folder a process; nothing deletes them but the user."""
    return cache_dir / "spool"


def spool(cache_dir: Path, task: str, rows: Iterable[Row]) -> Path | None:
    """Write all responses of a task to a new file of this process's spool folder.

    Args:
        cache_dir: PAK3H_CACHE_DIR.
        task: Name of the task.
        rows: One a document.

    Returns:
        The file, or None where it could not be written: one warning, the run goes on.
    """
    folder = spool_root(cache_dir) / _process_name()
    path = folder / f"samples_{task}_{_now()}.jsonl"
    n = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            for n, (number, doc, responses) in enumerate(rows, 1):  # noqa: B007 - n is how many there were
                row = {"doc_id": number, "doc": doc, "resps": _as_text(responses)}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        log.warning("Pak3H: cannot spool the responses of %s to %s (%s); the run goes on", task, path, error.strerror)
        return None
    log.info("Pak3H: the responses to %d documents of %s are in %s", n, task, path)
    return path


def _as_text(response: Any) -> Any:
    if isinstance(response, (list, tuple)):
        return [_as_text(part) for part in response]
    return without_surrogates(str(response)) if response is not None else ""


def _now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H-%M-%S.%f")


@functools.cache
def _process_name() -> str:
    """One folder a process: ranks and runs at the same time never write to the same file."""
    return f"{_now()}_{os.getpid()}"


def spool_files(cache_dir: Path) -> Sequence[Path]:
    """Every spool file there is."""
    return sorted(spool_root(cache_dir).glob("*/*.jsonl"))
