"""Published judgements of AlpacaEval 2 (GPT-4-turbo, 20 models) against what reads and averages ours.

The file holds numbers and tokens only. ALPACA_EVAL_JUDGEMENTS names it, or shared/data in a folder above this one.
ALPACA_EVAL_RESULTS names the folder ``results`` of AlpacaEval's repository, whose texts tell the order of the answers.
"""

import ast
import gzip
import json
import os
import statistics
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from pak3h_tasks.backends.protocol import Position, Reply
from pak3h_tasks.harness.summary import summarise
from pak3h_tasks.judges.pairwise import model_is_first, read_preference
from pak3h_tasks.metrics import winrate
from pak3h_tasks.metrics.answered import Answered
from pak3h_tasks.metrics.registry import item_values
from pak3h_tasks.metrics.winrate import length_controlled_win_rate
from pak3h_tasks.results import Verdict

_NAMED = os.environ.get("ALPACA_EVAL_JUDGEMENTS")
_ABOVE = [folder / "shared/data/alpaca_eval_judgements.jsonl.gz" for folder in Path(__file__).resolve().parents]
_PATHS = [path for path in (*([Path(_NAMED)] if _NAMED else []), *_ABOVE) if path.is_file()]
_needs_file = pytest.mark.skipif(not _PATHS, reason="no alpaca_eval_judgements.jsonl.gz; set ALPACA_EVAL_JUDGEMENTS")
_RESULTS = Path(os.environ.get("ALPACA_EVAL_RESULTS", "/nowhere"))
# The file's log-probabilities have five decimals, its preferences six: 1e-5 * p (1 - p) + 5e-7 apart at most.
ROUNDED = 1e-5 / 4 + 1e-6


def read(said, top, model_first):
    """(Preference for the model, what it was read from), of a judge's first token and its top log-probabilities."""
    found = read_preference(Reply(text=said, logprobs=(Position(said, tuple(map(tuple, top))),)))
    return (found.first if model_first else 1 - found.first, found.read_from) if found else (None, None)


@pytest.fixture(scope="module")
def models():
    with gzip.open(_PATHS[0], "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@_needs_file
def test_the_reading_of_log_probabilities(models):
    """Both labels shown: the same preference. One label alone, or little of the mass: the text, as scoring says."""
    by_source = {"logprobs": [], "text": []}
    for model in models:
        for _, model_first, published, _, _, said, top in model["rows"]:
            if top is None or published is None:
                continue
            preference, read_from = read(said, top, model_first)
            difference = abs(preference - published)
            by_source[read_from].append(difference)
            if read_from == "logprobs":
                assert difference <= 1e-5 * preference * (1 - preference) + 5.1e-7
    assert len(by_source["logprobs"]) > 13_000
    assert max(by_source["logprobs"]) <= ROUNDED
    # the bound above is 1e-6 where p (1 - p) is under 0.049; elsewhere the file's rounding is coarser
    assert statistics.median(by_source["logprobs"]) < 1e-6
    # where AlpacaEval trusts two labels that hold less than half of the mass together
    assert len(by_source["text"]) < 10
    assert sum(difference > ROUNDED for difference in by_source["text"]) <= 1


@pytest.mark.skipif(not _RESULTS.is_dir(), reason="no checkout of AlpacaEval; set ALPACA_EVAL_RESULTS")
def test_order_and_reading_on_every_published_judgement():
    """The order is drawn from the instruction alone, so a wrong draw would turn a preference round: p for 1 - p."""
    differences = {"logprobs": [], "text": []}
    for path in sorted(_RESULTS.glob("*/weighted_alpaca_eval_gpt4_turbo/annotations.json")):
        for row in json.loads(path.read_text(encoding="utf-8")):
            if row.get("preference") is None or not row.get("raw_completion"):
                continue
            raw = row["raw_completion"]
            raw = ast.literal_eval(raw) if isinstance(raw, str) else raw
            position = raw["logprobs"]["content"][0]
            top = [(token["token"], token["logprob"]) for token in position["top_logprobs"]]
            preference, read_from = read(position["token"], top, model_is_first(row["instruction"]))
            if preference is not None:
                differences[read_from].append(abs(preference + 1 - float(row["preference"])))
    assert len(differences["logprobs"]) > 800
    assert max(differences["logprobs"]) <= 1e-6
    assert len(differences["text"]) <= 0.001 * len(differences["logprobs"])


@_needs_file
def test_the_order_depends_on_the_instruction_alone(models):
    orders = {}
    for model in models:
        for number, model_first, *_ in model["rows"]:
            orders.setdefault(number, set()).add(model_first)
    assert {len(found) for found in orders.values()} == {1}
    firsts = [found.pop() for found in orders.values()]
    assert 0.45 < statistics.fmean(firsts) < 0.55


@_needs_file
def test_win_rates_and_their_error_are_the_published_ones(models):
    for model in models:
        values = [row[2] for row in model["rows"] if row[2] is not None]
        rows = [
            item_values("alpaca", "gen", Answered({"lang": "en"}, "answer", {"preference": Verdict(value)}))
            for value in values
        ]
        found = summarise([{name: row[name] for name in ("win_rate", "discrete_win_rate")} for row in rows])
        assert len(rows) == model["n_total"]
        assert 100 * found["discrete_win_rate,none"] == pytest.approx(model["discrete_win_rate"], abs=1e-9)
        # the preferences have six decimals
        assert 100 * found["win_rate,none"] == pytest.approx(model["win_rate"], abs=1e-4)
        assert 100 * found["win_rate_stderr,none"] == pytest.approx(model["standard_error"], abs=1e-4)


def length_controlled(models):
    """Percent, and AlpacaEval's."""
    ours = []
    for model in models:
        _, _, preferences, chars, reference_chars, *_ = zip(*model["rows"], strict=True)
        ours.append(100 * length_controlled_win_rate(preferences, chars, reference_chars).value)
    return np.array(ours), np.array([model["length_controlled"] for model in models])


@_needs_file
def test_length_control_is_near_the_published_one(models):
    ours, published = length_controlled(models)
    raw = np.array([model["win_rate"] for model in models])
    assert np.abs(ours - published).mean() == pytest.approx(1.09, abs=0.005)  # as docs/statistics.md says
    assert np.abs(ours - published).max() == pytest.approx(4.1, abs=0.06)
    assert spearmanr(ours, published).statistic == pytest.approx(0.985, abs=0.0005)
    assert np.abs(raw - published).mean() == pytest.approx(5.53, abs=0.005)
    assert spearmanr(raw, published).statistic == pytest.approx(0.968, abs=0.0005)


@_needs_file
def test_length_control_is_near_on_models_that_the_ridge_was_not_chosen_on(models, monkeypatch):
    """Chosen on ten models, used on the other ten, both ways."""
    tried = {}
    for ridge in (0.001, 0.004, 0.006, 0.007, 0.0075, 0.008, 0.0085, 0.009, 0.0095, 0.01, 0.02, 0.05):
        monkeypatch.setattr(winrate, "RIDGE", ridge)
        tried[ridge], published = length_controlled(models)
    held_out, chosen = np.empty(len(models)), []
    for tuned, other in ((slice(0, None, 2), slice(1, None, 2)), (slice(1, None, 2), slice(0, None, 2))):
        chosen.append(min(tried, key=lambda ridge: np.abs(tried[ridge] - published)[tuned].mean()))
        held_out[other] = tried[chosen[-1]][other]
    assert chosen == [0.009, 0.0075]
    assert np.abs(held_out - published).mean() <= 1.5
    assert spearmanr(held_out, published).statistic >= 0.975
