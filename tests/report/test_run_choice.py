"""Which runs count: copies, reruns, limits, splits, missing logs, mixed versions, one language only."""

import json

import pytest

from pak3h_tasks.errors import DataError
from pak3h_tasks.report.build import build_report, load, report_of
from pak3h_tasks.report.compare import compare
from pak3h_tasks.report.leaderboard import leaderboard
from pak3h_tasks.report.model import ALL
from pak3h_tasks.report.page.report_page import report_page
from pak3h_tasks.report.scores import Options
from pak3h_tasks.report.tables import tables
from support.run_folder import DATE, KINDS, write_run

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


def run_as(folder, date, **changes):
    """The same weights once more."""
    return write_run(folder, **{"kinds": [("truthfulqa", "gen")], "langs": ["ur"], "date": date, **changes})


TEMPLATE = {"results": {"chat_template_sha": "0123456789abcdef"}}


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({}, TEMPLATE, ["no chat template", "chat template"]),
        ({"shots": 0}, {"shots": 6}, ["0-shot", "6-shot"]),
        ({"version": 1.0}, {"version": 1.1}, ["task version 1.0", "task version 1.1"]),
        ({}, {"fingerprint": "00c0ffee"}, ["data pak3h@40d6f076", "data pak3h@00c0ffee"]),
        ({"label": "sample"}, {}, ["data sample@40d6f076", "data pak3h@40d6f076"]),
        (
            {"generation": {"temperature": 0.0, "until": []}},
            {"generation": {"temperature": 0.7}},
            ["temperature 0.0", "temperature 0.7"],
        ),
        (
            {"generation": {"max_gen_toks": 256}},
            {"generation": {"max_gen_toks": 512}},
            ["max_gen_toks 256", "max_gen_toks 512"],
        ),
        ({"judge": "judge-a"}, {"judge": "judge-b"}, ["→ judge-a", "→ judge-b"]),
        (
            {"results": {"system_instruction_sha": None}},
            {"results": {"system_instruction_sha": "abcdef0123"}},
            ["no system prompt", "system prompt"],
        ),
        (
            {"results": {"system_instruction_sha": "11111111"}},
            {"results": {"system_instruction_sha": "22222222"}},
            ["system prompt 11111111", "system prompt 22222222"],
        ),
        # two differences, one of which is enough
        ({}, {**TEMPLATE, "shots": 6}, ["no chat template", "chat template"]),
    ],
)
def test_runs_that_differ_are_different_rows_in_report_board_and_comparison(tmp_path, first, second, said):
    run_as(tmp_path / "1", DATE, seed=1, **first)
    run_as(tmp_path / "2", LATER, seed=2, **second)
    inputs = load([tmp_path])
    labels = [f"org/model {text}" if text.startswith("→") else f"org/model, {text}" for text in said]
    assert [found.system.label for found in inputs.systems] == labels
    report = report_of(inputs, Options())
    assert [row[0] for row in tables(report)[0].rows] == labels
    assert {row.system.label for row in leaderboard(inputs.systems).rows} == set(labels)
    comparison = compare(load([tmp_path / "1"]), load([tmp_path / "2"]))
    assert [comparison.first, comparison.second] == labels
    assert not any("was run" in notice for notice in report.notices)


def test_three_ways_need_two_settings(tmp_path):
    run_as(tmp_path, DATE)
    run_as(tmp_path, LATER, shots=6)
    run_as(tmp_path, LATER.replace("24", "25"), shots=6, **TEMPLATE)
    assert [found.system.label for found in load([tmp_path]).systems] == [
        "org/model, no chat template, 0-shot",
        "org/model, no chat template, 6-shot",
        "org/model, chat template, 6-shot",
    ]


@pytest.mark.parametrize("changes", [{"package": "0.0.9"}, {"results": {"lm_eval_version": "0.4.14"}}, {"seed": 3}])
def test_repetitions_under_the_same_settings_are_one_row(tmp_path, changes):
    run_as(tmp_path, DATE)
    run_as(tmp_path, LATER, **changes)
    inputs = load([tmp_path])
    assert [found.system.label for found in inputs.systems] == ["org/model"]
    assert any("was run 2 times" in notice for notice in inputs.notices)


