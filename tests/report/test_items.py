"""Items of split tasks put together, and whose verdicts theirs are."""

import json

import numpy as np
import pytest

from pak3h_tasks.data.sample_log import find_runs
from pak3h_tasks.data.sample_log_names import TaskIdentity
from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.report.items import Items, _origin, common, join, read_log
from support.run_folder import write_run

NAN = np.nan


def items(split, ids, questions=None, **changes):
    return Items(
        **{
            "identity": TaskIdentity("beavertails", "ur", "gen", split),
            "whole": split is None,
            "ids": tuple(ids),
            "questions": tuple(questions or ids),
            "splits": np.asarray([split or "dt"] * len(ids)),
            "topics": (None,) * len(ids),
            "values": {"unsafe_rate": np.arange(len(ids), dtype=float)},
            "data": ("d@1",),
            **changes,
        }
    )


def test_splits_in_a_row_with_each_question_once_in_the_first_that_asked_it():
    parts = [items("dt", "ab", ["p", "q"]), items("lc", "cd", ["q", "r"]), items("li", "e", ["s"])]
    found = join(parts)
    assert (found.ids, found.questions) == (("a", "b", "d", "e"), ("p", "q", "r", "s"))
    assert found.column("unsafe_rate").tolist() == [0, 1, 1, 0]
    assert found.splits.tolist() == ["dt", "dt", "lc", "li"]
    assert found.whole
    assert not join(parts[:2]).whole
    assert join(parts[:1]) is parts[0]


def test_what_only_one_part_has_is_not_scored_in_the_others():
    lone = items("lc", "c", values={"refusal_rate": np.ones(1)}, origins={"safety": np.asarray(["judge"])})
    found = join([items("dt", "ab"), lone])
    assert np.isnan(found.column("refusal_rate")).tolist() == [True, True, False]
    assert np.isnan(found.column("unsafe_rate")).tolist() == [False, False, True]
    assert found.origins["safety"].tolist() == ["", "", "judge"]


def test_rules_of_joined_parts_are_those_that_all_share():
    rules = [{"refusal": "refusal-3", "language": "x"}, {"refusal": "refusal-2", "language": "x"}, {"language": "x"}]
    parts = [items(split, split, rules=found) for split, found in zip(("dt", "lc", "li"), rules, strict=True)]
    assert join(parts).rules == {"language": "x"}
    assert join(parts[:1]).rules == rules[0]


def judged(metric, values, **origins):
    verdicts = {name: np.asarray(found) for name, found in origins.items()}
    ids = [str(number) for number in range(len(next(iter(values.values()))))]
    found = items(None, ids, values={n: np.asarray(v) for n, v in values.items()}, origins=verdicts)
    return found.from_judge(METRICS[metric], np.ones(found.n, dtype=bool))


def test_verdicts_of_a_judge_are_told_from_those_of_a_rule_and_of_nobody():
    wins = {"win_rate": [0.9, 0.5, 1.0, NAN]}
    assert judged("win_rate", wins, preference=["logprobs", "rule", "text", ""]) == (2, 1)
    # where a log does not say what a verdict was read from
    assert judged("win_rate", wins, preference=["judge", "rule", "text", ""]) == (2, None)
    assert judged("win_rate", wins) == (None, None)


def test_a_classifier_is_no_judge_and_two_verdicts_need_two():
    assert judged("unsafe_rate", {"unsafe_rate": [1.0]}, safety=["judge"]) == (None, None)
    verdicts = {"truthful": [1.0, 1.0, 0.0], "informative": [1.0, NAN, 1.0]}
    assert judged("ti", verdicts, truthful=["text", "text", "logprobs"]) == (None, None)
    both = judged("ti", verdicts, truthful=["text", "text", "logprobs"], informative=["logprobs", "", "rule"])
    assert both == (1, 1)


@pytest.mark.parametrize(("first", "second", "places"), [("abc", "cxa", ([0, 2], [2, 0])), ("ab", "xy", ([], []))])
def test_common_items_in_the_order_of_the_first(first, second, places):
    assert tuple(found.tolist() for found in common(items(None, first), items(None, second))) == places


def read_with(tmp_path, **changes):
    """The log of a made-up run whose first row is changed, and what was said."""
    write_run(tmp_path, kinds=[("truthfulqa", "gen")], langs=["ur"], n=5)
    (run,) = find_runs([tmp_path])
    (log,) = run.tasks.values()
    first, *others = log.path.read_text(encoding="utf-8").splitlines()
    log.path.write_text("\n".join([json.dumps({**json.loads(first), **changes}), *others]) + "\n", encoding="utf-8")
    said = []
    return read_log(log, said.append), said


@pytest.mark.parametrize(
    ("metric", "logged", "read"),
    [
        ("ti_joint", 1.0, 1.0),
        # the last digit of a sum of floats is no fault of the log
        ("ti_joint", 1 + 5e-10, 1.0),
        ("ti_joint", -5e-10, 0.0),
        ("chrf_max", 100 + 5e-8, 100.0),
        ("chrf_max", -5e-8, 0.0),
        ("bleu_diff", -50.0, -50.0),
    ],
)
def test_values_at_the_bounds(tmp_path, metric, logged, read):
    found, said = read_with(tmp_path, **{metric: logged})
    assert found.column(metric)[0] == read
    assert not said


@pytest.mark.parametrize(("metric", "logged"), [("ti_joint", 1.001), ("ti_joint", -0.001), ("chrf_max", 100.001)])
def test_values_out_of_range_are_not_scored_and_said(tmp_path, metric, logged):
    found, said = read_with(tmp_path, **{metric: logged})
    assert np.isnan(found.column(metric)[0])
    assert any(f"1 values of {metric} are outside its range" in line for line in said)


@pytest.mark.parametrize("logged", [None, "one", float("nan"), float("inf"), [1.0]])
def test_what_is_no_number_is_not_scored(tmp_path, logged):
    found, said = read_with(tmp_path, chrf_max=logged)
    assert np.isnan(found.column("chrf_max")[0])
    assert not said


@pytest.mark.parametrize(
    ("verdict", "origin"),
    [
        ({"value": None, "reason": "timeout"}, ""),
        ({"value": 1.0, "raw": None, "reason": "equal answers"}, "rule"),
        ({"value": 1.0, "raw": "yes", "reason": "a word of the judge's"}, "judge"),
        ({"value": 1.0, "raw": None, "reason": None}, "judge"),
        ({"value": 1.0, "raw": "m", "details": {"read_from": "logprobs"}}, "logprobs"),
        ({"value": 1.0, "raw": "m", "details": {"source": "text"}}, "text"),
        ({"value": 1.0, "raw": "m", "details": {"orders": [{"read_from": "logprobs"}, {"read_from": "text"}]}}, "text"),
        ({"value": 0.5, "raw": "m", "details": {"orders": [{"read_from": "rule"}]}}, "rule"),
    ],
)
def test_what_a_verdict_was_read_from(verdict, origin):
    assert _origin(verdict) == origin


def test_reasons_of_missing_verdicts_are_counted(tmp_path):
    write_run(tmp_path, kinds=[("truthfulqa", "gen")], langs=["ur"], n=20, unscored=0.5)
    (run,) = find_runs([tmp_path])
    (log,) = run.tasks.values()
    found = read_log(log, print)
    missing = {name: int(np.isnan(found.column(name)).sum()) for name in ("truthful", "informative")}
    assert found.unscored == {f"{name}: timeout after 60 s": count for name, count in missing.items()}
    assert min(missing.values()) > 0
