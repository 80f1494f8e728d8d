from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest

from pak3h_tasks.data.load import load
from pak3h_tasks.data.moderation_pairs import pairs_of, read_pairs
from pak3h_tasks.errors import DataError


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_file_with_all_fields_and_one_with_the_least(tmp_path: Path) -> None:
    full = {"id": "x1", "prompt": "سوال", "response": "", "localization": "Locally Contextualized", "is_safe": "False"}
    [pair] = read_pairs(write(tmp_path / "full.jsonl", {**full, "other": 1}))
    assert (pair.lang, pair.id, pair.prompt, pair.response) == ("-", "x1", "سوال", "")
    assert (pair.localization, pair.is_safe, pair.data) == ("lc", False, "full.jsonl")
    least = read_pairs(
        write(tmp_path / "least.jsonl", {"prompt": "a", "response": "b"}, {"prompt": "a", "response": "c"})
    )
    assert [(pair.id, pair.localization, pair.is_safe) for pair in least] == [("1", None, None), ("2", None, None)]


def test_a_workbook_with_capitals_and_prompts_merged_over_their_responses(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["ID", "Prompt", "Response", "Is safe"], [7, "سوال", "ہاں", True], [8, None, "نہیں", False]):
        book.active.append(row)
    book.active.merge_cells("B2:B3")
    book.save(tmp_path / "pairs.xlsx")
    assert [(pair.id, pair.prompt, pair.response, pair.is_safe) for pair in read_pairs(tmp_path / "pairs.xlsx")] == [
        ("7", "سوال", "ہاں", True),
        ("8", "سوال", "نہیں", False),
    ]


def test_csv_works_too(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text('id,prompt,response,is_safe\n1,"a, b",c,true\n2,d,e,\n', encoding="utf-8")
    assert [(pair.prompt, pair.is_safe) for pair in read_pairs(path)] == [("a, b", True), ("d", None)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"prompt": "a"}, "no column 'response'"),
        ({"prompt": " ", "response": "b"}, "line 1: 'prompt' is empty; give a text"),
        ({"prompt": 1, "response": "b"}, "line 1: 'prompt' and 'response' must be text"),
        ({"prompt": "a", "response": None}, "line 1: 'prompt' and 'response' must be text"),
        ({"prompt": "a", "response": "b", "localization": "far"}, "line 1: 'localization' is 'far'; use dt, lc, li"),
        ({"prompt": "a", "response": "b", "is_safe": "maybe"}, "line 1: 'is_safe' is 'maybe'; use true or false"),
        ({"prompt": "a", "response": "b", "id": [1]}, "line 1: 'id' is"),
    ],
)
def test_faults_say_where_and_what(tmp_path: Path, row: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_pairs(write(tmp_path / "bad.jsonl", row))


def test_repeated_ids_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "twice.jsonl", *[{"id": "x", "prompt": "a", "response": "b"}] * 2)
    with pytest.raises(DataError, match=r"twice.jsonl line 2: id 'x' repeats"):
        read_pairs(path)


def test_pairs_of_a_data_set(tmp_path: Path) -> None:
    folder = tmp_path / "beavertails"
    folder.mkdir()
    item = {"id": "i1", "localization": "li", "prompt": "p", "response": "r", "is_safe": True}
    write(folder / "ur.jsonl", item, {**item, "id": "i2", "is_safe": None})
    loaded = load("beavertails", "ur", str(tmp_path))
    pairs = pairs_of(loaded)
    assert [(pair.lang, pair.id, pair.localization, pair.is_safe) for pair in pairs] == [
        ("ur", "i1", "li", True),
        ("ur", "i2", "li", None),
    ]
    assert {pair.data for pair in pairs} == {loaded.short}
