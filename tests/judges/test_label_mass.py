"""Label masses for labels that differ only in case (the pairwise judge's m and M)."""

from __future__ import annotations

import math

import pytest

from pak3h_tasks.backends.protocol import Position
from pak3h_tasks.judges.label_mass import bare, label_masses

LABELS = {"m": 0, "M": 1}


def test_case_is_kept() -> None:
    top = tuple((token, math.log(p)) for token, p in [("m", 0.5), (" m", 0.1), ("M", 0.3), ("Model", 0.1)])
    assert label_masses([Position("m", top)], LABELS.get, 2, "m") == (pytest.approx(0.6), pytest.approx(0.3))


def test_rounding_above_zero_is_capped() -> None:
    assert label_masses([Position("m", (("m", 1e-7),))], LABELS.get, 2) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("token", "word"),
    [("Ġyes", "yes"), ("▁yes", "yes"), (" **Yes**", "Yes"), ("\u200fہاں", "ہاں"), ("<0x0A>", "0x0A"), ("۔", "")],
)
def test_bare(token: str, word: str) -> None:
    assert bare(token) == word