def test_languages_and_tasks_of_runs_under_the_same_settings_are_one_row(tmp_path):
    for number, (kind, lang) in enumerate((kind, lang) for kind in KINDS for lang in ("en", "ur")):
        sampling = {"generation": {"temperature": 0.7 if kind[0] == "alpaca" else 0.0}}
        for results in ({}, TEMPLATE["results"]):
            date = f"2026-11-{number + 10}T0{len(results)}-00-00.000000"
            write_run(tmp_path, kinds=[kind], langs=[lang], date=date, results=results, **sampling)
    found = load([tmp_path]).systems
    assert [system.system.label for system in found] == ["org/model, no chat template", "org/model, chat template"]
    assert all(len(system.loaded) == 8 for system in found)


def test_rules_that_each_language_has_its_own_of_are_no_difference_between_languages(tmp_path):
    """English and Urdu are normalised by different rules, always, in one run or in two."""
    write_run(tmp_path, langs=["en"], kinds=[("truthfulqa", "gen")])
    write_run(tmp_path, langs=["ur"], kinds=[("truthfulqa", "gen")], date=LATER)
    inputs = load([tmp_path])
    assert [found.system.label for found in inputs.systems] == ["org/model"]
    settings = {source.lang: source.settings["normaliser rules"] for source in inputs.systems[0].system.sources}
    assert settings["en"] != settings["ur"]
    assert not [notice for notice in inputs.notices if "differs" in notice]


def test_of_repetitions_the_one_with_most_verdicts_counts_not_the_one_with_most_items(tmp_path):
    write_run(tmp_path, **ALPACA, n=30, unscored=0.8)
    write_run(tmp_path, **ALPACA, n=20, total=30, date=LATER)
    (system,) = build_report([tmp_path]).systems
    assert system.sources[0].n == 20
    assert system.sources[0].date == LATER


def test_a_judge_of_one_language_makes_a_row_of_its_own(tmp_path):
    alpaca = {"kinds": [("alpaca", "gen")]}
    write_run(tmp_path, **alpaca, langs=["ur"], judge="judge-a")
    write_run(tmp_path, **alpaca, langs=["en"], judge="judge-b", date=LATER)
    report = build_report([tmp_path])
    assert [system.label for system in report.systems] == ["org/model → judge-a", "org/model → judge-b"]
    assert report.gaps == ()  # of judges, not of languages


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
    assert cell.score.signature == "bleu_max|data:pak3h@40d6f076|v:0.0.9"


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


def totals_of(folder, **changes):
    """Results without sample logs, with some of lm-eval's own totals changed."""
    path = write_run(folder, **ALPACA, samples=False)
    content = json.loads(path.read_text())
    content["results"]["pak3h_alpaca_ur"] |= {f"{name},none": value for name, value in changes.items()}
    path.write_text(json.dumps(content))
    return {cell.score.name: cell for cell in build_report([folder]).cells}


def test_totals_that_cannot_be_are_no_values(tmp_path):
    found = totals_of(tmp_path, win_rate=7.0, discrete_win_rate=float("nan"))
    assert found["win_rate"].score.value is None
    assert found["win_rate"].score.n_scored == 0
    assert "7 in lm-eval's totals cannot be" in found["win_rate"].note
    assert "discrete_win_rate" not in found


@pytest.mark.parametrize(("coverage", "scored"), [(float("nan"), 30), (3.0, 30), (-1.0, 0), (0.5, 15)])
def test_a_total_is_never_of_more_items_than_there_are(tmp_path, coverage, scored):
    assert totals_of(tmp_path, coverage=coverage)["win_rate"].score.n_scored == scored


def test_a_total_without_spread_still_has_an_interval(tmp_path):
    score = totals_of(tmp_path, empty_rate=0.0, empty_rate_stderr=0.0)["empty_rate"].score
    # Wilson by hand: z^2 / (n + z^2)
    assert (score.interval.low, score.interval.high) == (0, pytest.approx(3.841459 / (30 + 3.841459)))


