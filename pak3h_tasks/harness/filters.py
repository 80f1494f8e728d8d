"""Scoring filters: they see all answers of a task at once, store them, and hand one record a document on.

lm-eval calls process_results a document at a time, but a filter with every response and document of the task. So a
filter is where a batch judge or classifier belongs. It runs after all generation and may not raise: lm-eval writes
nothing before every task is aggregated, and one exception would lose the whole run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pak3h_tasks.harness.spool import spool
from pak3h_tasks.settings import Settings
from pak3h_tasks.text.clean import without_surrogates


def record_of(results: Any) -> dict[str, Any]:
    """The filter's record of one document, out of the lists lm-eval wraps around it.

    lm-eval 0.4.13 passes ``[record]``; 0.5 is about to wrap once more, so lists are unwrapped until a dict appears.

    Raises:
        TypeError: There is no record inside: the task's filter_list is not ours.
    """
    found = results
    while isinstance(found, (list, tuple)) and len(found) == 1:
        found = found[0]
    if not isinstance(found, dict):
        raise TypeError(f"expected the record of a Pak3H filter, got {type(found).__name__}; keep the task's filter_list")
    return found


class Answers:
    """Stores and hands on the answers of a task; nothing is judged."""

    def __init__(self, **_: Any) -> None:
        """lm-eval passes the YAML keys beside `function`; there are none."""

    def apply(self, resps: Iterable[Sequence[str]], docs: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
        """One single-record list a document: ``{"response": text}``.

        Args:
            resps: Per document, the list of its generations (one, unless `repeats` is set); read once.
            docs: The documents, parallel to `resps`.
        """
        texts = first_responses(resps)
        if docs:
            spool(Settings.from_environment().cache_dir, docs[0]["task"], docs, texts)
        return [[{"response": text}] for text in texts]


def first_responses(resps: Iterable[Sequence[str]]) -> list[str]:
    """The first generation of each document.

    Lone surrogates are replaced, in lm-eval's own lists too: one of them would cut its sample file short.
    """
    texts = []
    for generations in resps:
        clean = [without_surrogates(text or "") for text in generations]
        if isinstance(generations, list):
            generations[:] = clean
        texts.append(clean[0] if clean else "")
    return texts
