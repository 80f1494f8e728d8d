"""Ranks with ties, and what may be ranked against what."""

import csv
import io
import json

import pytest

from pak3h_tasks.report.build import load
from pak3h_tasks.report.leaderboard import leaderboard, leaderboard_of, ranks
from pak3h_tasks.report.leaderboard_tables import board_csv, board_table
from pak3h_tasks.report.model import ALL
from pak3h_tasks.report.scores import Options, score_cells
from pak3h_tasks.results import Interval, Score
from support.run_folder import RunSpec, write_run


def score(value, half):
    return Score("mc1", value, 100, 100, None if value is None else Interval(value - half, value + half, ""))


def board_of(folder):
    inputs = load([folder])
    return leaderboard(inputs.systems, inputs.notices)


def column(board, lang, metric):
    (number,) = [n for n, c in enumerate(board.columns) if (c.lang, c.metric) == (lang, metric)]
    return board.columns[number], {row.system.label: row.cells[number] for row in board.rows}


def test_one_model_after_the_other_and_in_several_processes(two_models, monkeypatch):
    whole = board_of(two_models)
    assert leaderboard_of([two_models]) == whole
    monkeypatch.setattr("pak3h_tasks.report.leaderboard._POOL_BYTES", 0)
    assert leaderboard_of([two_models], n_processes=2) == whole


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # a chain: first and third do not overlap, the second overlaps both
        ([(0.8, 0.1), (0.65, 0.1), (0.5, 0.1)], [1, 1, 2]),
        ([(0.9, 0.01), (0.5, 0.01), (0.5, 0.01), (0.1, 0.01)], [1, 2, 2, 4]),
        ([(0.5, 0.01), (None, 0), (0.9, 0.01)], [2, None, 1]),
        ([(0.5, 0.1)], [1]),
        # intervals that touch are not apart
        ([(0.75, 0.125), (0.5, 0.125)], [1, 1]),
    ],
)
def test_rank_is_one_more_than_the_models_wholly_better(values, expected):
    assert ranks([score(*value) for value in values], higher_is_better=True) == expected


def test_where_lower_is_better_the_order_turns():
    assert ranks([score(0.1, 0.01), score(0.9, 0.01)], higher_is_better=False) == [1, 2]
    # the first two overlap, the second and third touch
    chain = [score(0.25, 0.125), score(0.375, 0.125), score(0.625, 0.125)]
    assert ranks(chain, higher_is_better=False) == [1, 1, 2]


def test_one_row_a_model_urdu_before_english(two_models):
    board = board_of(two_models)
    assert [row.system.label for row in board.rows] == ["org/alpha", "org/beta"]
    assert [(c.lang, c.metric) for c in board.columns] == [
        (lang, metric)
        for metric in ("ti", "mc1", "win_rate", "discrete_win_rate", "unsafe_rate")
        for lang in ("ur", "en")
    ]


def test_values_are_the_reports_own(two_models):
    inputs = load([two_models])
    alpha = inputs.systems[0]
    loaded = alpha.loaded["truthfulqa", "ur", "gen"]
    cells = score_cells(loaded.items, alpha.system.label, loaded.package, Options())
    (expected,) = [c.score for c in cells if (c.score.name, c.place.split, c.place.category) == ("ti", ALL, None)]
    _, found = column(leaderboard(inputs.systems), "ur", "ti")
    assert found["org/alpha"].score == expected
    assert not found["org/alpha"].is_partial
    assert found["org/beta"].is_partial


def test_different_judges_are_not_ranked_against_each_other(tmp_path):
    kinds = [("alpaca", "gen")]
    for name, judge in (("a", "judge-1"), ("b", "judge-1"), ("c", "judge-2")):
        skill = {"a": 0.9, "b": 0.05, "c": 0.9}[name]
        write_run(tmp_path, model=name, kinds=kinds, langs=["ur"], n=150, judge=judge, skill=skill)
    board = board_of(tmp_path)
    what, cells = column(board, "ur", "win_rate")
    assert {name: (cell.making, cell.n_ranked) for name, cell in cells.items()} == {
        "a": ("A", 2),
        "b": ("A", 2),
        "c": ("B", 1),
    }
    assert cells["a"].rank == cells["c"].rank == 1
    assert cells["b"].rank == 2
    assert "judge-1" in what.makings["A"]
    (notice,) = [n for n in board.notices if "not ranked against each other" in n]
    assert "judge-1" in notice
    assert "judge-2" in notice
    assert "task version" not in notice  # only what differs
    row = next(row for row in board_table(board).rows if row[0] == "c")
    assert row[2] == "B1"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fingerprint": "00000000"}, "pak3h@00000000"),
        ({"version": 3.0}, "task version 3.0"),
    ],
)
def test_other_data_or_versions_are_told_apart(tmp_path, changes, said):
    write_run(tmp_path, model="a", kinds=[("truthfulqa", "mc")], langs=["ur"])
    write_run(tmp_path, model="b", kinds=[("truthfulqa", "mc")], langs=["ur"], **changes)
    board = board_of(tmp_path)
    assert len(column(board, "ur", "mc1")[0].makings) == 2
    assert any(said in notice for notice in board.notices)