def test_limited_and_repeated_runs_without_logs_are_said(tmp_path):
    write_run(tmp_path, **ALPACA, samples=False)
    write_run(tmp_path, **ALPACA, samples=False, n=5, total=30, date=LATER)
    notices = build_report([tmp_path]).notices
    assert f"org/model: pak3h_alpaca_ur was run more than once, without sample logs; shown is {LATER}" in notices
    assert "org/model: not all items (--limit): 5 of 30 in pak3h_alpaca_ur" in notices


def head_to_head(folder, opponent="other@0badcafe", **changes):
    path = write_run(folder, **ALPACA, **changes)
    content = json.loads(path.read_text())
    content["configs"]["pak3h_alpaca_ur"]["dataset_kwargs"]["pak3h"]["reference"] = opponent
    path.write_text(json.dumps(content))


def test_head_to_head_is_never_mixed_with_rates_over_the_datas_own_outputs(tmp_path):
    write_run(tmp_path, **ALPACA, seed=1)
    alone = value(build_report([tmp_path]), "win_rate")
    head_to_head(tmp_path, seed=2, date=LATER)
    report = build_report([tmp_path])
    found = {c.place.system: c.score for c in report.cells if (c.score.name, c.place.split) == ("win_rate", ALL)}
    assert list(found) == ["org/model", "org/model against other@0badcafe"]
    assert found["org/model"].value == alone
    assert "against:other@0badcafe" in found["org/model against other@0badcafe"].signature
    assert "against" not in found["org/model"].signature
    assert any("head to head" in notice for notice in report.notices)
    table = tables(report)[0]
    assert any(line.startswith("reference answers: none (org/model ur)") for line in table.made_by)


def test_totals_of_a_head_to_head_run_say_so_too(tmp_path):
    head_to_head(tmp_path, samples=False)
    (score,) = [c.score for c in build_report([tmp_path]).cells if c.score.name == "win_rate"]
    assert "against:other@0badcafe" in score.signature


def test_a_judge_that_gave_no_verdict_is_no_full_coverage(tmp_path):
    write_run(tmp_path, **ALPACA, unscored=1.0)
    report = build_report([tmp_path])
    (table,) = tables(report)
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert row["win rate"].text == "n/a"
    assert row["scored"] == "0.0 %"
    said = "not one verdict in alpaca ur, though judged (mostly preference: no label in the reply)"
    assert any(said in notice for notice in report.notices)


