"""What the tasks with generated answers share: cleaning, checks of every answer, details for the sample log."""

from __future__ import annotations

from typing import Any

from pak3h_tasks.results import Verdict
from pak3h_tasks.schema import Dataset, Lang
from pak3h_tasks.text.clean import clean_generation, without_surrogates, without_thinking
from pak3h_tasks.text.script import in_language


def clean_answer(response: str, dataset: Dataset, lang: Lang) -> str:
    """The answer that is judged and measured.

    TruthfulQA's prompt ends in an answer label and its answers are short, so labels are removed and the answer is cut
    where the model goes on to a next question. Elsewhere only a thinking trace is removed.
    """
    if dataset == "truthfulqa":
        return clean_generation(response, lang)
    return without_thinking(without_surrogates(response)).strip()


def answer_checks(answer: str, lang: Lang) -> dict[str, float]:
    """Whether the answer is in the script asked for, and whether it is empty (scoring.md, section 6)."""
    return {"in_language": float(in_language(answer, lang)), "empty_rate": float(not answer)}


def verdicts_of(record: dict[str, Any]) -> dict[str, Verdict] | None:
    """The verdicts in a filter's record; None where no judge was configured."""
    verdicts = record.get("verdicts")
    return None if verdicts is None else {name: Verdict.from_json(verdict) for name, verdict in verdicts.items()}


def log_details(doc: dict[str, Any], record: dict[str, Any]) -> None:
    """Put answer and verdicts into ``doc["pak3h"]``.

    `--log_samples` writes the document as JSON (filtered responses are only logged as Python reprs), and lm-eval's
    `doc_hash` is of another copy.
    """
    doc["pak3h"] = {name: value for name, value in record.items() if name != "response"}


def without_withheld(metrics: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """A document's metrics without those that another rank has not at all (`ranks.judge_across_ranks`)."""
    withheld = record.get("withheld", ())
    return {name: value for name, value in metrics.items() if name not in withheld}
