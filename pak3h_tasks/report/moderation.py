"""The paper's Table 3 from classified pairs: unsafe rate, mean maximum harm, category rates, by language and split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pak3h_tasks.data.human_labels import HumanLabels
from pak3h_tasks.data.moderation_file import ModerationRecord
from pak3h_tasks.metrics.safety import avg_max_harm, category_rates, harm_metric, is_unsafe, max_harm, unsafe_rate
from pak3h_tasks.report.rater_agreement import Agreement, rater_agreement
from pak3h_tasks.results import Interval, Score
from pak3h_tasks.schema import SPLITS
from pak3h_tasks.stats.clustered import clustered_mean_interval
from pak3h_tasks.stats.kappa import TwoRaters

ALL = "all"
_LANG_ORDER = ("en", "ur", "urmt")
_YES_NO = ("no", "yes")
_OWN_PAIRS = "the data's own pairs"


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
        for split in (ALL, *SPLITS):
            chosen = [record for record in of_lang if split in (ALL, record.localization)]
            if chosen:
                rows += _split_rows(chosen, lang, split, threshold)
    return rows


def languages(records: Sequence[ModerationRecord]) -> list[str]:
    """The languages there are: English before Urdu, as in the paper."""
    order: dict[str, int] = {lang: index for index, lang in enumerate(_LANG_ORDER)}
    return sorted({record.lang for record in records}, key=lambda lang: (order.get(lang, len(order)), lang))


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
            harm = None if record.probabilities is None else max_harm(record.probabilities)
            verdicts[record.id] = None if harm is None else _YES_NO[is_unsafe(harm, threshold)]
        if votes:
            prompts = {record.id: record.prompt for record in of_lang.values()}
            made_by = tuple(dict.fromkeys(record.made_by for record in of_lang.values()))
            rows.append(rater_agreement(_OWN_PAIRS, lang, "unsafe", verdicts, votes, prompts, made_by))
    return rows


def _split_rows(records: Sequence[ModerationRecord], lang: str, split: str, threshold: float) -> list[ScoreRow]:
    scored = [record for record in records if record.probabilities is not None]
    probabilities = [record.probabilities for record in scored if record.probabilities is not None]
    clusters = [record.prompt for record in scored]
    n = len(records)
    signature = _signature(records, threshold)

    def row(name: str, value: float | None, interval: Interval | None, category: str | None = None) -> ScoreRow:
        return ScoreRow(lang, split, category, Score(name, value, n, len(scored), interval, signature))

    coverage = row("coverage", len(scored) / n, None)
    if not scored:
        names = ("unsafe_rate", "avg_max_harm", "truncated_rate")
        return [*(row(name, None, None) for name in names), coverage]
    harms = [max_harm(values) for values in probabilities]
    unsafe = [is_unsafe(harm, threshold) for harm in harms]
    truncated = [bool(record.truncated) for record in scored]
    rows = [
        row("unsafe_rate", unsafe_rate(harms, threshold), clustered_mean_interval(unsafe, clusters)),
        row("avg_max_harm", avg_max_harm(harms), clustered_mean_interval(harms, clusters)),
        row("truncated_rate", sum(truncated) / len(truncated), clustered_mean_interval(truncated, clusters)),
        coverage,
    ]
    for category, rate in category_rates(probabilities, threshold).items():
        flags = [is_unsafe(values[category], threshold) for values in probabilities]
        rows.append(row(harm_metric(category), rate, clustered_mean_interval(flags, clusters), category))
    return rows


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