def test_scored_counts_verdicts_not_orders(tmp_path):
    """Answers equal to the reference need no judge, so they have a verdict and no order."""
    write_run(tmp_path, **ALPACA, both_orders=True)
    (path,) = tmp_path.rglob("samples_*")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    del rows[0]["position_consistency"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (table, *_) = tables(build_report([tmp_path]))
    assert dict(zip(table.header, table.rows[0], strict=True))["scored"] == "100 %"


def test_rows_of_other_task_versions_are_named_below_the_table(tmp_path):
    write_run(tmp_path, model="a", **ALPACA)
    path = write_run(tmp_path, model="b", **ALPACA)
    content = json.loads(path.read_text())
    content["versions"]["pak3h_alpaca_ur"] = 2.0
    path.write_text(json.dumps(content))
    (table, *_) = tables(build_report([tmp_path]))
    assert "task version: 1.0 (a ur); 2.0 (b ur)" in table.made_by


def test_runs_of_one_second_are_still_two_by_run(tmp_path):
    write_run(tmp_path / "x", **ALPACA)
    write_run(tmp_path / "y", **ALPACA, seed=2)
    assert len(build_report([tmp_path], by_run=True).systems) == 2


def test_numbers_that_no_float_holds_are_no_values(tmp_path):
    write_run(tmp_path, **ALPACA, n=4)
    (path,) = tmp_path.rglob("samples_*")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows[0]["win_rate"] = rows[1]["answer_chars"] = 10**400
    rows[2]["doc"]["pak3h"]["verdicts"]["preference"]["probability"] = 10**400
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    inputs = load([tmp_path])
    scores = {c.score.name: c.score for c in report_of(inputs, Options()).cells if c.place.split == ALL}
    assert scores["win_rate"].n_scored == scores["answer_chars"].n_scored == 3
    assert "<table" in report_page(report_of(inputs, Options()), inputs.systems)
    totals = totals_of(tmp_path / "totals", win_rate=10**400, discrete_win_rate=0.5)
    assert "win_rate" not in totals
    assert totals["discrete_win_rate"].score.value == 0.5


def test_what_a_scored_copy_took_over_as_it_was_is_no_second_run(tmp_path):
    write_run(tmp_path, **ALPACA)
    write_run(tmp_path, **ALPACA, scored="beaver-dam")
    report = build_report([tmp_path])
    assert len(report.systems) == 1
    assert report.notices == ()


def test_the_same_answers_under_another_judge_are_a_row_of_what_it_judged(tmp_path):
    tasks = {"kinds": [("alpaca", "gen"), ("truthfulqa", "mc")], "langs": ["ur"]}
    write_run(tmp_path, **tasks)
    write_run(tmp_path, **tasks, scored="another", judge="another")
    first, second = load([tmp_path]).systems
    assert [first.system.label, second.system.label] == ["org/model → gpt-4o-mini", "org/model → another"]
    assert [len(first.loaded), len(second.loaded)] == [2, 1]


def test_ids_that_are_not_in_both_languages_are_said(tmp_path):
    write_run(tmp_path, kinds=[("beavertails", "gen")], langs=["en", "ur"])
    (path,) = tmp_path.rglob("samples_pak3h_beavertails_ur_*")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("beavertails-0000", "other-0000"), encoding="utf-8")
    (notice,) = build_report([tmp_path]).notices
    assert "beavertails gen: en has 30 items and ur 30, but only 20 ids are in both" in notice


def test_generations_without_a_verdict_are_not_scored_and_keep_their_row(tmp_path):
    honest = {"kinds": [("truthfulqa", "gen")], "langs": ["ur"]}
    write_run(tmp_path, model="judged", **honest)
    write_run(tmp_path, model="unjudged", **honest, judge=None)
    inputs = load([tmp_path])
    (table,) = [table for table in tables(report_of(inputs, Options())) if table.key == "honesty"]
    scored = {row[0]: row[table.header.index("scored")] for row in table.rows}
    assert scored == {"judged": "100 %", "unjudged": None}
    board = leaderboard(inputs.systems)
    cells = {
        row.system.label: dict(zip((c.metric for c in board.columns), row.cells, strict=True)) for row in board.rows
    }
    assert cells["unjudged"]["ti"] is None
    assert cells["unjudged"]["chrf_max"].score.value > 0
    assert [row.system.label for row in board.rows] == ["judged", "unjudged"]
    alone = leaderboard(load([tmp_path / "judged"]).systems)
    assert [column.metric for column in alone.columns] == ["ti"]


