"""TruthfulQA_v1.csv where a developer has it: PAK3H_TRUTHFULQA_CSV, or shared/data beside a folder it lies in."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import NamedTuple

import pytest

_REPOSITORY = Path(__file__).resolve().parents[2]


class Question(NamedTuple):
    question: str
    best_answer: str
    correct_answers: list[str]
    incorrect_answers: list[str]


def csv_path() -> Path | None:
    places = [
        os.environ.get("PAK3H_TRUTHFULQA_CSV"),
        *(folder / "shared/data/TruthfulQA_v1.csv" for folder in _REPOSITORY.parents),
    ]
    return next((Path(place) for place in places if place and Path(place).is_file()), None)


needs_csv = pytest.mark.skipif(csv_path() is None, reason="no TruthfulQA_v1.csv; set PAK3H_TRUTHFULQA_CSV to its path")


def questions() -> list[Question]:
    """All 817 questions, answers split at semicolons as the official code does."""
    path = csv_path()
    assert path is not None
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return [
            Question(
                row["Question"],
                row["Best Answer"],
                _answers(row["Correct Answers"]),
                _answers(row["Incorrect Answers"]),
            )
            for row in csv.DictReader(lines)
        ]


def _answers(cell: str) -> list[str]:
    return [answer.strip() for answer in cell.split(";") if answer.strip()]


def truthfulqa_csv() -> Path:
    """Path of the file; skips the running test where there is none."""
    path = csv_path()
    if path is None:
        pytest.skip("no TruthfulQA_v1.csv; set PAK3H_TRUTHFULQA_CSV to its path")
    return path
