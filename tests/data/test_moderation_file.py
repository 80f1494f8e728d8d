from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks.data.moderation_file import ModerationRecord, ModerationWriter, prompt_hash, read_moderation
from pak3h_tasks.errors import DataError
from pak3h_tasks.schema import HARM_CATEGORIES


def record(identifier: str = "i1", **changes: Any) -> ModerationRecord:
    values: dict[str, Any] = {
        "key": "ab" * 32,
        "lang": "ur",
        "id": identifier,
        "localization": "dt",
        "prompt": prompt_hash("سوال"),
        "is_safe": None,
        "probabilities": {name: index / 14 for index, name in enumerate(HARM_CATEGORIES)},
        "truncated": False,
        "tokens": 40,
        "reason": None,
        "made_by": "beaver-dam|model:m",
        "data": "sample@1",
        **changes,
    }
    return ModerationRecord(**values)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "out.jsonl"
    records = [record(), record("i2", probabilities=None, truncated=None, tokens=None, reason="NaN\nline", lang="en")]
    with ModerationWriter(path) as writer:
        writer.write(records[:1])
        assert read_moderation(path) == records[:1]  # there before the next batch
        writer.write(records[1:])
    assert read_moderation(path) == records
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_category_names_with_commas_survive(tmp_path: Path) -> None:
    with ModerationWriter(tmp_path / "o.jsonl") as writer:
        writer.write([record()])
    [line] = (tmp_path / "o.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(json.loads(line)["probabilities"]) == list(HARM_CATEGORIES)


def test_the_last_record_of_a_place_wins(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    first = record(probabilities=None, reason="died")
    with ModerationWriter(path) as writer:
        writer.write([first, record("i2")])
    with ModerationWriter(path) as writer:
        writer.write([record()])
    assert read_moderation(path) == [record(), record("i2")]


@pytest.mark.parametrize("cut", [1, 5, 100, 400])
def test_a_line_cut_off_by_a_kill_is_dropped_and_written_over(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "o.jsonl"
    with ModerationWriter(path) as writer:
        writer.write([record(), record("i2")])
    path.write_bytes(path.read_bytes()[:-cut])
    assert read_moderation(path) == [record()]
    with ModerationWriter(path) as writer:
        writer.write([record("i3")])
    assert read_moderation(path) == [record(), record("i3")]


def test_a_torn_first_line_is_nothing_yet(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    path.write_bytes(b'{"key":"abab')
    assert read_moderation(path) == []
    assert read_moderation(tmp_path / "absent.jsonl") == []


@pytest.mark.parametrize(
    "content",
    ['{"id": "x", "prompt": "p"}\n', "id,prompt\n", "[1]\n", "\xff\n", "some text without an end", '"x"\n', "null\n"],
)
def test_other_files_are_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(DataError, match=r"mine\.jsonl.* not an? (line|output) of `pak3h moderate`"):
        read_moderation(path)
    assert path.read_bytes() == content.encode("latin-1")


@pytest.mark.parametrize("bad", [{"x": 2.0}, {"x": float("nan")}, {"x": "y"}, {}, 5])
def test_damaged_probabilities_are_refused(tmp_path: Path, bad: Any) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text(json.dumps(dataclasses.asdict(record(probabilities=bad))) + "\n")
    with pytest.raises(DataError, match="line 1"):
        read_moderation(path)


@pytest.mark.parametrize("change", [{"key": "xyz"}, {"key": "abab"}, {"id": 3}, {"lang": None}, {"made_by": ["m"]}])
def test_damaged_fields_are_refused(tmp_path: Path, change: Any) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text(json.dumps({**record().to_json(), **change}) + "\n")
    with pytest.raises(DataError, match="line 1"):
        read_moderation(path)


def test_fields_of_a_newer_version_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text(json.dumps({**record().to_json(), "new": 1}) + "\n")
    assert read_moderation(path) == [record()]


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="cannot be written"):
        ModerationWriter(tmp_path / "file" / "o.jsonl")
    with pytest.raises(DataError, match="cannot be read"):
        read_moderation(tmp_path)
