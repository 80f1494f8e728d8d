"""Which paired differences there are, and what is said of them."""

import pytest

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.build import load
from pak3h_tasks.report.estimate import PairedEstimate
from pak3h_tasks.report.gaps import gap, gaps
from pak3h_tasks.report.model import ALL, Place
from support.run_folder import write_run

PLACE = Place("org/model", "alpaca", "en", "gen")


def items_of(folder, lang, **changes):
    write_run(folder / lang, kinds=[("alpaca", "gen")], langs=[lang], **changes)
    (system,) = load([folder / lang]).systems
    return system.loaded["alpaca", lang, "gen"].items


def test_a_gap_without_a_common_item_says_so_and_else_has_its_own_note():
    nothing, something = PairedEstimate(0, None, None, None, None), PairedEstimate(1, 1.0, 0.0, 1.0, None)
    names = ("en", "ur")
    assert gap(PLACE, METRICS["win_rate"], names, nothing, note="x").note == "no item is scored in both"
    found = gap(PLACE, METRICS["win_rate"], names, something, note="x")
    assert (found.note, found.first, found.second, found.metric, found.of_systems) == (
        "x",
        "en",
        "ur",
        "win_rate",
        False,
    )
    assert (found.n, found.first_value, found.second_value, found.difference) == (1, 1.0, 0.0, 1.0)
    assert gap(PLACE, METRICS["win_rate"], names, something).note == ""
    assert gap(PLACE, METRICS["win_rate"], names, something, of_systems=True).of_systems


def test_over_all_and_by_the_splits_that_are_there(tmp_path):
    first, second = items_of(tmp_path, "en", n=4), items_of(tmp_path, "ur", n=4)
    found = list(gaps(first, second, PLACE, ("en", "ur")))
    counts = {g.place.split: g.n for g in found if g.metric == "win_rate"}
    assert counts == {ALL: 4, "dt": 3, "lc": 1}
    assert {g.of_systems for g in found} == {False}
    by_hand = first.column("win_rate").mean() - second.column("win_rate").mean()
    assert next(g.difference for g in found if g.metric == "win_rate") == pytest.approx(by_hand)
    # a metric that only one of them has is no gap, nor is one that is not compared
    assert {g.metric for g in found} == {"win_rate", "discrete_win_rate", "in_language", "answer_chars"}
    del second.values["answer_chars"]
    assert "answer_chars" not in {g.metric for g in gaps(first, second, PLACE, ("en", "ur"))}


def test_no_gap_over_all_where_one_has_a_split_alone(tmp_path):
    first, second = items_of(tmp_path, "en", n=20), items_of(tmp_path, "ur", n=20, splits=["dt"])
    assert {g.place.split for g in gaps(first, second, PLACE, ("en", "ur"))} == {"dt"}
    assert {g.place.split for g in gaps(second, first, PLACE, ("ur", "en"))} == {"dt"}
