"""What annotators and editors are told, in English and Urdu: ships as guidelines/*.csv, goes with every sheet."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal


def guide(step: Literal["annotate", "contextualise", "edit"]) -> list[list[str]]:
    """Rows of topic, English and Urdu text; the first is the header."""
    path = Path(__file__).parent / "guidelines" / f"{step}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))
