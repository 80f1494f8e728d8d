"""Scoring filters: they see all answers of a task at once, store them, judge them, and hand one record a document on.

lm-eval calls process_results a document at a time, but a filter with every response and document of the task. So a
filter is where a batch judge or classifier belongs. It runs after all generation and may not raise: lm-eval writes
nothing before every task is aggregated, and one exception would lose the whole run.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from pak3h_tasks.backends.cpu_estimate import cpu_notice, estimated_tokens
from pak3h_tasks.harness.judging import VERDICT_NAMES
from pak3h_tasks.harness.ranks import judge_on_one_rank, names_scored_on_every_rank
from pak3h_tasks.harness.scoring import Record, records
from pak3h_tasks.harness.spool import spool
from pak3h_tasks.schema import Dataset
from pak3h_tasks.settings import Settings
from pak3h_tasks.text.clean import without_surrogates

log = logging.getLogger("lm_eval.pak3h")  # below lm-eval's own logger: its format, its level


def record_of(results: Any) -> Record:
    """The filter's record of one document, out of the lists lm-eval wraps around it.

    lm-eval 0.4.13 passes ``[record]``; 0.5 is about to wrap once more, so lists are unwrapped until a dict appears.

    Raises:
        TypeError: There is no record inside: the task's filter_list is not ours.
    """
    found = results
    while isinstance(found, (list, tuple)) and len(found) == 1:
        found = found[0]
    if not isinstance(found, dict):
        raise TypeError(
            f"expected the record of a Pak3H filter, got {type(found).__name__}; keep the task's filter_list"
        )
    return found


class _ScoringFilter:
    """Spool first, then judge; one record a document (`scoring.Record`)."""

    dataset: Dataset

    def __init__(self, **_: Any) -> None:
        """lm-eval passes the YAML keys beside `function`; there are none."""

    def apply(self, resps: Iterable[Sequence[str]], docs: Sequence[dict[str, Any]]) -> list[list[Record]]:
        """One single-record list a document.

        Args:
            resps: Per document, the list of its generations (one, unless `repeats` is set); read once.
            docs: The documents of this rank, parallel to `resps`.
        """
        texts = first_responses(resps)
        settings = Settings.from_environment()
        if docs:
            spool(settings.cache_dir, docs[0]["task"], docs, texts)
        found = judge_on_one_rank(docs, lambda: self._records(docs, texts, settings))
        names_scored_on_every_rank(found, VERDICT_NAMES[self.dataset])
        return [[record] for record in found]

    def _records(self, docs: Sequence[dict[str, Any]], texts: Sequence[str], settings: Settings) -> list[Record]:
        try:
            return records(self.dataset, docs, texts, settings)
        except Exception:
            log.exception("Pak3H: judging failed; the answers are kept, and pak3h score judges them later")
            return records(self.dataset, docs, texts, None)


class TruthInfo(_ScoringFilter):
    """For PakTruthfulQA: is each answer truthful, is it informative?"""

    dataset: Dataset = "truthfulqa"


class PairwiseJudge(_ScoringFilter):
    """For PakAlpaca: is each answer better than the reference?"""

    dataset: Dataset = "alpaca"


class BeaverDam(_ScoringFilter):
    """For PakBeaverTails: is each answer harmful?"""

    dataset: Dataset = "beavertails"

    def _records(self, docs: Sequence[dict[str, Any]], texts: Sequence[str], settings: Settings) -> list[Record]:
        found = super()._records(docs, texts, settings)
        if settings.classifier == "auto" and found and "verdicts" not in found[0]:
            pairs = [(doc["prompt"], record["answer"]) for doc, record in zip(docs, found, strict=True)]
            log.warning("Pak3H: not classified; %s", cpu_notice(len(pairs), estimated_tokens(pairs, docs[0]["lang"])))
        return found


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
