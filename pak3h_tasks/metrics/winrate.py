"""Win rates from pairwise preferences: probabilities in [0, 1] that the model's answer beats the reference.

There are three, under AlpacaEval's names:

- ``win_rate``: mean preference; a judge that is 60 % sure of a win adds 0.6;
- ``discrete_win_rate``: share of items with a preference above one half, exact ties counting half (`discrete`). The
  paper's win rate (arXiv 2608.30065) is this one: wins / samples;
- ``lc_win_rate``: the length-controlled one (Dubois et al. 2024).

The first two are means of the items' values, made by lm-eval (`mean`, `mean_stderr`) and by the reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pak3h_tasks.results import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

MIN_ITEMS_LENGTH_CONTROLLED = 100

# times the squared slope, beside the mean log-loss; of the values tried on two halves of 20 models, the one that came
# closest to AlpacaEval's published figures of the other half (docs/statistics.md)
RIDGE = 0.008


def discrete(preference: float) -> float:
    """1.0 for a win, 0.5 for an exact tie, 0.0 for a loss.

    Example:
        >>> discrete(0.51), discrete(0.5), discrete(0.0)
        (1.0, 0.5, 0.0)
    """
    return 0.5 if preference == 0.5 else float(preference > 0.5)


@dataclass(frozen=True)
class LengthControlled:
    """Win rate as if both answers were of the same length. `value` None: refused, see `reason`."""

    value: float | None
    interval: Interval | None = None
    reason: str | None = None


def length_controlled_win_rate(
    preferences: Sequence[float], model_chars: Sequence[int], reference_chars: Sequence[int]
) -> LengthControlled:
    """Logistic fit of the preference on the length difference, read off at no difference.

    The regressor is tanh((model - reference) / sd), as in AlpacaEval's length-controlled win rate (Dubois et al. 2024).
    AlpacaEval's fit also knows how hard each of its 805 English instructions is, by row number; here only the user's
    own items count, and the slope is held back by a ridge: that much of its square is added to the mean log-loss. With
    `RIDGE` the values are within about 1 point of AlpacaEval's (docs/statistics.md); without, models that are always
    terse or always wordy are 5 to 25 points off.

    The interval is a logit one with the fit's sandwich variance. Half an item won and half an item lost, both at no
    difference, are added for the interval alone, so that a model which wins or loses everything has one too.

    Args:
        preferences: (n_items,) in [0, 1].
        model_chars: (n_items,) characters of the model's answers.
        reference_chars: (n_items,) characters of the reference answers.

    Returns:
        Value in [0, 1] with its 95 % interval; refused under 100 items, and where the answers of one side are always
        the longer ones, because nothing was seen at no difference.

    Raises:
        ValueError: Lengths of the sequences differ, no items, or a preference outside [0, 1].
    """
    import numpy as np
    from scipy.special import expit

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
    mean = float(p.mean())
    value = mean if mean in (0.0, 1.0) else float(expit(_fit(x, p, np.ones(n))[0]))
    x, p, weights = np.append(x, [0, 0]), np.append(p, [0, 1]), np.append(np.ones(n), [0.5, 0.5])
    intercept, half = _logit_interval(x, p, weights)
    low, high = float(expit(intercept - half)), float(expit(intercept + half))
    return LengthControlled(value, Interval(min(low, value), max(high, value), "logit, sandwich variance"))


def _fit(x: FloatArray, p: FloatArray, weights: FloatArray) -> FloatArray:
    """Intercept and slope of least mean log-loss plus `RIDGE` times the squared slope, by Newton's method.

    Args:
        x: (n,) regressor.
        p: (n,) outcomes in [0, 1], neither all 0 nor all 1.
        weights: (n,) of the items.
    """
    import numpy as np

    found = np.zeros(2)
    for _ in range(100):
        gradients, curvature = _derivatives(x, p, weights, found)
        # a full step can overshoot where the data are nearly separated
        step = np.clip(np.linalg.solve(curvature, gradients.sum(axis=1)), -2, 2)
        found = found - step
        if np.abs(step).max() < 1e-10:
            break
    return found


def _derivatives(x: FloatArray, p: FloatArray, weights: FloatArray, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Each item's part of the loss's gradient, (2, n), and the second derivatives, (2, 2), at (intercept, slope)."""
    import numpy as np
    from scipy.special import expit

    design = np.stack([np.ones_like(x), x])
    fitted = expit(at @ design)
    penalty = 2 * RIDGE * np.array([0.0, at[1]])
    gradients = weights * ((fitted - p) * design + penalty[:, None])
    curvature = (weights * fitted * (1 - fitted) * design) @ design.T + np.diag([1e-12, 2 * RIDGE * weights.sum()])
    return gradients, curvature


def _logit_interval(x: FloatArray, p: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """The intercept and half the width of its 95 % interval."""
    import numpy as np
    from scipy.stats import t

    fit = _fit(x, p, weights)
    gradients, curvature = _derivatives(x, p, weights, fit)
    bread = np.linalg.inv(curvature)
    variance = (bread @ ((gradients / weights) @ gradients.T) @ bread)[0, 0]
    return float(fit[0]), float(t.ppf(0.975, weights.sum() - 2) * np.sqrt(variance))


def _check(preferences: Sequence[float]) -> None:
    if not len(preferences):
        raise ValueError("no preferences: a win rate over nothing is not a number")
    for number, p in enumerate(preferences, 1):
        if not 0 <= p <= 1:
            raise ValueError(f"preference {number} is {p}; it must be a probability in [0, 1]")
