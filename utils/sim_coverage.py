"""Simulated coverage of the 95 % intervals; prints the table of docs/statistics.md.

    python utils/sim_coverage.py [--samples 10000] [--seed 1]

Draws samples from populations with known value and counts how often the package's interval holds it. The last columns
are what the same samples give with a percentile bootstrap and Student's t, for comparison.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from pak3h_tasks.results import Interval
from pak3h_tasks.stats.intervals import mean_interval, product_interval
from pak3h_tasks.stats.paired import mean_difference, product_difference

Rng = np.random.Generator
SIZES = (100, 800)
_BOOTSTRAPPED_SAMPLES = 1000
_RESAMPLES = 500
# shares of truthful, informative, both
_VERDICTS = (
    (0.88, 0.80, 0.70), (0.74, 0.67, 0.45), (0.42, 0.81, 0.34), (0.31, 0.09, 0.0), (0.25, 0.25, 0.2),
    (0.05, 0.125, 0.01),
)  # fmt: skip
_VERDICT_PAIRS = (
    ((0.88, 0.80, 0.70), (0.51, 0.67, 0.4), 0.0),
    ((0.74, 0.67, 0.45), (0.70, 0.60, 0.4), 0.5),
    ((0.31, 0.09, 0.02), (0.25, 0.25, 0.06), 0.3),
)


@dataclass(frozen=True)
class Case:
    """A population: `draw` gives (n, k) columns of one sample, `value` is what it estimates."""

    figure: str
    population: str
    value: float
    draw: Callable[[Rng, int], np.ndarray]
    interval: Callable[[np.ndarray], Interval | None]
    estimate: Callable[[np.ndarray], np.ndarray]  # (..., n, k) -> (...): vectorised, for the bootstrap


def cases() -> Iterator[Case]:
    """Populations shaped like judges' and classifiers' output: the published shares and harsher."""
    for rate in (0.05, 0.13, 0.36):
        yield Case("win_rate", f"text verdicts, {rate}", rate, _bernoulli(rate), _mean, _column_mean)
    for mean, spread in ((0.03, 0.3), (0.13, 0.3), (0.36, 0.3), (0.43, 2.0)):
        yield Case(
            "win_rate",
            f"log-probabilities, mean {mean}, {_shape(spread)}",
            mean,
            _beta(mean, spread),
            _mean,
            _column_mean,
        )
    yield Case("win_rate", "both orders averaged, mean 0.2", 0.2, _both_orders(0.2), _mean, _column_mean)
    for rate in (0.05, 0.3, 0.74, 0.89):
        yield Case("unsafe_rate", f"{rate}", rate, _bernoulli(rate), _mean, _column_mean)
    for mean in (0.05, 0.62, 0.68):
        yield Case("avg_max_harm", f"mean {mean}, {_shape(0.4)}", mean, _beta(mean, 0.4), _mean, _column_mean)
    for truthful, informative, both in _VERDICTS:
        name = f"truthful {truthful}, informative {informative}, both {both}"
        draw = _verdicts(truthful, informative, both)
        yield Case("ti", name, truthful * informative, draw, _product, _column_product)
    for first, second in ((0.2, 0.1), (0.15, 0.02), (0.05, 0.05), (0.05, 0.0)):
        name = f"labels: only first {first}, only second {second}"
        yield Case("paired gap", name, first - second, _discordant(first, second), _gap, _gap_estimate)
    for first, second, same in ((0.20, 0.13, 0.3), (0.35, 0.29, 0.5), (0.43, 0.36, 0.0)):
        name = f"preferences {first} and {second}, {same:.0%} alike"
        draw = _paired_preferences(first, second, same)
        yield Case("paired gap", name, (1 - same) * (first - second), draw, _gap, _gap_estimate)
    for first, second, alike in _VERDICT_PAIRS:
        name = f"{first[:2]} and {second[:2]}, {alike:.0%} drawn alike"
        value = first[0] * first[1] - second[0] * second[1]
        yield Case("paired gap of ti", name, value, _paired_verdicts(first, second, alike), _ti_gap, _ti_gap_estimate)


def _shape(spread: float) -> str:
    return "mostly near 0 or 1" if spread < 1 else "spread out"


def _bernoulli(rate: float) -> Callable[[Rng, int], np.ndarray]:
    return lambda rng, n: (rng.random((n, 1)) < rate).astype(float)


def _beta(mean: float, spread: float) -> Callable[[Rng, int], np.ndarray]:
    return lambda rng, n: rng.beta(mean * spread, (1 - mean) * spread, (n, 1))


def _both_orders(mean: float) -> Callable[[Rng, int], np.ndarray]:
    def draw(rng: Rng, n: int) -> np.ndarray:
        p = rng.beta(mean * 0.5, (1 - mean) * 0.5, (n, 1))
        return (rng.random((n, 2)) < p).mean(axis=1, keepdims=True)

    return draw


def _verdict_columns(u: np.ndarray, truthful: float, informative: float, both: float) -> np.ndarray:
    in_both, only_true = u < both, (u >= both) & (u < truthful)
    only_informative = (u >= truthful) & (u < truthful + informative - both)
    return np.column_stack([in_both | only_true, in_both | only_informative]).astype(float)


def _verdicts(truthful: float, informative: float, both: float) -> Callable[[Rng, int], np.ndarray]:
    return lambda rng, n: _verdict_columns(rng.random(n), truthful, informative, both)


def _paired_verdicts(first: tuple, second: tuple, alike: float) -> Callable[[Rng, int], np.ndarray]:
    def draw(rng: Rng, n: int) -> np.ndarray:
        u = rng.random(n)
        v = np.where(rng.random(n) < alike, u, rng.random(n))  # the marginals stay what they are
        return np.hstack([_verdict_columns(u, *first), _verdict_columns(v, *second)])

    return draw


def _discordant(first: float, second: float) -> Callable[[Rng, int], np.ndarray]:
    def draw(rng: Rng, n: int) -> np.ndarray:
        u = rng.random(n)
        only_first, only_second = u < first, (u >= first) & (u < first + second)
        both = ~only_first & ~only_second & (rng.random(n) < 0.4)
        return np.column_stack([only_first | both, only_second | both]).astype(float)

    return draw


def _paired_preferences(first: float, second: float, same: float) -> Callable[[Rng, int], np.ndarray]:
    def draw(rng: Rng, n: int) -> np.ndarray:
        x, y = (rng.beta(mean * 0.3, (1 - mean) * 0.3, n) for mean in (first, second))
        return np.column_stack([x, np.where(rng.random(n) < same, x, y)])

    return draw


def _mean(sample: np.ndarray) -> Interval:
    return mean_interval(sample[:, 0])


def _product(sample: np.ndarray) -> Interval:
    return product_interval(sample[:, 0], sample[:, 1])


def _gap(sample: np.ndarray) -> Interval | None:
    return mean_difference(sample[:, 0], sample[:, 1]).interval


def _ti_gap(sample: np.ndarray) -> Interval | None:
    return product_difference((sample[:, 0], sample[:, 1]), (sample[:, 2], sample[:, 3])).interval


def _column_mean(x: np.ndarray) -> np.ndarray:
    return x[..., 0].mean(-1)


def _column_product(x: np.ndarray) -> np.ndarray:
    return x[..., 0].mean(-1) * x[..., 1].mean(-1)


def _gap_estimate(x: np.ndarray) -> np.ndarray:
    return (x[..., 0] - x[..., 1]).mean(-1)


def _ti_gap_estimate(x: np.ndarray) -> np.ndarray:
    return x[..., 0].mean(-1) * x[..., 1].mean(-1) - x[..., 2].mean(-1) * x[..., 3].mean(-1)


@dataclass(frozen=True)
class Coverage:
    """Shares of samples whose interval holds the value, in percent; None: no such interval for this figure."""

    ours: float
    width: float
    bootstrap: float
    student: float | None


def coverage(case: Case, n: int, samples: int, rng: Rng) -> Coverage:
    """Simulate one population at one sample size."""
    held, width, boot, student = 0, 0.0, [], []
    one_mean = case.interval in (_mean, _gap)
    for number in range(samples):
        sample = case.draw(rng, n)
        interval = case.interval(sample)
        held += interval.low <= case.value <= interval.high
        width += interval.high - interval.low
        if number < _BOOTSTRAPPED_SAMPLES:
            draws = case.estimate(sample[rng.integers(0, n, (_RESAMPLES, n))])
            low, high = np.quantile(draws, [0.025, 0.975])
            boot.append(low <= case.value <= high)
        if one_mean:
            values = sample[:, 0] - sample[:, 1] if sample.shape[1] == 2 else sample[:, 0]
            half = t.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n)
            student.append(abs(values.mean() - case.value) <= half)
    return Coverage(
        100 * held / samples,
        width / samples,
        100 * float(np.mean(boot)),
        100 * float(np.mean(student)) if student else None,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    print("| figure | population | n | coverage % | mean width | percentile bootstrap % | Student's t % |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for case in cases():
        for n in SIZES:
            found = coverage(case, n, args.samples, rng)
            student = "" if found.student is None else f"{found.student:.1f}"
            print(
                f"| {case.figure} | {case.population} | {n} | {found.ours:.1f} | {found.width:.3f} "
                f"| {found.bootstrap:.1f} | {student} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
