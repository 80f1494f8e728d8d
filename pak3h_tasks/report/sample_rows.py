"""The rows of a model's sample logs, read once more for their texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from pak3h_tasks.data.sample_log import TaskLog
from pak3h_tasks.data.sample_log_names import TaskIdentity
from pak3h_tasks.report.model import TaskSource
from pak3h_tasks.schema import Dataset, Lang

_PROMPTS = {"truthfulqa": ("question",), "alpaca": ("instruction", "input"), "beavertails": ("prompt",)}


def sample_rows(source: TaskSource) -> Iterator[dict[str, Any]]:
    """Rows of the logs of one dataset, language and kind, of each id the first."""
    identity = TaskIdentity(cast(Dataset, source.dataset), cast(Lang, source.lang), source.kind)
    seen = set()
    for task, file in zip(source.tasks, source.files, strict=True):
        # whoever counted the rows has said what is wrong with them
        for row in TaskLog(task, Path(file), identity).rows(lambda _: None):
            if row["doc"]["id"] not in seen:
                seen.add(row["doc"]["id"])
                yield row


def prompt_of(doc: Mapping[str, Any], dataset: str) -> str:
    r"""What an item asks, without a task's own words around it.

    Args:
        doc: The row's document.
        dataset: truthfulqa, alpaca or beavertails.

    Example:
        >>> prompt_of({"instruction": "Translate.", "input": "Hello"}, "alpaca")
        'Translate.\n\nHello'
    """
    return "\n\n".join(doc[name] for name in _PROMPTS[dataset] if isinstance(doc.get(name), str) and doc[name])
