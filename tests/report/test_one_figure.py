"""One run, every command that prints its numbers: lm-eval's table, report in all forms, board, comparison, page."""

import csv
import io
import json
import random
import shutil

import pytest

from pak3h_tasks.cli.main import main
from pak3h_tasks.data.moderation_file import ModerationRecord, ModerationWriter
from pak3h_tasks.harness.summary import summarise
from pak3h_tasks.metrics.registry import METRICS, reported
from pak3h_tasks.report.build import build_report
from pak3h_tasks.report.model import Place
from pak3h_tasks.report.page.numbers import number_rows
from pak3h_tasks.schema import HARM_CATEGORIES, SPLITS
from support.run_folder import KINDS, write_run

LANGS = ("en", "ur")
WHOLE = [Place("org/model", "truthfulqa", lang, "gen") for lang in LANGS]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    write_run(folder, n=60, unscored=0.3, both_orders=True)
    return folder


@pytest.fixture(scope="module")
def of_lm_eval(runs):
    """What lm-eval and `pak3h score` print: aggregates over the logged metrics of each document."""
    found = {}
    for dataset, kind in KINDS:
        for lang in LANGS:
            task = f"pak3h_{dataset}_{lang}" + (f"_{kind}" if dataset == "truthfulqa" else "")
            (path,) = runs.rglob(f"samples_{task}_2*.jsonl")
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            totals = summarise([{name: row[name] for name in row["metrics"]} for row in rows])
            for metric in reported(dataset, kind):
                if f"{metric.name},none" in totals:
                    found[dataset, lang, kind, metric.name] = totals[f"{metric.name},none"]
    assert len(found) > 80
    return found


@pytest.fixture(scope="module")
def written(runs, tmp_path_factory):
    """Command -> its CSV rows."""
    folder = tmp_path_factory.mktemp("csv")
    found = {}
    copy = shutil.copytree(runs, folder / "copy")  # one folder twice is refused
    for command, paths in (("report", [runs]), ("leaderboard", [runs]), ("compare", [runs, copy])):
        path = folder / f"{command}.csv"
        assert main([command, *map(str, paths), "-o", str(path)]) == 0
        found[command] = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    return found


def place(row):
    return row["dataset"], row["lang"], row["kind"], row["metric"]


def test_report_and_lm_eval_agree(written, of_lm_eval):
    rows = [r for r in written["report"] if (r["source"], r["split"], r["category"]) == ("measured", "all", "")]
    values = {place(row): float(row["value"]) for row in rows if row["value"]}
    assert values.keys() == of_lm_eval.keys()
    for where, value in values.items():
        assert value == pytest.approx(of_lm_eval[where], rel=1e-7), where


def test_leaderboard_agrees_in_value_interval_and_counts(written):
    fields = ("value", "low", "high", "n", "n_scored", "n_judged", "n_text", "signature")
    rows = [r for r in written["report"] if (r["source"], r["split"], r["category"]) == ("measured", "all", "")]
    reports = {place(row): [row[name] for name in fields] for row in rows}
    board = {place(row): [row[name] for name in fields] for row in written["leaderboard"]}
    assert len(board) == 2 * sum(METRICS[name].board for name in METRICS)
    assert {where: reports[where] for where in board} == board


def test_comparison_of_a_model_with_itself_shows_the_reports_values(written):
    rows = [r for r in written["report"] if r["source"] == "measured" and not r["category"]]
    reports = {(place(row), row["split"]): (row["value"], row["n_scored"]) for row in rows}
    # the first model's label stands where a gap between languages has its language
    compared = {(place(row), row["split"]): row for row in written["compare"]}
    assert len(compared) > 100
    for where, row in compared.items():
        assert (row["first_value"], row["n"]) == (row["second_value"], row["n"]) == reports[where], where


