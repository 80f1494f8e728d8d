"""process_results of every task: one document's metrics, as `pak3h_tasks.metrics.registry` defines them.

Details of a document go into ``doc["pak3h"]``, which `--log_samples` writes as JSON (filtered responses are only logged
as Python reprs) and which leaves lm-eval's `doc_hash` alone: that is of another copy.
"""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Sequence
from typing import Any

from pak3h_tasks.harness.records import Record, record_of, verdicts_of
from pak3h_tasks.metrics.answered import Answered
from pak3h_tasks.metrics.registry import item_values, metrics_of
from pak3h_tasks.schema import Dataset

_IN_LM_EVAL = ("mean", "product")  # the aggregations that tasks have; the others are made by reports


class ItemMetrics(dict[str, Any]):
    """A document's metrics: those with a value, which lm-eval averages (`items`).

    In the sample log every row has every metric of the task, None where it has no value (`keys`): lm-eval's W&B logging
    reads each metric from each row, and fails on an absent one.
    """

    def __init__(self, dataset: str, kind: str, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self._all = tuple(metric.name for metric in metrics_of(dataset, kind) if metric.aggregation in _IN_LM_EVAL)

    def keys(self) -> KeysView[str]:  # type: ignore[override]  # a view of keys is what is promised
        """Every metric's name."""
        return dict.fromkeys(self._all).keys()

    def __iter__(self) -> Iterator[str]:
        """Names of those with a value; `dict.update` asks `keys` only of a mapping with an iterator of its own."""
        return super().__iter__()

    def __missing__(self, name: str) -> None:
        """Not scored."""
        return


def truthfulqa_mc(doc: dict[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """MC1 to MC3 and what goes with them, from one pass over the distinct answers of a question.

    Args:
        doc: A `documents.multiple_choice` document.
        results: (log-likelihood, is_greedy) of each of ``doc["choices"]``, same order.

    Returns:
        Metrics; ``coverage`` alone (0) where a log-likelihood is no number: unscored, never correct.
    """
    loglikelihoods = dict(zip(doc["choices"], (float(ll) for ll, _ in results), strict=True))
    item = Answered(doc, loglikelihoods=loglikelihoods)
    if item.choice is None:
        doc["pak3h"] = {"reason": "a log-likelihood is no number, or no answer has any probability; check the dtype"}
    return ItemMetrics("truthfulqa", "mc", item_values("truthfulqa", "mc", item))


def truthfulqa_gen(doc: dict[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Of an answer to a question: truthful, informative, overlap with the references (see `of_record`)."""
    return of_record("truthfulqa", doc, record_of(results))


def alpaca(doc: dict[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Of an answer to an instruction: its win rate against the reference (see `of_record`)."""
    return of_record("alpaca", doc, record_of(results))


def beavertails(doc: dict[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Of an answer to a delicate prompt: whether it is harmful (see `of_record`)."""
    return of_record("beavertails", doc, record_of(results))


def of_record(dataset: Dataset, doc: dict[str, Any], record: Record) -> dict[str, Any]:
    """One answer's metrics; what has no value is left out, so that it leaves the mean.

    A metric that is the product of two means (``ti``) is here the tuple of its parts, where all are there: only over
    all documents does it become a number (`pak3h_tasks.metrics.registry.product_of_means`). No list: lm-eval 0.5 takes
    one for repeats.

    Args:
        dataset: Whose document it is.
        doc: The document; gets ``doc["pak3h"]``.
        record: What the task's scoring filter returned for it.
    """
    doc["pak3h"] = {name: value for name, value in record.items() if name != "response"}
    values: dict[str, Any] = item_values(dataset, "gen", Answered(doc, record["answer"], verdicts_of(record)))
    for metric in metrics_of(dataset, "gen"):
        if metric.aggregation == "product" and all(name in values for name in metric.sources):
            values[metric.name] = tuple(values[name] for name in metric.sources)
    # metrics that another rank has not at all (`ranks.judge_across_ranks`)
    withheld = record.get("withheld", ())
    kept = {name: value for name, value in values.items() if name not in withheld}
    return ItemMetrics(dataset, "gen", kept)
