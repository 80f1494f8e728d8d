"""Small runs of the simulations by prompt and of the length-controlled interval, and the documented tables."""

import re
from pathlib import Path

import numpy as np
import pytest
import sim_clustered
import sim_length_control

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")
LINES = re.findall(
    r"^\| (\d+) \| ([\d-]+) \| (.+?) \| ([\d.]+) \| ([^|]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", DOCS, re.M
)


@pytest.mark.parametrize("number", [2, 5])
def test_the_case_that_was_not_covered(number):
    """57 prompts, rate .02 or .98, ICC .5, or means that are constant within a prompt: 87 % and 77 % before."""
    line = sim_clustered.mean_line(57, "1-5", number, 600, 1, (0.02, 0.98))
    assert min(line.covered) >= 93
    assert max(line.wider) < 3


def test_a_gap_is_covered():
    line = sim_clustered.gap_line(57, 2, 400, 1)
    assert min(line.covered) >= 93


def test_an_interval_without_clusters_is_noticed(monkeypatch):
    """The simulation can fail: every answer as its own prompt."""
    by_prompt = sim_clustered.clustered_mean_interval
    monkeypatch.setattr(sim_clustered, "clustered_mean_interval", lambda x, clusters: by_prompt(x, range(len(x))))
    assert sim_clustered.mean_line(57, "5", 3, 200, 1, (0.5,)).covered[0] < 75


def test_the_tables_have_every_shape_and_cover():
    documented = [(prompts, pairs, population) for prompts, pairs, population, *_ in LINES]
    means = [(str(prompts), pairs, population.name) for prompts, pairs, population in sim_clustered.shapes()]
    gaps = [(str(n), "1-5", sim_clustered.POPULATIONS[k].name) for n in sim_clustered.SAMPLES for k in (0, 2, 5)]
    assert documented == means + gaps
    assert min(float(covered) for *_, covered, _, _, _, _ in LINES) >= 93


def test_the_length_controlled_table_covers():
    lines = re.findall(
        r"^\| (text|log-probabilities) \| ([\d., -]+) \| (\d+) \| [\d.]+ \| ([\d.]+) \| [\d.]+ \|$", DOCS, re.M
    )
    wanted = [
        (verdicts, ", ".join(map(str, judge)), str(n))
        for verdicts in sim_length_control.VERDICTS
        for judge in sim_length_control.JUDGES
        for n in sim_length_control.SAMPLES
    ]
    assert [(verdicts, judge, n) for verdicts, judge, n, _ in lines] == wanted
    assert min(float(covered) for *_, covered in lines) >= 93


def test_the_length_controlled_interval_covers():
    rng, judge = np.random.default_rng(5), (-2, 1.5, -0.5)
    truth = sim_length_control.length_controlled_win_rate(*sim_length_control.draw(rng, 200_000, judge, 0.3)).value
    found = [
        sim_length_control.length_controlled_win_rate(*sim_length_control.draw(rng, 100, judge, 0.3)).interval
        for _ in range(400)
    ]
    assert np.mean([interval.low <= truth <= interval.high for interval in found]) >= 0.92
