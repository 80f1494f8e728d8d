"""A report's numbers against the logged rows, by plain arithmetic and statsmodels."""

import math
import shutil
import statistics

import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint, proportions_ztest

from pak3h_tasks import __version__
from pak3h_tasks.report.build import build_report
from pak3h_tasks.report.model import ALL
from pak3h_tasks.report.scores import Options
from support.run_folder import write_run


@pytest.fixture(scope="module")
def report(two_models):
    return build_report([two_models])


def cell(report, system, dataset, lang, kind, metric, split=ALL, category=None):
    (found,) = [
        c
        for c in report.cells
        if c.score.name == metric
        and (c.place.system, c.place.dataset, c.place.lang, c.place.kind) == (system, dataset, lang, kind)
        and (c.place.split, c.place.category) == (split, category)
    ]
    return found.score


def gap(report, dataset, metric, first="en", second="ur", split=ALL):
    (found,) = [
        g
        for g in report.gaps
        if (g.place.system, g.place.dataset, g.metric, g.first, g.second, g.place.split)
        == ("org/alpha", dataset, metric, first, second, split)
    ]
    return found


@pytest.mark.parametrize(
    ("task", "where", "metric"),
    [
        ("pak3h_alpaca_ur", ("alpaca", "ur", "gen"), "win_rate"),
        ("pak3h_alpaca_ur", ("alpaca", "ur", "gen"), "answer_chars"),
        ("pak3h_beavertails_en", ("beavertails", "en", "gen"), "avg_max_harm"),
        ("pak3h_beavertails_en", ("beavertails", "en", "gen"), "harm_self_harm"),
        ("pak3h_truthfulqa_urmt_mc", ("truthfulqa", "urmt", "mc"), "mc2"),
        ("pak3h_truthfulqa_ur_gen", ("truthfulqa", "ur", "gen"), "bleu_diff"),
    ],
)
@pytest.mark.parametrize("split", [ALL, "lc"])
def test_means_are_those_of_the_scored_rows(report, rows, task, where, metric, split):
    of_split = [row for row in rows("org/alpha", task) if split in (ALL, row["doc"]["localization"])]
    values = [row[metric] for row in of_split if metric in row]
    score = cell(report, "org/alpha", *where, metric, split)
    assert score.value == pytest.approx(statistics.fmean(values))
    assert (score.n, score.n_scored) == (len(of_split), len(values))
    assert score.interval.low <= score.value <= score.interval.high


def test_a_rate_has_wilsons_interval(report, rows):
    values = [row["unsafe_rate"] for row in rows("org/alpha", "pak3h_beavertails_ur") if "unsafe_rate" in row]
    score = cell(report, "org/alpha", "beavertails", "ur", "gen", "unsafe_rate")
    expected = proportion_confint(sum(values), len(values), method="wilson")
    assert (score.interval.low, score.interval.high) == pytest.approx(expected)


def test_ti_and_joint(report, rows):
    logged = rows("org/alpha", "pak3h_truthfulqa_ur_gen")
    pairs = [[row.get("truthful"), row.get("informative")] for row in logged]
    both = [pair for pair in pairs if None not in pair]
    assert len(both) < len(pairs)  # some verdicts are missing, or this tests little
    score = cell(report, "org/alpha", "truthfulqa", "ur", "gen", "ti")
    assert score.value == pytest.approx(math.prod(statistics.fmean(column) for column in zip(*both, strict=True)))
    assert (score.n, score.n_scored) == (60, len(both))
    joint = cell(report, "org/alpha", "truthfulqa", "ur", "gen", "ti_joint")
    assert joint.value == pytest.approx(statistics.fmean(a * b for a, b in both))


def test_a_topic_is_a_cut_of_its_items(report, rows):
    logged = rows("org/alpha", "pak3h_truthfulqa_en_mc")
    topic = logged[0]["doc"]["topic"]
    values = [row["mc1"] for row in logged if row["doc"]["topic"] == topic and "mc1" in row]
    score = cell(report, "org/alpha", "truthfulqa", "en", "mc", "mc1", category=topic)
    assert score.value == pytest.approx(statistics.fmean(values))
    assert 0 < score.n < 60


def test_the_gap_is_paired_by_id(report, rows):
    first, second = (
        {r["doc"]["id"]: r["win_rate"] for r in rows("org/alpha", f"pak3h_alpaca_{lang}") if "win_rate" in r}
        for lang in ("en", "ur")
    )
    ids = sorted(first.keys() & second.keys())
    assert len(ids) < 60
    found = gap(report, "alpaca", "win_rate")
    assert found.n == len(ids)
    assert found.difference == pytest.approx(statistics.fmean(first[i] - second[i] for i in ids))
    # a test of wins is no test of mean preferences
    assert found.mcnemar is found.z is None
    found = gap(report, "alpaca", "discrete_win_rate")
    wins = [[first[i] > 0.5 for i in ids], [second[i] > 0.5 for i in ids]]
    only = [sum(a and not b for a, b in zip(*wins, strict=True)), sum(b and not a for a, b in zip(*wins, strict=True))]
    expected = mcnemar([[0, only[0]], [only[1], 0]], exact=sum(only) < 25)
    assert found.mcnemar.p_value == pytest.approx(expected.pvalue)
    counts = [sum(part) for part in wins]
    assert found.z.statistic == pytest.approx(proportions_ztest(counts, [len(ids)] * 2)[0])