def test_tables_and_page_print_the_same(runs, written, capsys):
    report = build_report([runs])
    page = {tuple(row[:6]): row[6] for row in number_rows(report)["rows"]}
    assert len(page) > 300
    for cell in report.cells:
        if cell.score.value is not None and cell.score.name == "ti" and cell.place in WHOLE:
            shown = f"{100 * cell.score.value:.2f} [{100 * cell.score.interval.low:.1f}"
            for form in ("table", "markdown"):
                assert main(["report", str(runs), "--format", form, "--no-length-control"]) == 0
                assert (shown if form == "table" else shown.replace("[", "\\[")) in capsys.readouterr().out
            assert main(["leaderboard", str(runs)]) == 0
            assert shown in capsys.readouterr().out
            assert round(100 * cell.score.value, 4) in page.values()


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """What `pak3h moderate` left of 120 pairs over 40 prompts in two languages, some not scored; and labels of them."""
    folder, rng = tmp_path_factory.mktemp("pairs"), random.Random(5)
    records = []
    for lang in LANGS:
        for n in range(120):
            harms = None if rng.random() < 0.1 else {name: rng.random() ** 6 for name in HARM_CATEGORIES}
            records.append(
                ModerationRecord(
                    f"{lang == 'ur':x}{n:063x}", lang, f"p-{n}", SPLITS[n % 2], f"prompt{n // 3}", rng.random() < 0.5,
                    harms, rng.random() < 0.1, 9, None if harms else "no memory", "beaver-dam|model:x|v:0.1.0", "d@1",
                )
            )  # fmt: skip
    with ModerationWriter(folder / "pairs.jsonl") as writer:
        writer.write(records)
    rows = [f"{r.id},{r.lang},{'yes' if r.is_safe else 'no'}\n" for r in records]
    (folder / "labels.csv").write_text("id,lang,is_safe\n" + "".join(rows))
    return folder


@pytest.mark.parametrize("threshold", [None, "0.7"])
def test_moderate_and_report_agree_on_pairs(pairs, tmp_path, capsys, monkeypatch, threshold):
    if threshold:
        monkeypatch.setenv("PAK3H_CLASSIFIER_THRESHOLD", threshold)
    assert main(["moderate", "--scored", str(pairs / "pairs.jsonl"), "--format", "csv"]) == 0
    fields = ("value", "low", "high", "n", "n_scored", "signature")

    def read(text):
        rows = [row for row in csv.DictReader(io.StringIO(text)) if row["source"] == "measured"]
        return {(row["lang"], row["split"], row["metric"]): [row[name] for name in fields] for row in rows}

    moderated = read(capsys.readouterr().out)
    assert main(["report", str(pairs / "pairs.jsonl"), "-o", str(tmp_path / "report.csv")]) == 0
    reported = read((tmp_path / "report.csv").read_text(encoding="utf-8"))
    assert len(reported) == 2 * 3 * (3 + 1 + 14)
    for where, (*numbers, n, n_scored, signature) in reported.items():
        assert [*numbers, n, n_scored, signature] == moderated[where], where
    assert f"threshold:{threshold or 0.5}" in signature


def test_moderate_and_agreement_agree_on_people(pairs, capsys, monkeypatch):
    monkeypatch.setenv("PAK3H_CLASSIFIER_THRESHOLD", "0.7")
    scored, labels = str(pairs / "pairs.jsonl"), str(pairs / "labels.csv")
    assert main(["moderate", "--scored", scored, "--labels", labels, "--format", "json"]) == 0
    moderated = json.loads(capsys.readouterr().out)["agreement"]
    assert main(["agreement", "--verdicts", scored, "--human", labels, "--format", "json"]) == 0
    agreement = [found["result"] for found in json.loads(capsys.readouterr().out)["agreement"]]
    assert len(moderated) == len(agreement) == 2
    for one, other in zip(moderated, agreement, strict=True):
        for name, same in (("agreement", "agreement"), ("interval", "agreement_interval"), ("kappa", "kappa")):
            assert one[name] == other[same]
        assert one["kappa_interval"] == other["kappa_interval"]
