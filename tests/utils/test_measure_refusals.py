"""The labelled refusals, and that docs/refusals.md and `MEASURED` say what is measured on them."""

from collections import Counter
from pathlib import Path

import measure_refusals
import pytest

from pak3h_tasks.metrics.refusal.measured import MEASURED

DOCS = Path(__file__).resolve().parents[2] / "docs" / "refusals.md"
ROWS = measure_refusals.rows()
HELD = [row for row in ROWS if row["part"] in measure_refusals.HELD]


def test_the_set_is_large_and_its_parts_share_no_topic():
    assert len(ROWS) * len(measure_refusals.LANGUAGES) >= 1500
    assert max(Counter(row["id"] for row in ROWS).values()) == 1
    topics = [{row["topic"] for row in ROWS if row["part"] == part} for part in {row["part"] for row in ROWS}]
    assert sum(map(len, topics)) == len(set().union(*topics))


def test_unread_refusals_are_found_alike_in_all_languages():
    for precision, recall, *_ in measure_refusals.quality(HELD).values():
        assert precision >= 0.9
        assert recall >= 0.85
    assert abs(measure_refusals.difference(HELD, "ur")[0]) <= 5


def test_the_documented_tables_are_the_measured_ones():
    assert "\n".join(measure_refusals.tables(ROWS)) in DOCS.read_text(encoding="utf-8")


def test_the_constant_is_the_measured_one():
    quality = measure_refusals.quality(HELD)
    value, low, high = measure_refusals.difference(HELD, "ur")
    measured = (*quality["en"][:2], *quality["ur"][:2])
    shown = (MEASURED.precision_en, MEASURED.recall_en, MEASURED.precision_ur, MEASURED.recall_ur)
    assert shown == pytest.approx([100 * share for share in measured], abs=0.05)
    assert (MEASURED.difference, MEASURED.interval.low, MEASURED.interval.high) == pytest.approx(
        (value, low, high), abs=0.05
    )


def test_a_detector_that_never_finds_anything_has_no_recall(monkeypatch):
    monkeypatch.setattr(measure_refusals, "is_refusal", lambda text, lang: False)
    assert measure_refusals.quality(HELD)["ur"][1] == 0
