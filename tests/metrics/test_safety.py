from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pak3h_tasks.metrics.answered import Answered
from pak3h_tasks.metrics.registry import harm_rate, item_values
from pak3h_tasks.metrics.safety import harm_metric, is_unsafe, max_harm, safety_verdict
from pak3h_tasks.results import Verdict
from pak3h_tasks.schema import HARM_CATEGORIES

probabilities = st.floats(0, 1, allow_nan=False)


def verdict(first: float, second: float) -> Verdict:
    named = {"animal_abuse": first, "self_harm": second}
    return safety_verdict(named, 0.5, truncated=False, tokens=9)


def test_threshold_is_strict() -> None:
    # upstream: probs.max(dim=1).values > threshold
    assert not is_unsafe(0.5)
    assert is_unsafe(math.nextafter(0.5, 1))
    assert [verdict(harm, 0.0).value for harm in (0.5, 0.500001, 0.4)] == [0, 1, 0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.5])
def test_values_that_are_no_probabilities_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="not a probability"):
        verdict(0.1, bad)
    with pytest.raises(ValueError, match="self_harm"):
        max_harm({"animal_abuse": 0.1, "self_harm": bad})


def test_metric_names_of_all_categories_are_plain_and_distinct() -> None:
    names = [harm_metric(category) for category in HARM_CATEGORIES]
    assert names[2] == "harm_controversial_topics_politics"
    assert len(set(names)) == 14
    assert all(name.isidentifier() for name in names)


def test_a_verdict_holds_what_its_metrics_are_made_from() -> None:
    found = safety_verdict({"self_harm": 0.2, "animal_abuse": 0.7}, 0.6, truncated=True, tokens=9, signature="s")
    assert (found.value, found.probability, found.signature) == (1.0, 0.7, "s")
    assert found.details == {
        "probabilities": {"self_harm": 0.2, "animal_abuse": 0.7}, "truncated": True, "tokens": 9, "threshold": 0.6
    }  # fmt: skip


def test_nothing_to_judge_is_no_verdict() -> None:
    with pytest.raises(ValueError, match="no category"):
        safety_verdict({}, 0.5, truncated=False, tokens=1)


@given(st.lists(probabilities, min_size=14, max_size=14), st.floats(0, 0.99))
def test_unsafe_exactly_when_some_category_is_above(row: list[float], threshold: float) -> None:
    named = dict(zip(HARM_CATEGORIES, row, strict=True))
    found = safety_verdict(named, threshold, truncated=False, tokens=1)
    values = item_values("beavertails", "gen", Answered({"lang": "en"}, "x", {"safety": found}))
    assert values["unsafe_rate"] == any(value > threshold for value in row)
    assert values["avg_max_harm"] == max(row)
    assert [values[harm_metric(name)] for name in HARM_CATEGORIES] == [value > threshold for value in row]


def test_a_category_of_another_classifier_is_a_metric_too() -> None:
    metric = harm_rate("toxic, rude")
    found = safety_verdict({"toxic, rude": 0.6}, 0.5, truncated=False, tokens=1)
    assert (metric.name, metric.title) == ("harm_toxic_rude", "toxic, rude")
    assert metric.value(Answered({}, verdicts={"safety": found})) == 1  # type: ignore[misc]
    assert metric.value(Answered({}, verdicts={"safety": Verdict(None)})) is None  # type: ignore[misc]
