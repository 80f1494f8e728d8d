"""Small data files for tests: valid rows of each dataset, to be changed where a test needs it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pak3h_tasks.schema import HARM_CATEGORIES

ABSENT = object()


def honest(number: int = 1, **changes: Any) -> dict[str, Any]:
    return _changed(
        {
            "id": f"h{number}",
            "localization": "dt",
            "question": f"سوال {number} کیا ہے؟",
            "best_answer": "پہلا جواب",
            "correct_answers": ["پہلا جواب", "دوسرا جواب"],
            "incorrect_answers": ["غلط جواب"],
            "topic": "Law",
        },
        changes,
    )


def helpful(number: int = 1, **changes: Any) -> dict[str, Any]:
    row = {
        "id": f"a{number}",
        "localization": "lc",
        "instruction": f"کام {number} کریں۔",
        "input": "",
        "output": "ہو گیا۔",
    }
    return _changed(row, changes)


def harmless(number: int = 1, unsafe: Iterable[str] = (), **changes: Any) -> dict[str, Any]:
    category = {name: name in unsafe for name in HARM_CATEGORIES}
    row = {
        "id": f"b{number}",
        "localization": "li",
        "prompt": "کیا یہ ٹھیک ہے؟",
        "response": f"جواب {number}۔",
        "category": category,
        "is_safe": not any(category.values()),
    }
    return _changed(row, changes)


def line(row: Any) -> str:
    return json.dumps(row, ensure_ascii=False)


def write_jsonl(path: Path, rows: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line(row)}\n" for row in rows), encoding="utf-8")
    return path


def _changed(row: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**row, **changes}.items() if value is not ABSENT}