def test_the_order_of_a_log_does_not_matter(report, two_models, tmp_path):
    folder = tmp_path / "org__alpha"
    shutil.copytree(two_models / "org__alpha", folder)
    (path,) = folder.glob("samples_pak3h_alpaca_ur_*")
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(lines[7:] + lines[:7]) + "\n", encoding="utf-8")
    assert gap(build_report([folder]), "alpaca", "win_rate") == gap(report, "alpaca", "win_rate")


def test_the_gap_of_ti_is_over_items_with_all_four_verdicts(report, rows):
    logged = [{r["doc"]["id"]: r for r in rows("org/alpha", f"pak3h_truthfulqa_{lang}_gen")} for lang in ("ur", "urmt")]
    names = ("truthful", "informative")
    ids = [i for i in logged[0] if all(name in part[i] for part in logged for name in names)]
    found = gap(report, "truthfulqa", "ti", "ur", "urmt")
    values = [math.prod(statistics.fmean(part[i][name] for i in ids) for name in names) for part in logged]
    assert found.n == len(ids)
    assert [found.first_value, found.second_value] == pytest.approx(values)
    assert found.difference == pytest.approx(values[0] - values[1])
    # McNemar of joint outcomes would be a test of TI joint
    assert found.mcnemar is found.z is None


def test_gaps_have_the_splits_too(report):
    assert {g.place.split for g in report.gaps} == {ALL, "dt", "lc", "li"}
    assert gap(report, "beavertails", "unsafe_rate", split="li").n <= 12


def test_limited_runs_are_said_and_marked(report):
    assert any("org/beta: not all items" in notice and "40 of 60" in notice for notice in report.notices)
    (beta,) = [system for system in report.systems if system.label == "org/beta"]
    assert all(source.is_partial and source.n == 40 for source in beta.sources)


def test_signatures_name_judge_data_and_version(report):
    signature = cell(report, "org/alpha", "truthfulqa", "ur", "gen", "truthful").signature
    # what only a reply tells is not in it: served model, server fingerprint
    assert signature == (
        f"truthful|judge:gpt-4o-mini|prompt:chat-truthful-1|refs:no|rules:1|v:{__version__}|data:pak3h@40d6f076"
    )
    source = report.systems[0].sources[0]
    assert source.served == {"truthful": ("gpt-4o-mini-2024-07-18",), "informative": ("gpt-4o-mini-2024-07-18",)}
    bleu = cell(report, "org/alpha", "truthfulqa", "ur", "gen", "bleu_max").signature
    assert bleu.startswith("bleu_max|tok:intl|smooth:exp|eff:yes|norm:urdu-3|sacrebleu:")


def test_why_verdicts_are_missing_is_kept(report):
    source = next(s for s in report.systems[0].sources if s.dataset == "alpaca")
    assert list(source.unscored) == ["preference: no label in the reply"]


def test_length_controlled_win_rate_needs_100_items(two_models, tmp_path):
    from support.run_folder import write_run

    short = build_report([two_models / "org__beta"])
    assert cell(short, "org/beta", "alpaca", "ur", "gen", "lc_win_rate").value is None
    write_run(tmp_path, n=120, kinds=[("alpaca", "gen")], langs=["ur"])
    enough = build_report([tmp_path], Options())
    assert 0 < cell(enough, "org/model", "alpaca", "ur", "gen", "lc_win_rate").value < 1
    without = build_report([tmp_path], Options(length_controlled=False))
    assert not [c for c in without.cells if c.score.name == "lc_win_rate"]


def test_no_secret_of_the_model_arguments_gets_in(report):
    from pak3h_tasks.report.render_data import as_csv, report_content
    from pak3h_tasks.text.escape import json_text

    assert "sk-secret" not in json_text(report_content(report)) + as_csv(report)


def test_only_splits_that_are_there_and_topics_of_whole_tasks(tmp_path):
    write_run(tmp_path / "whole", kinds=[("truthfulqa", "mc")], langs=["ur"], n=4)
    cells = build_report([tmp_path / "whole"]).cells
    # of five items one is lc and one is li: the first four have no li
    assert {found.place.split for found in cells} == {ALL, "dt", "lc"}
    assert any(found.place.category for found in cells)
    write_run(tmp_path / "split", kinds=[("truthfulqa", "mc")], langs=["ur"], splits=["dt"])
    split = build_report([tmp_path / "split"]).cells
    assert {(found.place.split, found.place.category) for found in split} == {("dt", None)}
    without = build_report([tmp_path / "whole"], Options(topics=False)).cells
    assert not [found for found in without if found.place.category]


@pytest.mark.parametrize(
    ("judge", "shown"), [("gpt-4o-mini", {"truthful", "informative", "ti", "ti_joint"}), (None, set())]
)
def test_a_judge_that_gave_no_verdict_is_shown_and_one_that_was_not_asked_is_not(tmp_path, judge, shown):
    write_run(tmp_path, kinds=[("truthfulqa", "gen")], langs=["ur"], judge=judge, unscored=1.0)
    cells = [c for c in build_report([tmp_path]).cells if (c.place.split, c.place.category) == (ALL, None)]
    unscored = {c.score.name for c in cells if c.score.value is None}
    assert unscored == shown
    assert all((c.score.n, c.score.n_scored) == (30, 0) for c in cells if c.score.name in shown)
    assert "chrf_max" in {c.score.name for c in cells}
