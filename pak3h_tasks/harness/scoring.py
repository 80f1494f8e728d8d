"""From responses to records: clean, judge, and keep what process_results needs; for filters and `pak3h score` alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pak3h_tasks.harness.answers import clean_answer
from pak3h_tasks.harness.judging import Judge, ready_judge
from pak3h_tasks.schema import Dataset
from pak3h_tasks.settings import Settings

Record = dict[str, Any]
"""``response`` (raw), ``answer`` (cleaned) and, where a judge was configured, ``verdicts`` (name -> Verdict JSON)."""


def records(
    dataset: Dataset, docs: Sequence[dict[str, Any]], texts: Sequence[str], settings: Settings | None
) -> list[Record]:
    """One record a document.

    Args:
        dataset: Which dataset the documents are of.
        docs: (n,) lm-eval documents.
        texts: (n,) raw responses.
        settings: Where the judge comes from; None: nothing is judged.
    """
    judge = ready_judge(dataset, settings) if settings is not None else None
    return judged(dataset, docs, texts, judge)


def judged(dataset: Dataset, docs: Sequence[dict[str, Any]], texts: Sequence[str], judge: Judge | None) -> list[Record]:
    """As `records`, with a judge at hand."""
    answers = [clean_answer(text, dataset, doc["lang"]) for doc, text in zip(docs, texts, strict=True)]
    found: list[Record] = [{"response": text, "answer": answer} for text, answer in zip(texts, answers, strict=True)]
    if judge is not None and docs:
        for record, verdicts in zip(found, judge.verdicts(docs, answers), strict=True):
            record["verdicts"] = {name: verdict.to_json() for name, verdict in verdicts.items()}
    return found
