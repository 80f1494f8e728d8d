"""Numbers of a task whose sample log is gone, from lm-eval's totals alone."""

from pathlib import Path

import pytest

from pak3h_tasks.data.sample_log import Run
from pak3h_tasks.data.sample_log_names import TaskIdentity
from pak3h_tasks.report.aggregates import aggregate_cells
from pak3h_tasks.report.model import ALL
from pak3h_tasks.stats.intervals import mean_interval

TASK = "pak3h_beavertails_ur"


def cells(said=None, split=None, samples=(40, 40), **totals):
    results = {
        "results": {TASK: {f"{name},none": value for name, value in totals.items()}},
        "configs": {TASK: {"dataset_kwargs": {"pak3h": said or {}}}},
        "n-samples": {TASK: {"effective": samples[0], "original": samples[1]}},
    }
    run = Run(Path(), None, "", "", "m", results, {})
    return {c.score.name: c for c in aggregate_cells("m", run, TASK, TaskIdentity("beavertails", "ur", "gen", split))}


def test_value_and_interval_of_the_standard_error():
    found = cells(unsafe_rate=0.3, unsafe_rate_stderr=0.05)["unsafe_rate"]
    assert (found.score.value, found.score.n, found.score.n_scored, found.place.split) == (0.3, 40, 40, ALL)
    low, high = found.score.interval.low, found.score.interval.high
    assert (low, high) == pytest.approx((0.3 - 1.959964 * 0.05, 0.3 + 1.959964 * 0.05), abs=1e-6)
    assert found.note == "from lm-eval's totals"


def test_intervals_stay_inside_the_bounds():
    found = cells(unsafe_rate=0.02, unsafe_rate_stderr=0.05, avg_max_harm=0.98, avg_max_harm_stderr=0.05)
    assert found["unsafe_rate"].score.interval.low == 0
    assert found["avg_max_harm"].score.interval.high == 1


@pytest.mark.parametrize("error", ["N/A", -0.1, float("nan")])
def test_without_a_standard_error_there_is_no_interval(error):
    assert cells(unsafe_rate=0.3, unsafe_rate_stderr=error)["unsafe_rate"].score.interval is None


def test_no_spread_is_known_of_the_values_alone():
    found = cells(unsafe_rate=1.0, unsafe_rate_stderr=0.0)["unsafe_rate"].score
    assert found.interval == mean_interval([1.0] * 40)
    assert cells(unsafe_rate=1.0, unsafe_rate_stderr=0.0, samples=(0, 0))["unsafe_rate"].score.interval is None


def test_scored_items_are_those_that_coverage_says():
    found = cells(unsafe_rate=0.3, unsafe_rate_stderr=0.05, refusal_rate=0.1, coverage=0.75)
    assert (found["unsafe_rate"].score.n, found["unsafe_rate"].score.n_scored) == (40, 30)
    # no verdict is behind it
    assert found["refusal_rate"].score.n_scored == 40
    for strange, scored in ((7.0, 40), (-1.0, 0)):
        assert cells(unsafe_rate=0.3, coverage=strange)["unsafe_rate"].score.n_scored == scored


def test_signature_and_split_and_limit():
    said = {"data": "d@1", "classifier": "beaver-dam|model:x", "package": "pak3h-tasks 0.1.0"}
    found = cells(said, "lc", (10, 40), unsafe_rate=0.3)["unsafe_rate"]
    assert found.place.split == "lc"
    assert found.score.signature == "unsafe_rate|beaver-dam|model:x|data:d@1|v:0.1.0"
    assert found.note == "from lm-eval's totals, 10 of 40 items"
    judged = cells({"judge": "j", "classifier": "c"}, unsafe_rate=0.3)["unsafe_rate"].score.signature
    assert judged == "unsafe_rate|j"
    whole = cells(said, samples=(40, None), unsafe_rate=0.3)["unsafe_rate"]
    assert whole.note == "from lm-eval's totals"
    strange = cells({"data": 5, "classifier": 5}, unsafe_rate=0.3)["unsafe_rate"].score.signature
    assert strange == "unsafe_rate|safety:?"


@pytest.mark.parametrize("value", [1.2, -0.1])
def test_what_cannot_be_has_no_value_and_a_word(value):
    found = cells(unsafe_rate=value, unsafe_rate_stderr=0.1)["unsafe_rate"]
    assert (found.score.value, found.score.interval, found.score.n_scored) == (None, None, 0)
    assert found.note == f"{value:g} in lm-eval's totals cannot be"


@pytest.mark.parametrize("effective", ["many", None, -3, [40]])
def test_a_count_that_is_none_counts_nothing(effective):
    score = cells(unsafe_rate=0.3, unsafe_rate_stderr=0.05, samples=(effective, 40))["unsafe_rate"].score
    assert (score.value, score.n, score.n_scored) == (0.3, 0, 0)


def test_what_is_no_number_is_left_out():
    assert cells(unsafe_rate="N/A", avg_max_harm=float("nan"), truncated_rate=0.0).keys() == {"truncated_rate"}
