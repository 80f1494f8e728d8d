from pathlib import Path

import pytest

from pak3h_tasks.errors import DataError
from pak3h_tasks.files import whole_file, write_text


def test_a_file_is_there_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "f.txt"
    with whole_file(path, make_folder=True) as part:
        part.write_text("half")
        assert not path.exists()
        assert not list(path.parent.glob("*.txt"))
    assert path.read_text() == "half"
    assert [one.name for one in path.parent.iterdir()] == ["f.txt"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_text("old")
    with pytest.raises(KeyError), whole_file(path) as part:
        part.write_text("ne")
        raise KeyError
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("f.txt", "old")]


def test_what_cannot_be_written_is_one_line_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match=r"f\.txt: cannot be written \(.+\); give another -o$"):
        write_text(tmp_path / "file" / "f.txt", "x", "give another -o")
    with pytest.raises(DataError, match=r"no folder .*mistyped"):
        write_text(tmp_path / "mistyped" / "f.txt", "x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="cannot be written"):
        write_text(tmp_path / "folder", "x")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "folder"]


def test_any_text_can_be_written(tmp_path: Path) -> None:
    write_text(tmp_path / "f", "نہیں\r\n\ud83d")
    assert (tmp_path / "f").read_bytes() == "نہیں\r\n\\ud83d".encode()
