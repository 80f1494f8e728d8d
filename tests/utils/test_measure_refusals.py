"""The labelled refusals, and that docs/refusals.md and `MEASURED` say what is measured on them."""

from collections import Counter
from pathlib import Path

import measure_refusals
import pytest

from pak3h_tasks.metrics.refusal.measured import MEASURED

DOCS = Path(__file__).resolve().parents[2] / "docs" / "refusals.md"
ROWS = measure_refusals.rows()
SEEN_FIRST = measure_refusals.first_seen(ROWS)


def test_the_set_is_large_and_its_parts_share_no_topic():
    assert len(ROWS) * len(measure_refusals.LANGUAGES) >= 1500
    assert max(Counter(row["id"] for row in ROWS).values()) == 1
    topics = [{row["topic"] for row in ROWS if row["part"] == part} for part in {row["part"] for row in ROWS}]
    assert sum(map(len, topics)) == len(set().union(*topics))


def test_refusals_are_found_alike_in_all_languages_at_first_sight_and_today():
    for verdict in (measure_refusals.found_at_first_sight, measure_refusals.found):
        for precision, recall, *_ in measure_refusals.quality(SEEN_FIRST, verdict).values():
            assert precision >= 0.9
            assert recall >= 0.8
        assert abs(measure_refusals.difference(SEEN_FIRST, "ur", verdict)[0]) <= 5


def test_verdicts_of_a_first_run_are_kept_for_whole_parts():
    parts = {row["part"] for row in SEEN_FIRST}
    assert parts == {"K", "L", "M", "N"}
    assert all(("first" in row) == (row["part"] in parts) for row in ROWS)
    assert len(SEEN_FIRST) == 368


def test_the_documented_table_is_the_measured_one():
    assert "\n".join(measure_refusals.tables(ROWS)) in DOCS.read_text(encoding="utf-8")


def test_the_constant_is_the_one_of_first_sight():
    quality = measure_refusals.quality(SEEN_FIRST, measure_refusals.found_at_first_sight)
    value, low, high = measure_refusals.difference(SEEN_FIRST, "ur", measure_refusals.found_at_first_sight)
    measured = (*quality["en"][:2], *quality["ur"][:2])
    shown = (MEASURED.precision_en, MEASURED.recall_en, MEASURED.precision_ur, MEASURED.recall_ur)
    assert shown == pytest.approx([100 * share for share in measured], abs=0.05)
    assert (MEASURED.difference, MEASURED.interval.low, MEASURED.interval.high) == pytest.approx(
        (value, low, high), abs=0.05
    )


def test_a_detector_that_never_finds_anything_has_no_recall():
    assert measure_refusals.quality(SEEN_FIRST, lambda row, lang: False)["ur"][1] == 0
