"""Win rates from pairwise preferences (AlpacaEval; Dubois et al. 2024), and the length-controlled one.

A preference is the probability in [0, 1] that the model's answer beats the reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pak3h_tasks.results import Interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MIN_ITEMS_LENGTH_CONTROLLED = 100
_RIDGE = 1 / 25
_MAX_STEPS = 60
_BATCH_CELLS = 500_000


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
    the interval is a bootstrap over items, which holds the sampling error. The slope has a weak ridge (1/25): a
    judge that looks at nothing but length separates the data, and the value would otherwise be arbitrary.

    Args:
        preferences: (n_items,) in [0, 1].
        model_chars: (n_items,) characters of the model's answers.
        reference_chars: (n_items,) characters of the reference answers.
        resamples: Bootstrap resamples of the items.
        seed: Of the bootstrap.

    Returns:
        Value in (0, 1) with its 95 % percentile interval; refused under 100 items.

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
    if p.min() == p.max() and p[0] in (0.0, 1.0):  # one class only: nothing to fit
        return LengthControlled(float(p[0]), Interval(float(p[0]), float(p[0]), "every item has this outcome"))
    spread = difference.std(ddof=1)
    if spread == 0:  # every difference is the same: length cannot be told from quality
        return LengthControlled(None, reason="all length differences are equal")
    x = np.tanh(difference / spread)
    rng = np.random.default_rng(seed)
    batch = max(1, _BATCH_CELLS // n)
    draws = np.concatenate(
        [
            _values_at_zero(x, p, rng.multinomial(n, np.full(n, 1 / n), min(batch, resamples - done)))
            for done in range(0, resamples, batch)
        ]
    )
    low, high = np.quantile(draws, [0.025, 0.975])
    interval = Interval(float(low), float(high), f"bootstrap ({resamples} resamples, seed {seed})")
    return LengthControlled(float(_values_at_zero(x, p, np.ones((1, n)))[0]), interval)


def _values_at_zero(
    x: npt.NDArray[np.float64], p: npt.NDArray[np.float64], weights: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """sigmoid(intercept) of weighted logistic fits p ~ x with the slope's ridge, all at once (Newton's method).

    Args:
        x: (n,) regressor.
        p: (n,) fractional outcome.
        weights: (n_fits, n) how often each item counts.
    """
    import numpy as np

    beta = np.zeros((len(weights), 2))  # intercept, slope
    design = np.stack([np.ones_like(x), x], axis=1)
    products = np.stack([np.ones_like(x), x, x * x], axis=1)
    for _ in range(_MAX_STEPS):
        fitted = 1 / (1 + np.exp(-(beta @ design.T)))
        gradient = (weights * (fitted - p)) @ design
        gradient[:, 1] += _RIDGE * beta[:, 1]
        h00, h01, h11 = ((weights * (fitted * (1 - fitted))) @ products).T
        # where one class is all there is, the intercept runs away and its curvature vanishes
        h00, h11 = h00 + 1e-12, h11 + _RIDGE
        step = np.stack(
            [h11 * gradient[:, 0] - h01 * gradient[:, 1], h00 * gradient[:, 1] - h01 * gradient[:, 0]], axis=1
        )
        step /= (h00 * h11 - h01 * h01)[:, None]
        # far from the optimum a full step can overshoot
        step = np.clip(step, -2.0, 2.0)
        beta -= step
        if np.abs(step).max() < 1e-9:
            break
    return np.asarray(1 / (1 + np.exp(-beta[:, 0])))


def _check(preferences: Sequence[float]) -> None:
    if not len(preferences):
        raise ValueError("no preferences: a win rate over nothing is not a number")
    for number, p in enumerate(preferences, 1):
        if not 0 <= p <= 1:
            raise ValueError(f"preference {number} is {p}; it must be a probability in [0, 1]")