def test_another_version_of_the_package_is_a_note_and_no_other_making(tmp_path):
    for number in range(12):
        package = "0.1.1" if number == 11 else "0.1.0"
        write_run(tmp_path, model=f"m{number}", kinds=[("truthfulqa", "gen")], langs=["ur"], package=package)
    board = board_of(tmp_path)
    _, cells = column(board, "ur", "ti")
    assert {(cell.making, cell.n_ranked) for cell in cells.values()} == {("A", 12)}
    (notice,) = [n for n in board.notices if "versions of pak3h-tasks" in n]
    assert "0.1.1: m11" in notice


def test_models_are_in_the_order_of_their_mean_rank_among_the_largest_group(tmp_path):
    """A rank among other models, of another judge, says nothing of the order."""
    kinds = [("truthfulqa", "mc"), ("alpaca", "gen")]
    for name, skill, judge in (("a", 0.9, "j1"), ("z", 0.5, "j1"), ("c", 0.05, "j2")):
        write_run(tmp_path, model=name, kinds=kinds, langs=["ur"], n=300, skill=skill, judge=judge)
    board = board_of(tmp_path)
    _, mc1 = column(board, "ur", "mc1")
    assert [mc1[name].rank for name in "azc"] == [1, 2, 3]
    _, wins = column(board, "ur", "win_rate")
    assert (wins["c"].making, wins["c"].rank) == ("B", 1)
    # with its first rank of one, c would have a mean of 2, as z has, and stand before it by its name
    assert wins["z"].rank == 2
    assert [row.system.label for row in board.rows] == ["a", "z", "c"]


def test_the_order_is_that_of_urdu(tmp_path):
    mc = {"kinds": [("truthfulqa", "mc")], "n": 300}
    for name, urdu, english in (("a", 0.05, 0.95), ("b", 0.95, 0.05)):
        write_run(tmp_path, model=name, **mc, langs=["ur"], skill=urdu)
        write_run(tmp_path, model=name, **mc, langs=["en"], skill=english, date="2026-12-24T08-00-00.000001")
    # of no verdicts and ranks of its own measures alone, last whatever they are
    write_run(tmp_path, model="0", kinds=[("truthfulqa", "gen")], langs=["ur"], judge=None)
    board = board_of(tmp_path)
    assert [row.system.label for row in board.rows] == ["b", "a", "0"]


def test_a_server_that_changes_its_fingerprint_is_the_same_judge(tmp_path):
    # the made-up verdicts carry three server fingerprints
    write_run(tmp_path, model="a", kinds=[("truthfulqa", "gen")], langs=["ur"])
    write_run(tmp_path, model="b", kinds=[("truthfulqa", "gen")], langs=["ur"], seed=3)
    assert len(column(board_of(tmp_path), "ur", "ti")[0].makings) == 1


def test_models_without_logs_take_part_by_their_totals(tmp_path):
    write_run(tmp_path, model="a", kinds=[("truthfulqa", "mc")], langs=["ur"], samples=False)
    write_run(tmp_path, model="b", kinds=[("truthfulqa", "mc")], langs=["ur"])
    board = board_of(tmp_path)
    assert all(row.cells[0].score.value is not None for row in board.rows)
    assert any("no sample logs" in notice for notice in board.notices)


def test_csv(two_models):
    board = board_of(two_models)
    rows = list(csv.DictReader(io.StringIO(board_csv(board))))
    assert len(rows) == 20
    first = rows[0]
    assert (first["model"], first["lang"], first["metric"], first["n"]) == ("org/alpha", "ur", "ti", "60")
    assert float(first["low"]) < float(first["value"]) < float(first["high"])


def test_a_score_of_unknown_error_has_no_rank_and_moves_no_other():
    bare = Score("mc1", 0.99, 100, 100, None)
    assert ranks([bare, score(0.5, 0.1)], higher_is_better=True) == [None, 1]