def test_verdicts_of_a_judge_are_counted_apart_from_those_of_rules(tmp_path):
    write_run(tmp_path, **ALPACA, n=6, unscored=0.0)
    (path,) = tmp_path.rglob("samples_*")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [row["doc"]["pak3h"]["verdicts"]["preference"] for row in rows]
    found[0] |= {"raw": None, "reason": "both answers are the same", "details": {}}
    found[1] |= {"raw": None, "details": {"read_from": "rule"}}
    found[2]["details"]["orders"][0]["read_from"] = "text"
    found[3] |= {"value": None, "raw": "hm", "reason": "no label in the reply"}
    del rows[3]["win_rate"], rows[3]["discrete_win_rate"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    inputs = load([tmp_path])
    report = report_of(inputs, Options())
    (cell,) = [c for c in report.cells if (c.score.name, c.place.split) == ("win_rate", ALL)]
    # six answers: one unscored, two by rule, three by the judge, one of them from text
    assert (cell.score.n, cell.score.n_scored, cell.n_judged, cell.n_text) == (6, 5, 3, 1)
    table = tables(report)[0]
    assert dict(zip(table.header, table.rows[0], strict=True))["by a judge"] == "3 (1 from text)"
    (row,) = leaderboard(inputs.systems).rows
    assert (row.cells[0].n_judged, row.cells[0].n_text) == (3, 1)


def test_a_prompt_asked_in_several_splits_counts_once_in_their_total(tmp_path):
    """Split tasks before task version 1.1: 36 + 28 + 15 documents of 45 prompts."""
    write_run(tmp_path, kinds=[("beavertails", "gen")], langs=["ur"], splits=("dt", "lc", "li"))
    prompts = {}
    for path in sorted(tmp_path.rglob("samples_*")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for place, row in enumerate(rows):
            # the first three of each split are the same three prompts, under ids of their own
            row["doc"]["prompt"] = f"prompt {place if place < 3 else row['doc']['id']}"
            prompts.setdefault(row["doc"]["prompt"], row["doc"]["localization"])
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = build_report([tmp_path])
    sizes = {c.place.split: c.score.n for c in report.cells if c.score.name == "refusal_rate"}
    assert sizes == {ALL: 24, "dt": 18, "lc": 3, "li": 3}
    assert len(prompts) == 24
    assert report.notices == ("org/model: 6 prompts of beavertails were asked in several splits; they count once",)


def test_a_gap_is_of_the_splits_and_measures_that_both_languages_have(tmp_path):
    alpaca = {"kinds": [("alpaca", "gen")]}
    write_run(tmp_path, **alpaca, langs=["en"])
    write_run(tmp_path, **alpaca, langs=["ur"], splits=("lc",), judge=None, date=LATER)
    gaps = build_report([tmp_path]).gaps
    assert {gap.place.split for gap in gaps} == {"lc"}
    assert {gap.metric for gap in gaps} == {"in_language", "answer_chars"}
    assert not any(gap.of_systems for gap in gaps)


@pytest.mark.parametrize(
    ("changes", "said"), [(TEMPLATE, "chat template"), ({"fingerprint": "00c0ffee"}, "data pak3h@00c0ffee")]
)
def test_runs_without_sample_logs_that_differ_are_two_rows_as_well(tmp_path, changes, said):
    run_as(tmp_path, DATE, samples=False)
    run_as(tmp_path, LATER, samples=False, **changes)
    report = build_report([tmp_path])
    assert [system.label for system in report.systems][1] == f"org/model, {said}"
    assert len({cell.place.system for cell in report.cells}) == 2
    assert not any("more than once" in notice for notice in report.notices)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_a_judges_row_has_all_that_it_judged_whatever_came_first(tmp_path, order):
    """Honesty judged by two, helpfulness by the second alone: its win rate stands in its row."""
    runs = (("truthfulqa", "j1"), ("truthfulqa", "j2"), ("alpaca", "j2"))
    for place, number in enumerate(order):
        dataset, judge = runs[number]
        date = f"2026-11-30T21-4{place}-45.470855"
        run_as(tmp_path / f"{place}", date, kinds=[(dataset, "gen")], judge=judge, scored=judge, seed=number)
    found = {f.system.label: f for f in load([tmp_path]).systems}
    assert set(found) == {"org/model → j1", "org/model → j2"}
    assert {f.system.generator for f in found.values()} == {"org/model"}
    assert set(found["org/model → j1"].loaded) == {("truthfulqa", "ur", "gen")}
    assert set(found["org/model → j2"].loaded) == {("truthfulqa", "ur", "gen"), ("alpaca", "ur", "gen")}


def test_what_no_judge_concerns_is_one_row_however_many_judged(tmp_path):
    for number, judge in enumerate(("j1", "j2")):
        run_as(tmp_path / judge, f"2026-11-30T21-4{number}-45.470855", judge=judge, scored=judge)
    found = {table.key: table for table in tables(report_of(load([tmp_path]), Options()))}
    assert [row[0] for row in found["honesty"].rows] == ["org/model → j1", "org/model → j2"]
    assert [row[0] for row in found["honesty-overlap"].rows] == ["org/model"]
