"""Simulated coverage of the intervals by prompt; prints two tables of docs/statistics.md.

    python utils/sim_clustered.py [--samples 1] [--seed 1]

Prompts are drawn, each with one to five answers that are alike: as many prompts as the paper's splits have. A line is
the worst of nine rates. "Oracle" is the distance between the 2.5th and the 97.5th percentile of the simulated means,
which an interval of the right width has on average.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from pak3h_tasks.results import Interval
from pak3h_tasks.stats.clustered import clustered_mean_difference, clustered_mean_interval

Rng = np.random.Generator
# prompts of the smallest split, of the middle ones, of all; samples of each
SAMPLES = {57: 3000, 510: 2000, 3500: 1200}
RATES = (0.001, 0.003, 0.01, 0.02, 0.1, 0.5, 0.9, 0.98, 0.99)
GAPS = ((0.02, 0.01), (0.1, 0.1), (0.5, 0.3), (0.9, 0.98))


@dataclass(frozen=True)
class Population:
    """`draw` gives the answers of prompts, from the prompts' numbers (n,) and a rate: (n,) in [0, 1]."""

    name: str
    draw: Callable[[Rng, np.ndarray, float], np.ndarray]


@dataclass(frozen=True)
class Line:
    """One line of a table: a population at one size.

    Attributes:
        covered: Percent of the samples, for each rate.
        wider: Mean width over the oracle's, for each rate; infinite where nearly all samples have the same mean.
    """

    prompts: int
    pairs: str
    population: str
    rates: tuple[object, ...]
    covered: tuple[float, ...]
    wider: tuple[float, ...]


def alike(icc: float) -> Population:
    """Yes/no answers: each prompt has its own rate, from a Beta distribution."""

    def draw(rng: Rng, members: np.ndarray, rate: float) -> np.ndarray:
        own = np.full(len(members), rate)
        if icc:
            total = 1 / icc - 1
            own = rng.beta(rate * total, (1 - rate) * total, members[-1] + 1)[members]
        return (rng.random(len(members)) < own).astype(float)

    return Population(f"rates, ICC {icc:g}", draw)


def constant(total: float) -> Population:
    """Values in [0, 1], the same for all answers to a prompt."""
    return Population(
        f"means, one value a prompt, Beta of {total:g}",
        lambda rng, members, mean: rng.beta(mean * total, (1 - mean) * total, members[-1] + 1)[members],
    )


def copies(rng: Rng, members: np.ndarray, rate: float) -> np.ndarray:
    """Half of the answers repeat what their prompt drew, the others are independent."""
    shared, own = rng.random(members[-1] + 1) < rate, rng.random(len(members)) < rate
    return np.where(rng.random(len(members)) < 0.5, shared[members], own).astype(float)


POPULATIONS = (
    alike(0), alike(0.1), alike(0.5), alike(0.9), Population("rates, half copied", copies), constant(0.3), constant(2),
)  # fmt: skip


def shapes() -> Iterator[tuple[int, str, Population]]:
    """Prompts, pairs of each, population; where each has one pair, all ICCs are the same."""
    for prompts in SAMPLES:
        for pairs in ("1", "5", "1-5"):
            for population in POPULATIONS:
                if pairs != "1" or population.name in ("rates, ICC 0", *(constant(a).name for a in (0.3, 2))):
                    yield prompts, pairs, population


def members_of(prompts: int, pairs: str, rng: Rng) -> np.ndarray:
    """(n,) number of the prompt that each answer belongs to."""
    sizes = rng.integers(1, 6, prompts) if pairs == "1-5" else np.full(prompts, int(pairs))
    return np.repeat(np.arange(prompts), sizes)


def measured(value: float, samples: int, sample: Callable[[], tuple[float, Interval | None]]) -> tuple[float, float]:
    """Percent covered, and mean width over the oracle's."""
    estimates, held, width = [], 0, 0.0
    for _ in range(samples):
        estimate, interval = sample()
        estimates.append(estimate)
        held += interval is not None and interval.low <= value <= interval.high
        width += 2.0 if interval is None else interval.high - interval.low
    low, high = np.quantile(estimates, [0.025, 0.975])
    return 100 * held / samples, float(width / samples / (high - low)) if high - low > 1e-9 else float("inf")


def mean_line(prompts: int, pairs: str, number: int, samples: int, seed: int, rates: tuple[float, ...]) -> Line:
    """One population, all rates."""
    population, rng = POPULATIONS[number], np.random.default_rng([seed, prompts, number, ord(pairs[-1])])
    members = members_of(prompts, pairs, rng)
    clusters = members.tolist()

    def one(rate: float) -> tuple[float, float]:
        def sample() -> tuple[float, Interval]:
            x = population.draw(rng, members, rate)
            return float(x.mean()), clustered_mean_interval(x, clusters)

        return measured(rate, samples, sample)

    found = [one(rate) for rate in rates]
    return Line(prompts, pairs, population.name, rates, *zip(*found, strict=True))


def gap_line(prompts: int, number: int, samples: int, seed: int) -> Line:
    """Paired differences of two rates or means of the same prompts, one to five pairs each; all gaps."""
    population, rng = POPULATIONS[number], np.random.default_rng([seed, prompts, number])
    members = members_of(prompts, "1-5", rng)
    clusters = members.tolist()

    def one(first: float, second: float) -> tuple[float, float]:
        def sample() -> tuple[float, Interval | None]:
            x, y = (population.draw(rng, members, rate) for rate in (first, second))
            found = clustered_mean_difference(x, y, clusters)
            return found.value, found.interval

        return measured(first - second, samples, sample)

    found = [one(*gap) for gap in GAPS]
    return Line(prompts, "1-5", population.name, GAPS, *zip(*found, strict=True))


def cells(line: Line) -> str:
    """The line in Markdown; widths only where the oracle has one."""
    lowest = min(line.covered)
    at = line.rates[line.covered.index(lowest)]
    finite = [wider for wider in line.wider if np.isfinite(wider)]
    shown = f"{at[0]} - {at[1]}" if isinstance(at, tuple) else f"{at}"
    return (
        f"| {line.prompts} | {line.pairs} | {line.population} | {lowest:.1f} | {shown} | {np.mean(line.covered):.1f} "
        f"| {np.median(finite):.2f} | {max(finite):.2f} |"
    )


HEAD = (
    "| prompts | pairs of each | {} | lowest coverage % | at | mean % | width / oracle, median | largest |\n"
    "|---:|---:|---|---:|---:|---:|---:|---:|"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=float, default=1.0, help="times those of SAMPLES")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    times = {prompts: int(args.samples * samples) for prompts, samples in SAMPLES.items()}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        means = [
            pool.submit(mean_line, prompts, pairs, POPULATIONS.index(population), times[prompts], args.seed, RATES)
            for prompts, pairs, population in shapes()
        ]
        gaps = [
            pool.submit(gap_line, prompts, number, times[prompts], args.seed)
            for prompts in SAMPLES
            for number in (0, 2, 5)
        ]
        for title, lines in (("population", means), ("population of both sides", gaps)):
            print(HEAD.format(title))
            for line in lines:
                print(cells(line.result()), flush=True)
            print()


if __name__ == "__main__":
    main()
