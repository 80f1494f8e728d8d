"""The spool: every generation of a task is on disk before a judge or classifier is asked.

lm-eval itself writes nothing until all tasks are aggregated. A spool file has the rows of an lm-eval sample log
(``doc_id``, ``doc``, ``resps``), so `pak3h score` reads both alike.
"""

from __future__ import annotations

import functools
import json
import logging
import os
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

log = logging.getLogger("lm_eval.pak3h")  # below lm-eval's own logger: its format, its level


def spool_root(cache_dir: Path) -> Path:
    """Where all spools are, one folder a process; nothing deletes them but the user."""
    return cache_dir / "spool"


def spool(cache_dir: Path, task: str, docs: Sequence[dict[str, Any]], texts: Sequence[str]) -> Path | None:
    """Write all answers of a task to a new file of this process's spool folder.

    Args:
        cache_dir: PAK3H_CACHE_DIR.
        task: Name of the task.
        docs: (n,) its documents.
        texts: (n,) the answer to each.

    Returns:
        The file, or None where it could not be written: one warning, the run goes on.
    """
    folder = spool_root(cache_dir) / _process_name()
    path = folder / f"samples_{task}_{_now()}.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            for number, (doc, text) in enumerate(zip(docs, texts, strict=True)):
                row = {"doc_id": number, "doc": doc, "resps": [[text]]}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        log.warning("Pak3H: cannot spool the answers of %s to %s (%s); the run goes on", task, path, error.strerror)
        return None
    log.info("Pak3H: %d answers of %s are in %s", len(texts), task, path)
    return path


def _now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H-%M-%S.%f")


@functools.cache
def _process_name() -> str:
    """One folder a process: ranks and runs at the same time never write to the same file."""
    return f"{_now()}_{os.getpid()}"
