"""Records: what is known of each answer of a task; made by the filter inside a run and by `pak3h score` alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pak3h_tasks.harness.judges import Judge
from pak3h_tasks.harness.judging import ready_judge
from pak3h_tasks.results import Verdict
from pak3h_tasks.schema import Dataset, Lang
from pak3h_tasks.settings import Settings
from pak3h_tasks.text.clean import clean_generation, without_surrogates, without_thinking

Record = dict[str, Any]
"""``response`` (raw), ``answer`` (cleaned) and, where a judge was configured, ``verdicts`` (name -> Verdict JSON)."""


def clean_answer(response: str, dataset: Dataset, lang: Lang) -> str:
    """The answer that is judged and measured.

    TruthfulQA's prompt ends in an answer label and its answers are short, so labels are removed and the answer is cut
    where the model goes on to a next question. Elsewhere only a thinking trace is removed.
    """
    if dataset == "truthfulqa":
        return clean_generation(response, lang)
    return without_thinking(without_surrogates(response)).strip()


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


def verdicts_of(record: Record) -> dict[str, Verdict] | None:
    """The verdicts in a record; None where no judge was configured."""
    verdicts = record.get("verdicts")
    return None if verdicts is None else {name: Verdict.from_json(verdict) for name, verdict in verdicts.items()}
