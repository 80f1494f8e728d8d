"""Win rates from pairwise preferences (AlpacaEval; Dubois et al. 2024), and the length-controlled one.

A preference is the probability in [0, 1] that the model's answer beats the reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pak3h_tasks.results import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.int64]

MIN_ITEMS_LENGTH_CONTROLLED = 100

_RIDGE = 1 / 25
_AT_ONCE = 50  # resamples; keeps the arrays small


def win_rate(preferences: Sequence[float]) -> float:
    """Mean preference.

    Args:
        preferences: (n_items,) in [0, 1].

    Raises:
        ValueError: No items, or one outside [0, 1].

    Example:
        >>> win_rate([1.0, 0.5, 0.25, 0.25])
        0.5
    """
    _check(preferences)
    return math.fsum(preferences) / len(preferences)


def discrete_win_rate(preferences: Sequence[float]) -> float:
    """Share of items the model wins, plus half of the exact ties.

    Args:
        preferences: (n_items,) in [0, 1].

    Raises:
        ValueError: No items, or one outside [0, 1].

    Example:
        >>> discrete_win_rate([0.9, 0.5, 0.5, 0.1])
        0.5
    """
    _check(preferences)
    return math.fsum(discrete(p) for p in preferences) / len(preferences)


def discrete(preference: float) -> float:
    """1.0 for a win, 0.5 for an exact tie, 0.0 for a loss."""
    return 0.5 if preference == 0.5 else float(preference > 0.5)


def standard_error(preferences: Sequence[float]) -> float | None:
    """Sample standard deviation (n - 1) over the root of n, as AlpacaEval; None for a single item.

    Example:
        >>> standard_error([0.0, 1.0])
        0.5
    """
    _check(preferences)
    n = len(preferences)
    if n == 1:
        return None
    mean = win_rate(preferences)
    return math.sqrt(math.fsum((p - mean) ** 2 for p in preferences) / (n - 1) / n)


@dataclass(frozen=True)
class LengthControlled:
    """Win rate as if both answers were of the same length. `value` None: refused, see `reason`."""

    value: float | None
    interval: Interval | None = None
    reason: str | None = None


def length_controlled_win_rate(
    preferences: Sequence[float],
    model_chars: Sequence[int],
    reference_chars: Sequence[int],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> LengthControlled:
    """Logistic fit of the preference on the length difference, read off at no difference.

    The regressor is tanh((model - reference) / sd), as in AlpacaEval's length-controlled win rate; unlike there, the
    fit uses only the user's own items (AlpacaEval adds difficulties of 805 English instructions by row number) and
    the interval is a bootstrap over items, which holds the sampling error. The slope has a weak ridge (C = 25): a
    judge that looks at nothing but length separates the data, and the value would otherwise be arbitrary.

    Args:
        preferences: (n_items,) in [0, 1].
        model_chars: (n_items,) characters of the model's answers.
        reference_chars: (n_items,) characters of the reference answers.
        resamples: Bootstrap resamples of the items.
        seed: Of the bootstrap.

    Returns:
        Value in [0, 1] with its 95 % percentile interval; refused under 100 items, and where the answers of one side
        are always the longer ones, because nothing was seen at no difference.

    Raises:
        ValueError: Lengths of the sequences differ, no items, or a preference outside [0, 1].
    """
    import numpy as np

    _check(preferences)
    if not len(preferences) == len(model_chars) == len(reference_chars):
        raise ValueError(
            f"got {len(preferences)}, {len(model_chars)} and {len(reference_chars)} values; give one an item"
        )
    n = len(preferences)
    if n < MIN_ITEMS_LENGTH_CONTROLLED:
        return LengthControlled(None, reason=f"{n} items; needs {MIN_ITEMS_LENGTH_CONTROLLED}")
    p = np.asarray(preferences, dtype=float)
    difference = np.asarray(model_chars, dtype=float) - np.asarray(reference_chars, dtype=float)
    if difference.min() > 0 or difference.max() < 0:
        side = "longer" if difference.min() > 0 else "shorter"
        return LengthControlled(None, reason=f"every answer is {side} than its reference")
    spread = difference.std(ddof=1)
    if spread == 0:  # no difference anywhere, and none to control for
        return LengthControlled(None, reason="all answers are as long as their references")
    x = np.tanh(difference / spread)
    rng = np.random.default_rng(seed)
    shares = np.full(n, 1 / n)
    drawn = [
        _values_at_zero(x, p, rng.multinomial(n, shares, min(_AT_ONCE, resamples - done)))
        for done in range(0, resamples, _AT_ONCE)
    ]
    low, high = np.quantile(np.concatenate(drawn), [0.025, 0.975])
    interval = Interval(float(low), float(high), f"bootstrap ({resamples} resamples, seed {seed})")
    return LengthControlled(float(_values_at_zero(x, p, np.ones((1, n), dtype=int))[0]), interval)


def _values_at_zero(x: FloatArray, p: FloatArray, counts: IntArray) -> FloatArray:
    """Fitted preference at x = 0 for each of many resamples at once, by Newton's method on two parameters.

    Args:
        x: (n,) regressor.
        p: (n,) outcomes in [0, 1].
        counts: (b, n) how often each resample holds each item.

    Returns:
        (b,) in [0, 1]; a resample in which every outcome is 0 (or 1) has that value.
    """
    import numpy as np
    from scipy.special import expit

    mean = counts @ p / counts.sum(axis=1)
    undecided = (mean > 0) & (mean < 1)
    intercept, slope = np.zeros(len(counts)), np.zeros(len(counts))
    for _ in range(100):
        fitted = expit(intercept[:, None] + slope[:, None] * x)
        surplus, curvature = counts * (fitted - p), counts * fitted * (1 - fitted)
        g0, g1 = surplus.sum(axis=1), surplus @ x + slope * _RIDGE
        h00, h01, h11 = curvature.sum(axis=1) + 1e-12, curvature @ x, curvature @ (x * x) + _RIDGE
        determinant = h00 * h11 - h01 * h01
        # a full step can overshoot where the data are nearly separated
        step0 = np.clip((h11 * g0 - h01 * g1) / determinant, -2, 2)
        step1 = np.clip((h00 * g1 - h01 * g0) / determinant, -2, 2)
        intercept, slope = intercept - step0, slope - step1
        if np.abs(np.where(undecided, [step0, step1], 0)).max() < 1e-9:
            break
    values: FloatArray = np.where(undecided, expit(intercept), mean)
    return values


def _check(preferences: Sequence[float]) -> None:
    if not len(preferences):
        raise ValueError("no preferences: a win rate over nothing is not a number")
    for number, p in enumerate(preferences, 1):
        if not 0 <= p <= 1:
            raise ValueError(f"preference {number} is {p}; it must be a probability in [0, 1]")
