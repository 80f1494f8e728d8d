"""Scoring filters: they see all answers of a task at once, store them, judge them, and hand one record a document on.

lm-eval calls process_results a document at a time, but a filter with every response and document of the task. So a
filter is where a batch judge or classifier belongs. It runs after all generation and may not raise: lm-eval writes
nothing before every task is aggregated, and one exception would lose the whole run.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from pak3h_tasks.harness.evaluation import evaluation, filtered_task, only_predictions
from pak3h_tasks.harness.process import of_record
from pak3h_tasks.harness.ranks import judge_across_ranks
from pak3h_tasks.harness.records import Record, packed, records
from pak3h_tasks.harness.spool import spool
from pak3h_tasks.schema import Dataset
from pak3h_tasks.settings import Settings
from pak3h_tasks.text.clean import without_surrogates

log = logging.getLogger("lm_eval.pak3h")  # below lm-eval's own logger: its format, its level


class ScoringFilter:
    """Judge what is spooled; one record a document (`records.Record`).

    Args:
        dataset: Whose answers these are; lm-eval passes the YAML keys beside `function`.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    def apply(self, resps: Iterable[Sequence[str]], docs: Sequence[dict[str, Any]]) -> list[list[dict[str, str]]]:
        """One single-record list a document.

        Args:
            resps: Per document, the list of its generations (one, unless `repeats` is set); read once.
            docs: The documents of this rank, parallel to `resps`.
        """
        texts = first_responses(resps)
        settings = Settings.from_environment()
        task = filtered_task()
        if docs and not evaluation().has_spooled(task):
            spool(settings.cache_dir, docs[0]["task"], [(n, doc, [[texts[n]]]) for n, doc in enumerate(docs)])
        if only_predictions(task):
            return [[packed(record)] for record in records(self.dataset, docs, texts, None)]
        found = judge_across_ranks(
            docs, lambda: self._records(docs, texts, settings), lambda made: self._metric_names(docs, made)
        )
        return [[packed(record)] for record in found]

    def _metric_names(self, docs: Sequence[dict[str, Any]], found: Sequence[Record]) -> set[str]:
        rows = zip(docs, found, strict=True)
        return {name for doc, record in rows for name, _ in of_record(self.dataset, {**doc}, record).items()}

    def _records(self, docs: Sequence[dict[str, Any]], texts: Sequence[str], settings: Settings) -> list[Record]:
        try:
            return records(self.dataset, docs, texts, settings)
        except Exception:
            log.exception("Pak3H: judging failed; the answers are kept, and pak3h score judges them later")
            return records(self.dataset, docs, texts, None)


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
