import gzip
import shutil

import pytest

from pak3h_tasks import resources
from pak3h_tasks.data import sources
from pak3h_tasks.data.load import load, load_file, split
from pak3h_tasks.errors import DataError, SettingsError
from support.data_files import helpful, honest, line, write_jsonl


@pytest.fixture
def folder(tmp_path):
    write_jsonl(tmp_path / "mine" / "truthfulqa" / "ur.jsonl", [honest(1), honest(2, localization="LI")])
    write_jsonl(tmp_path / "mine" / "alpaca" / "en.jsonl", [helpful(1)])
    return tmp_path / "mine"


def test_a_folder(folder):
    loaded = load("truthfulqa", "ur", str(folder))
    assert [item.id for item in loaded.items] == ["h1", "h2"]
    assert (loaded.source, loaded.label, loaded.is_sample) == (str(folder), "mine", False)
    assert loaded.short == f"mine@{loaded.fingerprint[:8]}"
    assert loaded.warnings == ()


def test_no_source_is_the_embedded_sample(folder, monkeypatch):
    monkeypatch.setattr(sources, "sample_dir", lambda: folder)
    loaded = load("truthfulqa", "ur")
    assert loaded.is_sample
    assert loaded.source == "sample"
    assert loaded.short.startswith("sample@")


def test_no_other_folder_passes_for_the_embedded_sample(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "sample")
    loaded = load("truthfulqa", "ur", str(tmp_path / "sample"))
    assert not loaded.is_sample
    assert loaded.label == "./sample"


def test_labels_hold_no_signature_separator(tmp_path):
    (tmp_path / "a|b@c:d").mkdir()
    assert sources.parse_source(str(tmp_path / "a|b@c:d")).label == "a_b_c_d"


def test_split_keeps_order_and_knows_its_labels(folder):
    items = load("truthfulqa", "ur", str(folder)).items
    assert [item.id for item in split(items, "li")] == ["h2"]
    assert split(items, "lc") == ()
    assert split(items, None) == items
    with pytest.raises(SettingsError, match="no split 'xx'; use dt, lc, li"):
        split(items, "xx")


def test_a_missing_file_says_what_is_there(folder):
    with pytest.raises(DataError) as error:
        load("truthfulqa", "en", str(folder))
    expected = f"truthfulqa/en.jsonl: no such file in data folder '{folder}' (it has truthfulqa/ur, alpaca/en); add it"
    assert str(error.value) == expected


def test_plain_and_gzip_side_by_side_are_refused(folder):
    packed = folder / "truthfulqa" / "ur.jsonl.gz"
    packed.write_bytes(gzip.compress(line(honest(9)).encode()))
    with pytest.raises(DataError, match=r"stands beside ur.jsonl.gz .* remove one"):
        load("truthfulqa", "ur", str(folder))
    (folder / "truthfulqa" / "ur.jsonl").unlink()
    assert load("truthfulqa", "ur", str(folder)).items[0].id == "h9"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("hub:owner/name", "names no revision; write hub:owner/name@REVISION"),
        ("hub:owner/name@", "not of the form hub:owner/name@revision"),
        ("hub:name@main", "not of the form"),
        ("hub:../x/y@main", "not of the form"),
        ("no/such/folder", "is no folder; give a folder"),
    ],
)
def test_sources_that_make_no_sense_are_one_line(source, words):
    with pytest.raises(SettingsError) as error:
        load("truthfulqa", "ur", source)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_is_no_source(folder):
    with pytest.raises(SettingsError, match="is a file; give the folder"):
        load("truthfulqa", "ur", str(folder / "truthfulqa" / "ur.jsonl"))


def test_unknown_dataset_and_language(folder):
    with pytest.raises(SettingsError, match="no dataset 'alpacca'"):
        load("alpacca", "ur", str(folder))
    with pytest.raises(SettingsError, match="no language 'hi'"):
        load("alpaca", "hi", str(folder))


def test_a_single_file_anywhere(tmp_path):
    path = write_jsonl(tmp_path / "x" / "y.jsonl", [helpful(1)])
    assert load_file(path, "alpaca", "ur").items[0].id == "a1"
    with pytest.raises(DataError, match=r"x/y.jsonl line 1: unknown field 'instruction': an item of alpaca"):
        load_file(path, "truthfulqa", "ur")


def test_stray_files_are_found(folder):
    write_jsonl(folder / "truthfulqa_ur.jsonl", [])
    write_jsonl(folder / "truthfulqa" / "urdu.jsonl.gz", [])
    assert sources.stray_files(folder) == ["truthfulqa/urdu.jsonl.gz", "truthfulqa_ur.jsonl"]


def test_resources_name_the_sample_folder():
    assert resources.sample_dir().parts[-3:] == ("pak3h_tasks", "data", "sample")
