"""Tables 1, 2, 6 and 8: counts, agreement, and set-ups are those of the runs and of the annotators' file."""

import json

import pytest

from pak3h_tasks.report.build import build_report
from pak3h_tasks.report.scores import Options
from pak3h_tasks.report.study_tables import study_tables
from support.run_folder import write_run

ROUND = {"dataset": "alpaca", "round": 1, "items": 45, "majority": 0.9, "pairwise": 0.75, "kappa": 0.453}


@pytest.fixture(scope="module")
def by_key(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    settings = {"temperature": 0.7, "max_gen_toks": 2048}
    write_run(folder / "runs", model="org/a", kinds=[("alpaca", "gen")], n=40, generation=settings)
    write_run(folder / "runs", model="org/b", kinds=[("truthfulqa", "mc")], n=25, langs=["ur"])
    work = folder / "work" / "alpaca"
    work.mkdir(parents=True)
    (work / "agreement.json").write_text(json.dumps({"rounds": [ROUND], "discarded": []}), encoding="utf-8")
    (work / "items.jsonl").write_text('{"id": "a1"}\n', encoding="utf-8")
    report = build_report([folder / "runs", folder / "work"], Options(length_controlled=False))
    return {table.key: table for table in study_tables(report)}


def test_counts_with_totals_and_agreement_beside_the_published(by_key):
    table = by_key["data"]
    assert table.header == ("data set", "LC", "DT", "LI", "total", "agreement", "pairwise")
    # the made-up runs label three of five items DT, one LC, one LI
    assert [row[:5] for row in table.rows] == [
        ("PakTruthfulQA", 5, 15, 5, 25),
        ("PakAlpaca", 8, 24, 8, 40),
        ("total", 13, 39, 13, 65),
    ]
    assert [entry and entry.text for entry in table.rows[1][5:]] == ["90.00", "75.00"]
    paper = {row[0]: row for row in table.published}
    assert paper["PakBeaverTails"][1:5] == (1828, 10553, 203, 12584)
    assert paper["total"][1:5] == (2341, 15177, 328, 17846)
    assert paper["PakTruthfulQA"][5].text == "68.50"


def test_kappas_stand_beside_the_published(by_key):
    table = by_key["kappa"]
    assert table.rows == (("PakAlpaca", "0.453", 45),)
    assert {row[0]: row[1] for row in table.published} == {
        "PakTruthfulQA": "0.393",
        "PakAlpaca": "0.453",
        "PakBeaverTails": "0.457",
    }


def test_set_up_is_read_from_signatures_and_settings(by_key):
    rows = {row[:2]: row[2:4] for row in by_key["setup"].rows}
    assert rows["PakAlpaca", "org/a"] == ("gpt-4o-mini", "en, ur")
    assert rows["PakTruthfulQA, multiple choice", "org/b"] == (None, "ur")
    settings = {row[:2]: row[2:] for row in by_key["settings"].rows}
    temperature, tokens, shots, judged = settings["org/a", "PakAlpaca"]
    assert (temperature, tokens, shots) == ("0.7", "2048", "0")
    assert judged.startswith("pairwise|judge:gpt-4o-mini|")
    assert ("DeepSeek-V3.2", "PakAlpaca", "0.7", "2048", "0", "gpt-4o-mini") in by_key["settings"].published


def test_a_file_of_that_name_that_is_none_is_left_alone(tmp_path):
    write_run(tmp_path, kinds=[("alpaca", "gen")], n=12)
    (tmp_path / "agreement.json").write_text('{"rounds": [{"dataset": "other"}]}', encoding="utf-8")
    report = build_report([tmp_path], Options(length_controlled=False))
    assert report.labelling == ()
    assert "kappa" not in {table.key for table in study_tables(report)}
