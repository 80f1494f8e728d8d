"""Judged answers for people: one model and dataset, the same items in both languages, no verdict in the sheet."""

import csv
import io
import json

import pytest

from pak3h_tasks.cli.main import main
from pak3h_tasks.errors import DataError
from pak3h_tasks.report.build import load
from pak3h_tasks.report.judged_sample import judged_sample
from support.run_folder import write_run


def verdicts_of(path):
    """(language, id) -> verdicts and answer, from the logs themselves."""
    found = {}
    for log in path.parent.glob("samples_*truthfulqa*gen*"):
        for line in log.read_text(encoding="utf-8").splitlines():
            doc = json.loads(line)["doc"]
            found[doc["lang"], doc["id"]] = {name: one["value"] for name, one in doc["pak3h"]["verdicts"].items()}
    return found


def test_sheets_of_a_run_are_blind_matched_and_read_back(tmp_path, capsys):
    path = write_run(tmp_path / "runs", n=40, unscored=0.1)
    verdicts = verdicts_of(path)
    words = ["agreement", "draw", str(tmp_path / "runs"), "--dataset", "truthfulqa", "-o", str(tmp_path / "labels")]
    assert main([*words, "--n", "15", "--raters", "ann"]) == 0
    assert "truthful: yes" in capsys.readouterr().out
    sheet = tmp_path / "labels" / "ann.csv"
    rows = list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"))))
    assert list(rows[0]) == ["id", "lang", "question", "reference", "answer", "truthful", "informative"]
    ids = {lang: [row["id"] for row in rows if row["lang"] == lang] for lang in ("en", "ur")}
    assert ids["en"] == ids["ur"]
    assert len(ids["en"]) == 15
    assert all(row["question"] and row["answer"] and not row["truthful"] for row in rows)
    # a rater who says what the judge says: every drawn item has a verdict, and all agree
    for row in rows:
        row |= {name: "yes" if value else "no" for name, value in verdicts[row["lang"], row["id"]].items()}
        assert None not in verdicts[row["lang"], row["id"]].values()
    with sheet.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert main(["agreement", "--verdicts", str(tmp_path / "runs"), "--human", str(sheet), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["agreement"]
    assert {(one["lang"], one["question"]) for one in found} == {
        (lang, question) for lang in ("en", "ur") for question in ("truthful", "informative")
    }
    assert all((one["labelled"], one["result"]["agreement"]) == (15, 1.0) for one in found)


def test_strata_are_of_category_and_verdict_in_each_language(tmp_path):
    path = write_run(tmp_path, n=40, kinds=[("alpaca", "gen")])
    found = judged_sample(load([tmp_path]).systems, 300, 0)
    assert found.header == ("id", "lang", "instruction", "input", "reference", "answer", "preference")
    assert sum(of for _, of in found.sample.strata.values()) == len(found.sample.ids) == 40
    expected = {}
    for log in sorted(path.parent.glob("samples_*alpaca*")):
        for line in log.read_text(encoding="utf-8").splitlines():
            doc = json.loads(line)["doc"]
            value = doc["pak3h"]["verdicts"]["preference"]["value"]
            said = "tie" if value == 0.5 else "model" if value > 0.5 else "reference"
            expected.setdefault(doc["id"], [doc["localization"]]).append(f"preference: {said}")
    counts = {}
    for stratum in expected.values():
        counts[tuple(stratum)] = counts.get(tuple(stratum), 0) + 1
    assert {stratum: of for stratum, (_, of) in found.sample.strata.items()} == counts


def test_several_need_a_choice_and_nothing_judged_is_said(tmp_path):
    write_run(tmp_path / "a", model="org/a", n=10)
    write_run(tmp_path / "a", model="org/b", n=10)
    systems = load([tmp_path / "a"]).systems
    with pytest.raises(DataError, match="--model 'org/b' --dataset alpaca"):
        judged_sample(systems, 5, 0)
    assert judged_sample(systems, 5, 0, "alpaca", "org/b").model == "org/b"
    with pytest.raises(DataError, match="holds no model 'org/c'"):
        judged_sample(systems, 5, 0, "alpaca", "org/c")
    write_run(tmp_path / "b", n=10, judge=None, classifier=None)
    with pytest.raises(DataError, match="pak3h score adds them"):
        judged_sample(load([tmp_path / "b"]).systems, 5, 0)


def test_a_path_that_is_not_there_is_said_so(tmp_path, capsys):
    assert main(["agreement", "draw", str(tmp_path / "nowhere"), "-o", str(tmp_path / "labels")]) == 1
    assert "no such file or folder" in capsys.readouterr().err
