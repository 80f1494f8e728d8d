"""Records: what is known of each answer of a task; made by the filter inside a run and by `pak3h score` alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pak3h_tasks.backends.protocol import Missing
from pak3h_tasks.harness.judges import Judge
from pak3h_tasks.harness.judging import ready_judge
from pak3h_tasks.interrupt import says_what_is_kept
from pak3h_tasks.metrics.registry import metrics_of
from pak3h_tasks.results import Verdict
from pak3h_tasks.schema import Dataset, Lang
from pak3h_tasks.settings import Settings
from pak3h_tasks.text.clean import clean_generation, without_surrogates
from pak3h_tasks.text.thinking import is_unfinished_thought, without_thinking

_PACKED = "pak3h"
Record = dict[str, Any]
"""``response`` (raw), ``answer`` (cleaned; None: a thought that never ended), and ``verdicts`` (name -> Verdict JSON).

The last only where a judge was configured.
"""


def clean_answer(response: str, dataset: Dataset, lang: Lang) -> str:
    """The answer that is judged and measured.

    TruthfulQA's prompt ends in an answer label and its answers are short, so labels are removed and the answer is cut
    where the model goes on to a next question. Elsewhere only a thinking trace is removed.
    """
    if dataset == "truthfulqa":
        return clean_generation(response, lang)
    return without_thinking(without_surrogates(response)).strip()


def answer_of(response: str, dataset: Dataset, lang: Lang) -> str | None:
    """As `clean_answer`; None where the model was still thinking when its tokens ran out: that is no answer."""
    return None if is_unfinished_thought(response) else clean_answer(response, dataset, lang)


def judgeable(
    dataset: Dataset, docs: Sequence[dict[str, Any]], texts: Sequence[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Documents that have an answer, and their answers, cleaned."""
    return _answered(docs, [answer_of(text, dataset, doc["lang"]) for doc, text in zip(docs, texts, strict=True)])


def _answered(docs: Sequence[dict[str, Any]], answers: Sequence[str | None]) -> tuple[list[dict[str, Any]], list[str]]:
    found = [(doc, answer) for doc, answer in zip(docs, answers, strict=True) if answer is not None]
    return [doc for doc, _ in found], [answer for _, answer in found]


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
    """As `records`, with a judge at hand; an interrupt says what has been judged."""
    rows = list(zip(docs, texts, strict=True))
    found: list[Record] = [{"response": text, "answer": answer_of(text, dataset, doc["lang"])} for doc, text in rows]
    if judge is None or not docs:
        return found
    answered = _answered(docs, [record["answer"] for record in found])
    with says_what_is_kept(lambda: _kept(docs[0]["task"], judge.missing(*answered))):
        given = iter(judge.verdicts(*answered))
    names = dict.fromkeys(name for metric in metrics_of(dataset, "gen") for name in metric.verdicts)
    no_answer = {name: Verdict(None, reason="no answer: an unfinished thought") for name in names}
    for record in found:
        verdicts = no_answer if record["answer"] is None else next(given)
        record["verdicts"] = {name: verdict.to_json() for name, verdict in verdicts.items()}
    return found


def _kept(task: str, missing: Missing) -> str:
    return (
        f"Pak3H: {task}: {missing.cached} judgements are kept, {missing.calls} are still to be asked for; the same "
        "command, or pak3h score, goes on from there"
    )


def packed(record: Record) -> dict[str, str]:
    """A record as a filter returns it.

    As one string: W&B's sample logging wants the same types in each row, and a verdict with and one without a value,
    or details of their own, have others.
    """
    return {_PACKED: json.dumps(record, ensure_ascii=False)}


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
    if _PACKED in found:
        unpacked: Record = json.loads(found[_PACKED])
        return unpacked
    return found


def verdicts_of(record: Record) -> dict[str, Verdict] | None:
    """The verdicts in a record; None where no judge was configured."""
    verdicts = record.get("verdicts")
    return None if verdicts is None else {name: Verdict.from_json(verdict) for name, verdict in verdicts.items()}
