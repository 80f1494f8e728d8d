"""How far two yes/no raters agree: raw agreement, Cohen's kappa and the four counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class BinaryAgreement:
    """Agreement of a rater with a reference.

    Attributes:
        both: Both say yes.
        only_rater: Only the rater does.
        only_reference: Only the reference does.
        neither: Neither does.
        kappa: Cohen's; 1 for perfect agreement, also when there is only one answer throughout.
    """

    both: int
    only_rater: int
    only_reference: int
    neither: int
    kappa: float

    @property
    def n(self) -> int:
        """Number of things rated by both."""
        return self.both + self.only_rater + self.only_reference + self.neither

    @property
    def agreement(self) -> float:
        """Share on which they agree, in [0, 1]."""
        return (self.both + self.neither) / self.n


def binary_agreement(rater: Sequence[bool], reference: Sequence[bool]) -> BinaryAgreement:
    """Compare a rater with a reference.

    Args:
        rater: (n,) answers.
        reference: (n,) answers to the same things, in the same order.

    Raises:
        ValueError: Lengths differ, or nothing to compare.
    """
    if len(rater) != len(reference):
        raise ValueError(f"{len(rater)} answers but {len(reference)} reference answers")
    if not rater:
        raise ValueError("nothing was rated by both")
    pairs = list(zip(rater, reference, strict=True))
    both, neither = pairs.count((True, True)), pairs.count((False, False))
    only_rater, only_reference = pairs.count((True, False)), pairs.count((False, True))
    if both + neither == len(pairs):
        kappa = 1.0
    else:
        from statsmodels.stats.inter_rater import cohens_kappa

        kappa = float(cohens_kappa([[both, only_rater], [only_reference, neither]], return_results=False))
    return BinaryAgreement(both, only_rater, only_reference, neither, kappa)
