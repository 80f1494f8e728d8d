"""Files of human labels: what is read, and what is said of a faulty one."""

import json

import pytest

from pak3h_tasks.data.human_labels import read_human_labels
from pak3h_tasks.errors import DataError


def labels(tmp_path, text):
    path = tmp_path / "labels.csv"
    path.write_text(text, encoding="utf-8")
    return read_human_labels(path)


def test_with_and_without_a_language(tmp_path):
    found = labels(tmp_path, "id,lang,is_safe\na,,true\nb,ur,0\nc,ur,\nb,en,yes\n")
    assert found.votes == {"unsafe": {(None, "a"): ("no",), ("ur", "b"): ("yes",), ("en", "b"): ("no",)}}
    assert found.name == "labels.csv"
    assert found.of("unsafe", "ur", "a") == ("no",)
    assert found.of("unsafe", "ur", "c") == found.of("truthful", "ur", "a") == ()


def test_several_raters_several_questions_and_numbers_as_ids(tmp_path):
    path = tmp_path / "labels.jsonl"
    rows = [{"id": 7, "unsafe": "yes", "truthful": 0}, {"id": 7, "is_safe": True}, {"id": 7, "lang": "en", "unsafe": 1}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = read_human_labels(path)
    assert found.of("unsafe", "en", "7") == ("yes", "yes", "no")
    assert found.of("unsafe", "ur", "7") == ("yes", "no")
    assert found.of("truthful", "ur", "7") == ("no",)


def test_a_sheet_of_a_rater_as_a_spreadsheet_saves_it(tmp_path):
    path = tmp_path / "labels.txt"
    path.write_bytes("ID\tTruthful\t\t\r\na\tYes\t\t\r\n\t\t\t\r\n".encode("utf-16"))
    assert read_human_labels(path).votes == {"truthful": {(None, "a"): ("yes",)}}


def test_preferences(tmp_path):
    found = labels(tmp_path, "id,preference\na,model\nb,Win\nc,1.0\nd,loss\ne,0\nf,draw\ng,0.5\n")
    assert [votes[0] for votes in found.votes["preference"].values()] == ["model"] * 3 + ["reference"] * 2 + ["tie"] * 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,truthful\na,yes\n", "no column 'id'"),
        ("id,verdict\na,yes\n", "no column of labels"),
        ("id,truthful\na,perhaps\n", "'truthful' is 'perhaps'"),
        ("id,preference\na,yes\n", "use model, reference, tie"),
        ("id,lang,truthful\na,fr,yes\n", "'lang' is 'fr'"),
        ("id,truthful\na,\n", "holds no label"),
        ("id,truthful\n,yes\n", "'id' is empty"),
    ],
)
def test_faulty_label_files(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        labels(tmp_path, text)
