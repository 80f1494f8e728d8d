"""Which runs count: copies, reruns, limits, splits, missing logs, mixed versions, one language only."""

import json

import pytest

from pak3h_tasks.errors import DataError
from pak3h_tasks.report.build import build_report
from pak3h_tasks.report.model import ALL
from pak3h_tasks.report.tables import tables
from support.run_folder import DATE, write_run

LATER = "2026-12-24T08-00-00.000001"
ALPACA = {"kinds": [("alpaca", "gen")], "langs": ["ur"]}


def value(report, metric, split=ALL, lang="ur"):
    found = [
        cell.score.value
        for cell in report.cells
        if (cell.score.name, cell.place.split, cell.place.lang, cell.place.category) == (metric, split, lang, None)
    ]
    assert len(found) <= 1
    return found[0] if found else None


def test_a_scored_copy_takes_the_place_of_its_unjudged_original(tmp_path):
    write_run(tmp_path, **ALPACA, judge=None)
    unjudged = build_report([tmp_path])
    assert value(unjudged, "win_rate") is None
    assert unjudged.notices == ("org/model: no verdict in alpaca ur; pak3h score RUN_DIR adds them",)
    write_run(tmp_path, **ALPACA, scored="gpt-4o-mini")
    report = build_report([tmp_path])
    assert value(report, "win_rate") is not None
    assert report.notices == ()


def test_of_two_runs_of_a_task_the_newer_counts_and_the_other_is_named(tmp_path):
    write_run(tmp_path, **ALPACA, seed=1)
    write_run(tmp_path, **ALPACA, seed=2, date=LATER)
    report = build_report([tmp_path])
    (alone,) = [build_report([path]) for path in tmp_path.rglob(f"samples_*{LATER}.jsonl")]
    assert value(report, "win_rate") == value(alone, "win_rate")
    assert len(report.notices) == 1
    assert f"shown is {LATER} (30 items), left out {DATE} (30 items)" in report.notices[0]


def test_a_full_run_wins_over_a_newer_limited_one(tmp_path):
    write_run(tmp_path, **ALPACA)
    write_run(tmp_path, **ALPACA, n=5, total=30, date=LATER)
    report = build_report([tmp_path])
    assert report.systems[0].sources[0].n == 30


def test_each_run_by_itself_on_request(tmp_path):
    write_run(tmp_path, **ALPACA)
    write_run(tmp_path, **ALPACA, seed=2, date=LATER)
    labels = [system.label for system in build_report([tmp_path], by_run=True).systems]
    assert labels == ["org/model (2026-11-30T21-41-45)", "org/model (2026-12-24T08-00-00)"]


def test_languages_of_different_runs_come_together(tmp_path):
    write_run(tmp_path, kinds=[("alpaca", "gen")], langs=["ur"])
    write_run(tmp_path, kinds=[("alpaca", "gen")], langs=["en"], date=LATER)
    report = build_report([tmp_path])
    assert [system.label for system in report.systems] == ["org/model"]
    assert {gap.first for gap in report.gaps} == {"en"}


def test_split_tasks_together_are_the_whole(tmp_path):
    write_run(tmp_path / "whole", **ALPACA)
    write_run(tmp_path / "parts", **ALPACA, splits=("dt", "lc", "li"))
    whole, parts = (build_report([tmp_path / name]) for name in ("whole", "parts"))
    for split in (ALL, "dt", "lc", "li"):
        assert value(parts, "win_rate", split) == pytest.approx(value(whole, "win_rate", split))
    assert parts.notices == ()


@pytest.mark.parametrize("missing", ["dt", "li"])
def test_two_of_three_splits_give_no_value_for_all(tmp_path, missing):
    write_run(tmp_path, **ALPACA, splits=[split for split in ("dt", "lc", "li") if split != missing])
    report = build_report([tmp_path])
    assert value(report, "win_rate") is None
    assert value(report, "win_rate", "lc") is not None
    assert missing not in report.systems[0].sources[0].splits


def test_one_split_alone_gives_no_value_for_all(tmp_path):
    write_run(tmp_path, **ALPACA, splits=("lc",))
    report = build_report([tmp_path])
    assert value(report, "win_rate", "lc") is not None
    assert value(report, "win_rate") is None
    assert "only lc was run" in report.notices[0]
    (table,) = tables(report)
    assert [row[1] for row in table.rows] == ["ur"]


def test_without_sample_logs_lm_evals_totals_are_shown(tmp_path):
    path = write_run(tmp_path, **ALPACA, samples=False, unscored=0.2)
    results = json.loads(path.read_text())["results"]["pak3h_alpaca_ur"]
    report = build_report([tmp_path])
    (cell,) = [cell for cell in report.cells if cell.score.name == "win_rate"]
    assert cell.score.value == results["win_rate,none"]
    assert cell.score.n == 30
    assert cell.score.n_scored == round(30 * results["coverage,none"]) < 30
    half = 1.959963984540054 * results["win_rate_stderr,none"]
    assert cell.score.interval.high - cell.score.value == pytest.approx(half)
    assert "no sample logs of pak3h_alpaca_ur" in report.notices[0]
    assert report.gaps == ()


