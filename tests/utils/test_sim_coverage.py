"""A small run of the simulation behind docs/statistics.md: intervals hold the value as often as they say."""

import re
from pathlib import Path

import numpy as np
import pytest
import sim_coverage

DOCS = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"
POPULATIONS = {
    "win_rate": "log-probabilities, mean 0.13, mostly near 0 or 1",
    "unsafe_rate": "0.74",
    "ti": "truthful 0.74, informative 0.67, both 0.45",
    "paired gap": "labels: only first 0.2, only second 0.1",
    "paired gap of ti": "(0.74, 0.67) and (0.7, 0.6), 50% drawn alike",
}


@pytest.mark.parametrize("n", [100, 800])
@pytest.mark.parametrize("figure", POPULATIONS)
def test_intervals_cover(figure, n, monkeypatch):
    monkeypatch.setattr(sim_coverage, "_BOOTSTRAPPED_SAMPLES", 1)
    (case,) = [c for c in sim_coverage.cases() if (c.figure, c.population) == (figure, POPULATIONS[figure])]
    found = sim_coverage.coverage(case, n, 1500, np.random.default_rng(1))
    assert 93 <= found.ours <= 97


def test_a_wrong_value_is_noticed(monkeypatch):
    """Half a width off, nothing of the kind is covered: the simulation can fail."""
    monkeypatch.setattr(sim_coverage, "_BOOTSTRAPPED_SAMPLES", 1)
    case = next(c for c in sim_coverage.cases() if c.population == "0.74")
    wrong = sim_coverage.Case(case.figure, "", case.value + 0.05, case.draw, case.interval, case.estimate)
    assert sim_coverage.coverage(wrong, 800, 300, np.random.default_rng(1)).ours < 50


def test_the_documented_table_is_of_every_population_and_within_the_bounds():
    table = r"^\| ([a-z_ ]+) \| (.+?) \| (\d+) \| ([\d.]+) \| [\d.]+ \| [\d.]+ \| [\d.]* ?\|$"
    lines = re.findall(table, DOCS.read_text(encoding="utf-8"), re.M)
    wanted = {(c.figure, c.population, str(n)) for c in sim_coverage.cases() for n in sim_coverage.SIZES}
    assert {(figure, population, n) for figure, population, n, _ in lines} == wanted
    assert all(93 <= float(covered) <= 97 for *_, covered in lines)
