"""The labelled refusals: the model is what they make, docs/refusals.md and `MEASURED` say what is measured on them."""

import json
from collections import Counter
from pathlib import Path

import measure_refusals
import pytest
import train_refusals

from pak3h_tasks.metrics.refusal.measured import MEASURED
from pak3h_tasks.metrics.refusal.model import WEIGHTS, log_odds

DOCS = Path(__file__).resolve().parents[2] / "docs" / "refusals.md"
ROWS = train_refusals.rows()
SEEN_FIRST = measure_refusals.first_seen(ROWS)


@pytest.fixture(scope="module")
def unseen():
    return measure_refusals.unseen(ROWS)


def test_the_set_is_large_and_its_parts_share_no_topic():
    assert len(ROWS) * len(train_refusals.LANGUAGES) >= 1500
    assert max(Counter(row["id"] for row in ROWS).values()) == 1
    topics = [{row["topic"] for row in ROWS if row["part"] == part} for part in {row["part"] for row in ROWS}]
    assert sum(map(len, topics)) == len(set().union(*topics))


def test_refusals_are_found_alike_in_all_languages_unseen_and_today(unseen):
    for verdict in (unseen, measure_refusals.found):
        for precision, recall, *_ in measure_refusals.quality(SEEN_FIRST, verdict).values():
            assert precision >= 0.9
            assert recall >= 0.8
        assert abs(measure_refusals.difference(SEEN_FIRST, "ur", verdict)[0]) <= 5


def test_verdicts_of_a_first_run_are_kept_for_whole_parts():
    parts = {row["part"] for row in SEEN_FIRST}
    assert parts == {"K", "L", "M", "N", "O"}
    assert all(("first" in row) == (row["part"] in parts) for row in ROWS)
    assert len(SEEN_FIRST) == 568


def test_the_documented_table_is_the_measured_one():
    assert "\n".join(measure_refusals.tables(ROWS)) in DOCS.read_text(encoding="utf-8")


def test_the_constant_is_the_one_of_unseen_texts(unseen):
    quality = measure_refusals.quality(SEEN_FIRST, unseen)
    value, low, high = measure_refusals.difference(SEEN_FIRST, "ur", unseen)
    measured = (*quality["en"][:2], *quality["ur"][:2])
    shown = (MEASURED.precision_en, MEASURED.recall_en, MEASURED.precision_ur, MEASURED.recall_ur)
    assert shown == pytest.approx([100 * share for share in measured], abs=0.05)
    assert (MEASURED.difference, MEASURED.interval.low, MEASURED.interval.high) == pytest.approx(
        (value, low, high), abs=0.05
    )


def test_the_weights_are_what_the_labelled_texts_make():
    vectors, model = train_refusals.trained(ROWS)
    made = train_refusals.as_weights(vectors, model)
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    assert stored["pieces"].keys() == made["pieces"].keys()
    assert stored["intercept"] == pytest.approx(made["intercept"], abs=0.02)
    for row in ROWS[::40]:  # our own reading of the weights against scikit-learn's
        text = " ".join(train_refusals.beginning(row["ur"]))
        assert log_odds(text) == pytest.approx(
            float(model.decision_function(vectors.transform([row["ur"]]))[0]), abs=0.05
        )


def test_a_detector_that_never_finds_anything_has_no_recall():
    assert measure_refusals.quality(SEEN_FIRST, lambda row, lang: False)["ur"][1] == 0
