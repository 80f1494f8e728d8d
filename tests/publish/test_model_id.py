"""Ids name folders: what could name a place elsewhere is refused, in one line that says what to pass."""

import pytest

from pak3h_tasks.errors import DataError
from pak3h_tasks.publish.model_id import checked_id, checked_part, id_of_name


@pytest.mark.parametrize("good", ["org/model", "Qwen/Qwen2.5-0.5B-Instruct", "a/b", "o_1/m.v2"])
def test_good(good):
    assert checked_id(good, "--model-id") == id_of_name(good) == good


@pytest.mark.parametrize(
    "bad",
    ["", "model", "/", "a/", "/b", "a/b/c", "../x", "../../x", "a/..", "a/.", ".a/b", "a/.git", "org/m\0", "org/m\n",
     "تنظیم/ماڈل", "org\\m/x", "a/b ", "a/" + "x" * 200, "a/b..c", "C:/x", "org/-rf", "a/b.", "a/b--c"],
)  # fmt: skip
def test_bad(bad):
    with pytest.raises(DataError, match="developer/model") as raised:
        checked_id(bad, "--model-id")
    assert len(str(raised.value).splitlines()) == 1
    with pytest.raises(DataError, match="--model-id developer/model"):
        id_of_name(bad)


def test_a_local_folder_is_no_id_though_it_looks_like_one(tmp_path, monkeypatch):
    (tmp_path / "models/tiny").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="a local model; pass --model-id developer/model"):
        id_of_name("models/tiny")
    with pytest.raises(DataError, match=r"^tiny: a local model"):  # and no path is told
        id_of_name(str(tmp_path / "models/tiny"))


def test_a_collection_is_one_folder():
    assert checked_part("pak3h", "collection") == "pak3h"
    for bad in ("..", "a/b", "", "a\n"):
        with pytest.raises(DataError):
            checked_part(bad, "collection")