def test_one_language_alone(tmp_path):
    write_run(tmp_path, langs=["ur"])
    report = build_report([tmp_path])
    assert report.gaps == ()
    assert report.notices == ()
    assert {table.key for table in tables(report)} >= {"harmlessness", "honesty", "honesty-mc", "helpfulness"}


def test_what_differs_between_the_languages_of_a_gap_is_said(tmp_path):
    write_run(tmp_path, kinds=[("alpaca", "gen")], langs=["ur"], judge="judge-a")
    write_run(
        tmp_path,
        kinds=[("alpaca", "gen")],
        langs=["en"],
        judge="judge-b",
        date=LATER,
        results={"chat_template_sha": "0123456789abcdef"},
    )
    notices = "\n".join(build_report([tmp_path]).notices)
    assert "chat template between languages (ur: -, en: 01234567)" in notices
    assert "preference verdicts made in different ways" in notices
    assert "judge-a" in notices


def test_revisions_of_a_model_are_two_models(tmp_path):
    for revision, date in (("a1", DATE), ("b2", LATER)):
        config = {"model": "hf", "model_args": {"pretrained": "org/model", "revision": revision, "dtype": "auto"}}
        write_run(tmp_path, **ALPACA, date=date, results={"config": config})
    labels = [system.label for system in build_report([tmp_path]).systems]
    assert labels == ["org/model, revision=a1", "org/model, revision=b2"]


def test_a_run_of_another_version_keeps_its_version(tmp_path):
    write_run(tmp_path, kinds=[("truthfulqa", "gen")], langs=["ur"], package="0.0.9")
    (cell,) = [c for c in build_report([tmp_path]).cells if c.score.name == "bleu_max" and c.place.split == ALL]
    # what tokenizer 0.0.9 had is not known here
    assert cell.score.signature == "bleu_max|data:pak3h@589a647c|v:0.0.9"


def test_a_crash_in_the_middle_of_a_log_leaves_its_items(tmp_path):
    write_run(tmp_path, **ALPACA)
    (path,) = tmp_path.rglob("samples_*")
    path.write_bytes(path.read_bytes()[:-100])
    report = build_report([tmp_path])
    assert value(report, "win_rate") is not None
    assert report.systems[0].sources[0].n == 29
    assert "line 30, the last, is cut off" in report.notices[0]
    assert "29 of 30 in pak3h_alpaca_ur" in report.notices[1]


def test_repeated_rows_count_once_and_impossible_values_not_at_all(tmp_path):
    write_run(tmp_path, **ALPACA, n=4)
    (path,) = tmp_path.rglob("samples_*")
    lines = path.read_text(encoding="utf-8").splitlines()
    wrong = json.loads(lines[3]) | {"win_rate": 7.0, "empty_rate": float("nan"), "in_language": True}
    path.write_text("\n".join([*lines[:3], json.dumps(wrong), lines[0]]) + "\n", encoding="utf-8")
    report = build_report([tmp_path])
    scores = {c.score.name: c.score for c in report.cells if c.place.split == ALL}
    assert (scores["win_rate"].n, scores["win_rate"].n_scored) == (4, 3)
    assert scores["empty_rate"].n_scored == scores["in_language"].n_scored == 3
    assert any("1 rows repeat an id" in notice for notice in report.notices)
    assert any("1 values of win_rate are outside its range" in notice for notice in report.notices)


def test_nothing_scored_is_no_zero(tmp_path):
    write_run(tmp_path, **ALPACA, unscored=1.0)
    report = build_report([tmp_path])
    assert value(report, "win_rate") is None
    assert value(report, "in_language") is not None


def test_an_empty_log_is_left_out(tmp_path):
    write_run(tmp_path, langs=["ur"], kinds=[("alpaca", "gen"), ("beavertails", "gen")])
    (path,) = tmp_path.rglob("samples_pak3h_alpaca*")
    path.write_text("")
    report = build_report([tmp_path])
    assert {cell.place.dataset for cell in report.cells} == {"beavertails"}
    assert "no rows; left out" in report.notices[0]


def test_a_spool_has_answers_and_no_scores(tmp_path):
    write_run(tmp_path, **ALPACA, judge=None)
    (path,) = tmp_path.rglob("samples_*")
    spool = tmp_path / "spool" / "2026-11-30T21-00-00.000000_4711"
    spool.mkdir(parents=True)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["doc"].pop("pak3h")
    text = "".join(json.dumps({"doc_id": r["doc_id"], "doc": r["doc"], "resps": r["resps"]}) + "\n" for r in rows)
    (spool / path.name).write_text(text)
    report = build_report([spool])
    assert report.cells == ()
    assert report.systems[0].sources[0].n == 30
    assert "pak3h score" in report.notices[0]


def test_the_embedded_sample_says_what_it_is(tmp_path):
    write_run(tmp_path, **ALPACA, label="sample")
    assert "NOT comparable with published ones" in build_report([tmp_path]).notices[0]


def test_nothing_at_all_is_one_line(tmp_path):
    with pytest.raises(DataError, match="no Pak3H results"):
        build_report([tmp_path])
