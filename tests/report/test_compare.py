"""Two models, item by item."""

import statistics

import pytest

from pak3h_tasks.errors import DataError
from pak3h_tasks.report.build import load
from pak3h_tasks.report.compare import compare, comparison_tables
from pak3h_tasks.report.model import ALL
from support.run_folder import write_run


@pytest.fixture(scope="module")
def comparison(two_models):
    return compare(load([two_models / "org__alpha"]), load([two_models / "org__beta"]))


def test_differences_are_over_common_items(comparison, rows):
    first, second = (
        {r["doc"]["id"]: r["avg_max_harm"] for r in rows(model, "pak3h_beavertails_ur") if "avg_max_harm" in r}
        for model in ("org/alpha", "org/beta")
    )
    ids = first.keys() & second.keys()
    (gap,) = [
        g
        for g in comparison.gaps
        if (g.place.dataset, g.place.lang, g.place.split, g.metric) == ("beavertails", "ur", ALL, "avg_max_harm")
    ]
    assert gap.n == len(ids) < 40
    assert gap.difference == pytest.approx(statistics.fmean(first[i] - second[i] for i in ids))
    assert (gap.first, gap.second) == ("org/alpha", "org/beta")


def test_only_tasks_of_both_are_compared(comparison):
    assert {gap.place.lang for gap in comparison.gaps} == {"en", "ur"}


def test_what_else_differs_is_said(comparison):
    notices = "\n".join(comparison.notices)
    assert "preference judged differently" in notices
    assert "20 items only in A and 0 only in B are left out" in notices


def test_a_model_against_itself_is_zero(two_models):
    alpha = load([two_models / "org__alpha"])
    comparison = compare(alpha, alpha)
    assert comparison.first == "org/alpha (A)"
    for gap in comparison.gaps:
        assert gap.difference == 0
        assert gap.interval is None or gap.interval.low <= 0 <= gap.interval.high
        assert gap.mcnemar is None or gap.mcnemar.p_value == 1


def test_tables_by_split(comparison):
    assert [table.key for table in comparison_tables(comparison)] == [f"compare-{s}" for s in (ALL, "dt", "lc", "li")]


def test_several_models_in_one_path_are_refused(two_models):
    with pytest.raises(DataError, match=r"A holds 2 models \(org/alpha, org/beta\)"):
        compare(load([two_models]), load([two_models / "org__beta"]))


def test_nothing_in_common_is_one_line(tmp_path):
    write_run(tmp_path / "a", kinds=[("alpaca", "gen")], langs=["ur"])
    write_run(tmp_path / "b", kinds=[("alpaca", "gen")], langs=["en"])
    with pytest.raises(DataError, match="no scored task in common"):
        compare(load([tmp_path / "a"]), load([tmp_path / "b"]))


def test_several_judges_of_both_are_compared_judge_by_judge(tmp_path):
    for model in ("a", "b"):
        for number, judge in enumerate(("j1", "j2", *(["j3"] if model == "a" else []))):
            date = f"2026-11-30T21-4{number}-45.470855"
            run = {"kinds": [("truthfulqa", "gen")], "langs": ["ur"], "n": 20, "judge": judge, "date": date}
            write_run(tmp_path / model, model=model, scored=judge, seed=number, **run)
    first, second = load([tmp_path / "a"]), load([tmp_path / "b"])
    found = compare(first, second)
    assert (found.first, found.second) == ("a", "b")
    pairs = {(gap.first, gap.second) for gap in found.gaps}
    assert pairs == {("a → j1", "b → j1"), ("a → j2", "b → j2")}  # nobody but a has j3's verdicts
    keys = [table.key for table in comparison_tables(found)]
    assert keys[0] == "compare-all-1"
    assert len(keys) == len(set(keys)) == 2 * 4
    with pytest.raises(DataError, match=r"no judge judged both \(A: a → j1, a → j2, a → j3; B: c → j4, c → j5\)"):
        for number, judge in enumerate(("j4", "j5")):
            date = f"2026-11-30T21-4{number}-45.470855"
            run = {"kinds": [("truthfulqa", "gen")], "langs": ["ur"], "n": 20, "judge": judge, "date": date}
            write_run(tmp_path / "c", model="c", scored=judge, **run)
        compare(first, load([tmp_path / "c"]))


def test_tables_of_splits_say_so_and_only_settings_that_differ_are_named(tmp_path):
    for name, shots in (("a", 0), ("b", 5)):
        write_run(tmp_path / name, model=f"org/{name}", kinds=[("truthfulqa", "mc")], langs=("ur",), n=20, shots=shots)
    found = compare(load([tmp_path / "a"]), load([tmp_path / "b"]))
    titles = {table.key: table.title for table in comparison_tables(found)}
    assert titles["compare-all"] == "A: org/a  minus  B: org/b"
    assert titles["compare-dt"] == "A: org/a  minus  B: org/b; only dt"
    # task version, data and the rest are alike
    (line,) = [line for line in found.notices if " differs (" in line]
    assert line == "few-shot examples differs (A 0, B 5): truthfulqa ur mc"
