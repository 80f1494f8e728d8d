"""The real English TruthfulQA, where this machine has it; tests that need it are skipped elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_CANDIDATES = (
    os.environ.get("TRUTHFULQA_CSV", ""),
    str(Path(__file__).resolve().parents[3] / "shared" / "data" / "TruthfulQA_v1.csv"),
    "/work/shared/data/TruthfulQA_v1.csv",
)
OFFICIAL_CSV = next((Path(path) for path in _CANDIDATES if path and Path(path).is_file()), None)
needs_official_csv = pytest.mark.skipif(OFFICIAL_CSV is None, reason="TruthfulQA_v1.csv is not here")
