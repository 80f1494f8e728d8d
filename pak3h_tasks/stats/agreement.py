"""Agreement of raters on nominal labels: Fleiss' kappa, majority and pairwise agreement.

Every function takes counts, (n_items, n_labels): how many raters gave item i the label j. Items need not have the
same number of raters: with equal numbers kappa is Fleiss' (1971), by statsmodels; otherwise Gwet's generalisation of it
(Handbook of Inter-Rater Reliability, 4th ed. 2014, ch. 2), which is the same number when they are equal:

- observed agreement: mean over the items with two ratings or more of the share of their rater pairs that agree;
- chance agreement: sum of squared label shares, a label's share being the mean over rated items of its share there.

An item nobody rated changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

Counts = Sequence[Sequence[int]]


def fleiss_kappa(counts: Counts) -> float | None:
    """Agreement beyond chance.

    Args:
        counts: (n_items, n_labels) ratings per label.

    Returns:
        At most 1; exactly 1 for perfect agreement, also where all raters use one label only (0/0 by the formula).
        None where no item has two ratings.

    Raises:
        ValueError: Rows of different lengths, or a count that is negative or not whole.

    Example:
        >>> fleiss_kappa([[2, 0], [0, 2], [1, 1]])
        0.33333333333333326
    """
    rated = [row for row in _checked(counts) if sum(row)]
    observed = mean_pairwise_agreement(rated)
    if observed is None or observed == 1:
        return observed
    if len({sum(row) for row in rated}) == 1:
        from statsmodels.stats.inter_rater import fleiss_kappa as equal_raters_kappa

        return float(equal_raters_kappa(rated))
    shares = [[count / sum(row) for count in row] for row in rated]
    chance = sum((sum(column) / len(shares)) ** 2 for column in zip(*shares, strict=True))
    return float((observed - chance) / (1 - chance))


def mean_pairwise_agreement(counts: Counts) -> float | None:
    """Mean over items of the share of rater pairs that give the item the same label.

    Args:
        counts: (n_items, n_labels) ratings per label; items with fewer than two ratings have no pair and are left out.

    Returns:
        Fraction in [0, 1], or None where no item has two ratings.

    Raises:
        ValueError: As `fleiss_kappa`.

    Example:
        >>> mean_pairwise_agreement([[3, 0], [2, 1]])
        0.6666666666666666
    """
    paired = [row for row in _checked(counts) if sum(row) > 1]
    if not paired:
        return None
    return sum(sum(k * (k - 1) for k in row) / (sum(row) * (sum(row) - 1)) for row in paired) / len(paired)


def majority_agreement(counts: Counts) -> float | None:
    """Share of the items with two ratings or more on which more than half of the raters agree.

    Args:
        counts: (n_items, n_labels) ratings per label.

    Returns:
        Fraction in [0, 1], or None where no item has two ratings.

    Raises:
        ValueError: As `fleiss_kappa`.

    Example:
        >>> majority_agreement([[2, 1, 0], [1, 1, 1], [0, 1, 1], [1, 0, 0]])
        0.3333333333333333
    """
    paired = [row for row in _checked(counts) if sum(row) > 1]
    if not paired:
        return None
    return sum(2 * max(row) > sum(row) for row in paired) / len(paired)


def _checked(counts: Counts) -> list[list[int]]:
    rows = [list(row) for row in counts]
    if len({len(row) for row in rows}) > 1:
        raise ValueError("rows of different lengths; give one count per label in every row")
    for number, row in enumerate(rows, 1):
        if any(count < 0 or count != int(count) for count in row):
            raise ValueError(f"row {number}: {row} holds a count that is negative or not whole")
    return rows