def test_totals_without_error_are_shown_unranked(tmp_path):
    for name in ("a", "b"):
        path = write_run(tmp_path, model=name, kinds=[("alpaca", "gen")], langs=["ur"], samples=False)
        content = json.loads(path.read_text())
        content["results"]["pak3h_alpaca_ur"]["win_rate_stderr,none"] = "N/A"
        path.write_text(json.dumps(content))
    board = board_of(tmp_path)
    assert [row.cells[0].n_ranked for row in board.rows] == [0, 0]
    table = board_table(board)
    assert [row[2] for row in table.rows] == ["-", "-"]
    assert any("Without a rank" in note for note in table.notes)


def test_limited_totals_and_missing_verdicts_are_marked(tmp_path):
    alpaca = {"kinds": [("alpaca", "gen")], "langs": ["ur"]}
    write_run(tmp_path, model="limited", **alpaca, n=5, total=30, samples=False)
    write_run(tmp_path, model="unjudged", **alpaca, unscored=0.5)
    write_run(tmp_path, model="whole", **alpaca)
    marks = {row[0]: "*" in row[2] for row in board_table(board_of(tmp_path)).rows}
    assert marks == {"limited": True, "unjudged": True, "whole": False}


def test_head_to_head_is_not_ranked_with_the_others(tmp_path):
    alpaca = {"kinds": [("alpaca", "gen")], "langs": ["ur"]}
    write_run(tmp_path, model="a", **alpaca)
    write_run(tmp_path, model="b", **alpaca)
    path = write_run(tmp_path, model="c", **alpaca)
    content = json.loads(path.read_text())
    content["configs"]["pak3h_alpaca_ur"]["dataset_kwargs"]["pak3h"]["reference"] = "a@0badcafe"
    path.write_text(json.dumps(content))
    board = board_of(tmp_path)
    _, cells = column(board, "ur", "win_rate")
    assert {name: (cell.making, cell.n_ranked) for name, cell in cells.items()} == {
        "a": ("A", 2),
        "b": ("A", 2),
        "c against a@0badcafe": ("B", 1),
    }
    assert any("(A) against the outputs of the data, (B) against a@0badcafe" in n for n in board.notices)


def test_an_alias_that_moved_on_to_another_model_is_said(tmp_path):
    for name in ("a", "b"):
        write_run(tmp_path, model=name, kinds=[("alpaca", "gen")], langs=["ur"])
    (path,) = (tmp_path / "b").glob("samples_*")
    path.write_text(path.read_text(encoding="utf-8").replace("2024-07-18", "2025-01-01"), encoding="utf-8")
    (notice,) = [n for n in board_of(tmp_path).notices if "ranked together" in n]
    assert "gpt-4o-mini-2024-07-18: a; gpt-4o-mini-2025-01-01: b" in notice


def test_a_metric_without_a_direction_has_no_rank():
    scores = [Score("answer_chars", v, 9, 9, Interval(v - 1, v + 1, "")) for v in (10.0, 20.0)]
    assert ranks(scores, None) == [None, None]


def test_measures_that_several_datasets_have_are_titled_with_theirs(tmp_path):
    write_run(tmp_path, model="a", kinds=[("truthfulqa", "gen"), ("alpaca", "gen"), ("truthfulqa", "mc")], judge=None)
    titles = [column.title for column in board_of(tmp_path).columns if column.lang == "ur"]
    assert {"ur in language (truthfulqa)", "ur in language (alpaca)", "ur MC1"} <= set(titles)
    assert len(titles) == len(set(titles))


def test_numbers_made_in_one_way_need_no_word_on_that(tmp_path):
    for name in ("a", "b"):
        write_run(tmp_path, model=name)
    board = board_of(tmp_path)
    assert {len(column.makings) for column in board.columns} == {1}
    assert not [notice for notice in board.notices if "different ways" in notice]


def test_what_no_model_would_score_is_said_in_percent_by_data(tmp_path):
    write_run(tmp_path, model="a", kinds=[("truthfulqa", "mc")], langs=["ur"])
    inputs = load([tmp_path])
    items = inputs.systems[0].loaded["truthfulqa", "ur", "mc"].items
    shares = [100 * items.column(f"mc1_{name}").mean() for name in ("chance", "shortest", "longest")]
    said = "ur MC1: chance {:.1f}, always the shortest answer {:.1f}, the longest {:.1f}".format(*shares)
    assert said in leaderboard(inputs.systems, inputs.notices).notices
    write_run(tmp_path, model="b", kinds=[("truthfulqa", "mc")], langs=["ur"], fingerprint="00000000")
    notices = board_of(tmp_path).notices
    assert f"{said} (data pak3h@{RunSpec().fingerprint})" in notices
    assert f"{said} (data pak3h@00000000)" in notices
