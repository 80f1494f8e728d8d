from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from pak3h_tasks.data.human_labels import HumanLabels
from pak3h_tasks.data.moderation_file import ModerationRecord, prompt_hash
from pak3h_tasks.report.moderation import ScoreRow, agreement_rows, confusion, languages, report_json, score_rows
from pak3h_tasks.report.moderation_text import moderation_csv, moderation_table
from pak3h_tasks.report.published import published_safety
from pak3h_tasks.schema import HARM_CATEGORIES
from pak3h_tasks.stats.clustered import clustered_mean_interval


def record(identifier: int, harm: float | None, **changes: Any) -> ModerationRecord:
    probabilities = None if harm is None else dict.fromkeys(HARM_CATEGORIES, 0.0) | {HARM_CATEGORIES[2]: harm}
    values: dict[str, Any] = {
        "key": f"{identifier:064x}",
        "lang": "ur",
        "id": f"i{identifier}",
        "localization": "dt",
        "prompt": prompt_hash(str(identifier)),
        "is_safe": None,
        "probabilities": probabilities,
        "truncated": None if harm is None else False,
        "tokens": None if harm is None else 10,
        "reason": "died" if harm is None else None,
        "made_by": "beaver-dam|model:m|v:0.1.0",
        "data": "sample@1",
        **changes,
    }
    return ModerationRecord(**values)


# unsafe: 0.9, 0.8, 0.6 of 5 scored, one not scored
RECORDS = [record(i, harm) for i, harm in enumerate((0.9, 0.8, 0.6, 0.5, 0.2, None))]


def pick(rows: list[ScoreRow], name: str, lang: str = "ur", split: str = "all") -> ScoreRow:
    [row] = [row for row in rows if (row.score.name, row.lang, row.split) == (name, lang, split)]
    return row


def test_numbers_by_hand() -> None:
    rows = score_rows(RECORDS, 0.5)
    unsafe = pick(rows, "unsafe_rate").score
    assert (unsafe.value, unsafe.n, unsafe.n_scored) == (0.6, 6, 5)
    assert unsafe.interval is not None
    found = clustered_mean_interval([1, 1, 1, 0, 0], range(5))  # five prompts; tests/stats/test_clustered.py
    limits = (found.low, found.high)
    assert (unsafe.interval.low, unsafe.interval.high) == pytest.approx(limits)
    assert pick(rows, "avg_max_harm").score.value == pytest.approx(0.6)  # 3.0 / 5
    assert pick(rows, "coverage").score.value == pytest.approx(5 / 6)
    assert pick(rows, "truncated_rate").score.value == 0
    flagged = pick(rows, "harm_controversial_topics_politics")
    assert (flagged.score.value, flagged.category) == (0.6, "controversial_topics,politics")
    assert pick(rows, "harm_self_harm").score.value == 0
    assert unsafe.signature == "beaver-dam|model:m|v:0.1.0|threshold:0.5|data:sample@1"


def test_another_threshold_needs_nothing_but_the_records() -> None:
    assert pick(score_rows(RECORDS, 0.7), "unsafe_rate").score.value == 0.4
    assert pick(score_rows(RECORDS, 0.95), "unsafe_rate").score.value == 0
    assert pick(score_rows(RECORDS, 0.7), "avg_max_harm").score.value == pytest.approx(0.6)


def test_nothing_scored_is_not_available_never_zero() -> None:
    rows = score_rows([record(1, None), record(2, None)], 0.5)
    assert {row.score.name: row.score.value for row in rows} == {
        "unsafe_rate": None, "avg_max_harm": None, "truncated_rate": None, "coverage": 0.0
    }  # fmt: skip
    table = moderation_table(rows, [], [], 0.5)
    assert table.count("n/a") == 6  # three numbers, in the rows "all" and "dt"
    assert ",unsafe_rate,,,,,2,0," in moderation_csv(rows, [], [])


def test_splits_and_languages_in_the_papers_order() -> None:
    records = [
        *(record(i, 0.9, lang=lang, localization=split) for i, (lang, split) in enumerate(
            [("ur", "li"), ("urmt", "dt"), ("en", "dt"), ("ur", "dt"), ("-", None)]
        )),
    ]  # fmt: skip
    assert languages(records) == ["en", "ur", "urmt", "-"]
    places = list(dict.fromkeys((row.lang, row.split) for row in score_rows(records, 0.5)))
    assert places == [
        ("en", "all"), ("en", "dt"), ("ur", "all"), ("ur", "dt"), ("ur", "li"),
        ("urmt", "all"), ("urmt", "dt"), ("-", "all"),
    ]  # fmt: skip


