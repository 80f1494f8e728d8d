"""Simulated coverage of the length-controlled win rate's interval; prints a table of docs/statistics.md.

    python utils/sim_length_control.py [--samples 1] [--seed 3]

The truth of a population is the fit on 400,000 items.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from scipy.special import expit

from pak3h_tasks.metrics.winrate import length_controlled_win_rate

# items, samples: AlpacaEval's and the paper's set, and the fewest items that have such a win rate
SAMPLES = {100: 2000, 805: 1000, 4445: 500}
# intercept and slope of the judge, log of how much longer the model's answers are than the reference's
JUDGES = ((0, 1, 0), (0, 3, 0.5), (-2, 1.5, -0.5), (-3, 2, -0.7), (-4, 1, 0), (2, 3, 0.7), (-1, 3, -1.0))
# verdicts from text, and from log-probabilities that are mostly near 0 or 1 (Beta with a sum of parameters of 0.3)
VERDICTS = {"text": 0.0, "log-probabilities": 0.3}
Sample = tuple[np.ndarray, np.ndarray, np.ndarray]


def draw(rng: np.random.Generator, n: int, judge: tuple[float, float, float], total: float) -> Sample:
    """Preferences, characters of the model's answers, of the reference's."""
    intercept, slope, longer = judge
    model, reference = np.exp(rng.normal(7 + longer, 0.5, n)), np.exp(rng.normal(7, 0.5, n))
    wins = expit(intercept + slope * np.tanh((model - reference) / 800))
    p = rng.beta(wins * total, (1 - wins) * total) if total else (rng.random(n) < wins).astype(float)
    return p, model.round(), reference.round()


def rows(times: float, seed: int) -> Iterator[tuple[str, tuple[float, float, float], int, float, float, float]]:
    """Verdicts, judge, items, the true value, percent covered, mean width."""
    rng = np.random.default_rng(seed)
    for verdicts, total in VERDICTS.items():
        for judge in JUDGES:
            truth = length_controlled_win_rate(*draw(rng, 400_000, judge, total)).value
            for n, samples in SAMPLES.items():
                number, held, width = int(times * samples), 0, 0.0
                for _ in range(number):
                    interval = length_controlled_win_rate(*draw(rng, n, judge, total)).interval
                    held += interval.low <= truth <= interval.high
                    width += interval.high - interval.low
                yield verdicts, judge, n, truth, 100 * held / number, width / number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=float, default=1.0, help="times those of SAMPLES")
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    print("| verdicts from | judge: intercept, slope, longer | n | value | coverage % | mean width |")
    print("|---|---|---:|---:|---:|---:|")
    for verdicts, judge, n, truth, covered, width in rows(args.samples, args.seed):
        print(f"| {verdicts} | {', '.join(map(str, judge))} | {n} | {truth:.3f} | {covered:.1f} | {width:.3f} |")


if __name__ == "__main__":
    main()
