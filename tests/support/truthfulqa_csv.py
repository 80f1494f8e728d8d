"""The official TruthfulQA.csv, which is not part of the project: tests that need it are skipped without it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]


def truthfulqa_csv() -> Path:
    """Path of the 817-question file (v1); skips the test when there is none."""
    places = [
        os.environ.get("PAK3H_TRUTHFULQA_CSV"),
        _ROOT.parent / "shared" / "data" / "TruthfulQA_v1.csv",
        "/work/shared/data/TruthfulQA_v1.csv",
    ]
    for place in places:
        if place and Path(place).is_file():
            return Path(place)
    pytest.skip("no TruthfulQA_v1.csv; name it in PAK3H_TRUTHFULQA_CSV")