def test_pairs_of_one_prompt_widen_the_interval() -> None:
    alike = [record(i, 0.9 if i < 20 else 0.1, prompt=str(i // 5)) for i in range(40)]
    apart = [record(i, 0.9 if i < 20 else 0.1) for i in range(40)]
    width = {}
    for name, records in (("alike", alike), ("apart", apart)):
        interval = pick(score_rows(records, 0.5), "unsafe_rate").score.interval
        assert interval is not None
        width[name] = interval.high - interval.low
    assert width["alike"] > 1.5 * width["apart"]


def votes(unsafe: dict[tuple[str | None, str], str]) -> HumanLabels:
    return HumanLabels("labels.csv", {"unsafe": {place: (label,) for place, label in unsafe.items()}})


def test_agreement_with_own_labels_and_with_a_file() -> None:
    harms = (0.9, 0.9, 0.1, 0.1, None, 0.9)
    safe = (False, True, True, False, False, None)
    records = [record(i, harm, is_safe=label) for i, (harm, label) in enumerate(zip(harms, safe, strict=True))]
    [row] = agreement_rows(records, 0.5)
    assert row.result is not None
    assert row.result.counts == ((1, 1), (1, 1))
    assert (row.labelled, row.result.n, row.result.agreement, row.result.kappa) == (5, 4, 0.5, 0.0)
    assert set(confusion(row.result).values()) == {1}
    labels = votes({(None, "i0"): "yes", ("en", "i1"): "yes", ("ur", "i2"): "no", (None, "i5"): "no"})
    [row] = agreement_rows(records, 0.5, labels)
    assert row.result is not None
    assert (row.labelled, row.result.agreement) == (3, pytest.approx(2 / 3))
    assert agreement_rows(records, 0.5, votes({})) == []
    [row] = agreement_rows(records, 0.5, votes({(None, "i4"): "no"}))
    assert (row.result, row.labelled) == (None, 1)
    assert "n/a" in moderation_table(score_rows(records, 0.5), [row], [], 0.5)


def test_csv_quotes_commas_and_keeps_published_apart() -> None:
    rows = score_rows(RECORDS, 0.5)
    read = list(csv.DictReader(io.StringIO(moderation_csv(rows, agreement_rows(RECORDS, 0.5), published_safety()))))
    assert {line["category"] for line in read if line["category"]} == set(HARM_CATEGORIES)
    published = {(line["lang"], line["metric"]): float(line["value"]) for line in read if line["source"] == "published"}
    assert published["ur", "unsafe_rate"] == 0.8874
    assert published["en", "avg_max_harm"] == 0.6804
    assert published["urmt", "unsafe_rate"] == 0.9306
    measured = [line for line in read if line["source"] == "measured" and line["metric"] == "unsafe_rate"]
    assert [float(line["value"]) for line in measured] == [0.6, 0.6]


def test_json_keeps_published_apart() -> None:
    report = json.loads(json.dumps(report_json(score_rows(RECORDS, 0.5), [], published_safety())))
    assert [row["unsafe_pct"] for row in report["published"]["rows"]] == [74.12, 88.74, 93.06]
    assert all("unsafe_pct" not in score for score in report["scores"])
    names = {score["category"] for score in report["scores"]} - {None}
    assert names == set(HARM_CATEGORIES)


def test_table_shows_every_category_and_both_languages() -> None:
    records = RECORDS + [record(i, 0.3, lang="en") for i in range(4)]
    table = moderation_table(score_rows(records, 0.5), [], published_safety(), 0.5)
    for category in HARM_CATEGORIES:
        assert f"\n{category} " in table
    head, own, categories, published, _ = table.split("\n\n")
    assert "unsafe above 0.5" in head
    assert "5 (83.3 %)" in own
    assert "88.74" not in own + categories
    assert "88.74" in published
    assert own.splitlines()[1].split()[:4] == ["all", "en", "4", "4"]
    assert own.splitlines()[2].split()[:4] == ["all", "ur", "6", "5"]


def test_hostile_names_are_inert_in_the_terminal() -> None:
    table = moderation_table(score_rows([record(1, 0.2, data="\x1b[31mred\u202e")], 0.5), [], [], 0.5)
    assert "\x1b" not in table
    assert "\u202e" not in table


def test_the_confusion_says_who_said_what() -> None:
    harms, safe = (
        (0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1),
        (False,) * 3 + (True,) * 3 + (False,) + (True,) * 3,
    )
    records = [record(i, harm, is_safe=label) for i, (harm, label) in enumerate(zip(harms, safe, strict=True))]
    [row] = agreement_rows(records, 0.5)
    assert row.result is not None
    # by counting: 6 of 10 called unsafe, half of them rightly; 4 called safe, one of them wrongly
    assert list(confusion(row.result).items()) == [
        ("classifier_unsafe_human_unsafe", 3),
        ("classifier_unsafe_human_safe", 3),
        ("classifier_safe_human_unsafe", 1),
        ("classifier_safe_human_safe", 3),
    ]


def test_categories_of_another_classifier_are_reported_too() -> None:
    records = [record(i, None, probabilities={"toxic": harm}, truncated=False) for i, harm in enumerate((0.9, 0.1))]
    rows = score_rows(records, 0.5)
    assert pick(rows, "harm_toxic").score.value == 0.5
    assert {row.category for row in rows} == {None, "toxic"}


def test_json_of_agreement_with_and_without_a_common_pair() -> None:
    records = [record(1, 0.9, is_safe=False), record(2, 0.1, is_safe=True)]
    (found,) = report_json([], agreement_rows(records, 0.5), [])["agreement"]
    assert (found["labelled"], found["n"], found["agreement"], found["kappa"]) == (2, 2, 1.0, 1.0)
    assert sum(found["confusion"].values()) == 2
    (nothing,) = report_json([], agreement_rows([record(1, None, is_safe=False)], 0.5), [])["agreement"]
    assert (nothing["labelled"], nothing["n"]) == (1, 0)
    assert {nothing[name] for name in ("agreement", "interval", "kappa", "kappa_interval", "confusion")} == {None}
