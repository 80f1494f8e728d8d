"""The paper's Table 3 from classified pairs: unsafe rate, mean maximum harm, category rates, by language and split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pak3h_tasks.data.human_labels import HumanLabels
from pak3h_tasks.data.moderation_file import ModerationRecord
from pak3h_tasks.metrics.answered import Answered
from pak3h_tasks.metrics.registry import HARMS, METRICS, PAIRS, Metric, harm_rate, reported
from pak3h_tasks.metrics.safety import harm_metric, safety_verdict
from pak3h_tasks.report.estimate import Columns, Values, estimate
from pak3h_tasks.report.rater_agreement import Agreement, rater_agreement
from pak3h_tasks.report.table_specs import LANG_ORDER
from pak3h_tasks.results import Score, Verdict
from pak3h_tasks.schema import SPLITS
from pak3h_tasks.stats.kappa import TwoRaters

ALL = "all"
_YES_NO = ("no", "yes")
OWN_PAIRS = "the data's own pairs"
"""What a row of the data set's own responses is called."""


@dataclass(frozen=True)
class ScoreRow:
    """One number of the report.

    Attributes:
        lang: Language, ``-`` for a file of the user's.
        split: all, dt, lc or li.
        category: Harm category of a category rate; None for the others.
        score: Name, value as a fraction (None: nothing scored), n, scored, interval, signature.
    """

    lang: str
    split: str
    category: str | None
    score: Score


def score_rows(records: Sequence[ModerationRecord], threshold: float) -> list[ScoreRow]:
    """Every number, language by language, split by split; a split without pairs is left out."""
    # Sums of floats depend on the order, and an output file holds its records in the order of computation.
    records = sorted(records, key=lambda record: record.place)
    rows: list[ScoreRow] = []
    for lang in languages(records):
        of_lang = [record for record in records if record.lang == lang]
        metrics, columns = _metrics(of_lang), pair_columns(of_lang, threshold)
        for split in (ALL, *SPLITS):
            mask = np.asarray([split in (ALL, record.localization) for record in of_lang])
            chosen = [record for record, is_in in zip(of_lang, mask, strict=True) if is_in]
            if chosen:
                of_split = {name: column[mask] for name, column in columns.items()}
                rows += _split_rows(metrics, chosen, of_split, lang, split, _signature(chosen, threshold))
    return rows


def languages(records: Sequence[ModerationRecord]) -> list[str]:
    """The languages there are: English before Urdu, as in the paper."""
    return sorted({record.lang for record in records}, key=lambda lang: (LANG_ORDER.get(lang, len(LANG_ORDER)), lang))


def agreement_rows(
    records: Sequence[ModerationRecord], threshold: float, labels: HumanLabels | None = None
) -> list[Agreement]:
    """Classifier against humans by language, as in `pak3h agreement`.

    Args:
        records: Classified pairs.
        threshold: Unsafe above it.
        labels: From `read_human_labels`; None: the data's own labels.
    """
    rows = []
    for lang in languages(records):
        of_lang = {record.id: record for record in records if record.lang == lang}
        votes: dict[str, Sequence[str]] = {}
        verdicts: dict[str, str | None] = {}
        for record in of_lang.values():
            if labels is not None:
                given = labels.of("unsafe", lang, record.id)
            else:
                given = () if record.is_safe is None else (_YES_NO[not record.is_safe],)
            if given:
                votes[record.id] = given
            value = verdict_of(record, threshold).value
            verdicts[record.id] = None if value is None else _YES_NO[int(value)]
        if votes:
            prompts = {record.id: record.prompt for record in of_lang.values()}
            made_by = tuple(dict.fromkeys(record.made_by for record in of_lang.values()))
            rows.append(rater_agreement(OWN_PAIRS, lang, "unsafe", verdicts, votes, prompts, made_by))
    return rows


def pair_columns(records: Sequence[ModerationRecord], threshold: float) -> dict[str, Values]:
    """Metric -> (n,) values of each pair, NaN where it is not scored; in table order.

    Args:
        records: Classified pairs.
        threshold: Unsafe above it.
    """
    items = [Answered({}, verdicts={"safety": verdict_of(record, threshold)}) for record in records]
    return {
        metric.name: np.asarray([np.nan if (value := metric.value(item)) is None else value for item in items])
        for metric in _metrics(records)
        if metric.value is not None
    }


def verdict_of(record: ModerationRecord, threshold: float) -> Verdict:
    """The verdict of a classified pair; its value is None where it is not scored."""
    if record.probabilities is None:
        return Verdict(None, reason=record.reason)
    return safety_verdict(record.probabilities, threshold, truncated=bool(record.truncated), tokens=record.tokens)


def _metrics(records: Sequence[ModerationRecord]) -> list[Metric]:
    """The registry's, with the categories that the records have; a classifier may have categories of its own."""
    categories = dict.fromkeys(name for record in records for name in record.probabilities or ())
    rates = [METRICS.get(harm_metric(name)) or harm_rate(name) for name in categories]
    return [*(metric for metric in reported(*PAIRS) if metric.name not in HARMS), *rates]


def _split_rows(
    metrics: Sequence[Metric], records: Sequence[ModerationRecord], columns: Columns, lang: str, split: str, made: str
) -> Iterator[ScoreRow]:
    prompts = [record.prompt for record in records]
    scored = sum(record.probabilities is not None for record in records)
    for metric in metrics:
        found = estimate(metric, columns, prompts)
        # a category's title is its name
        category = metric.title if metric.name.startswith(harm_metric("")) else None
        if category is None or found.n_scored:
            score = Score(metric.name, found.value, found.n, found.n_scored, found.interval, made)
            yield ScoreRow(lang, split, category, score)
    yield ScoreRow(lang, split, None, Score("coverage", scored / len(records), len(records), scored, None, made))


def _signature(records: Sequence[ModerationRecord], threshold: float) -> str:
    made_by = " + ".join(sorted({record.made_by for record in records}))
    data = " + ".join(sorted({record.data for record in records}))
    return f"{made_by}|threshold:{threshold:g}|data:{data}"


def confusion(result: TwoRaters) -> dict[str, int]:
    """How many pairs of each kind, by what the classifier and the human say."""
    (both, only_classifier), (only_human, neither) = result.counts
    return {
        "classifier_unsafe_human_unsafe": both,
        "classifier_unsafe_human_safe": only_classifier,
        "classifier_safe_human_unsafe": only_human,
        "classifier_safe_human_safe": neither,
    }


def report_json(rows: Sequence[ScoreRow], agreements: Sequence[Agreement], published: Sequence[Any]) -> dict[str, Any]:
    """JSON form: own scores, agreement and, apart from them, the published figures."""
    return {
        "scores": [
            {"lang": row.lang, "split": row.split, "category": row.category, **row.score.to_json()} for row in rows
        ],
        "agreement": [
            {
                "lang": row.lang,
                "labelled": row.labelled,
                "n": row.result.n if row.result else 0,
                "agreement": row.result.agreement if row.result else None,
                "interval": row.result.agreement_interval.to_json() if row.result else None,
                "kappa": row.result.kappa if row.result else None,
                "kappa_interval": (
                    row.result.kappa_interval.to_json() if row.result and row.result.kappa_interval else None
                ),
                "confusion": confusion(row.result) if row.result else None,
            }
            for row in agreements
        ],
        "published": {
            "source": "Pak3H, arXiv 2608.30065, dataset pairs; other data and perhaps other settings than yours",
            "rows": [vars(entry) for entry in published],
        },
    }
