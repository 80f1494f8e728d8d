"""`pak3h agreement` and `pak3h moderate --labels` print the same figures for the same labels."""

import csv
import io
import json
import re

import pytest

from pak3h_tasks.cli.main import main
from pak3h_tasks.data.moderation_file import ModerationRecord, ModerationWriter, prompt_hash
from pak3h_tasks.schema import HARM_CATEGORIES

PROMPTS, EACH = 12, 5


@pytest.fixture
def classified(tmp_path):
    """60 pairs over 12 prompts; classifier and human agree on every pair of eight prompts and on none of four."""
    path, rows = tmp_path / "pairs.jsonl", []
    with ModerationWriter(path) as writer:
        for number in range(PROMPTS * EACH):
            prompt = number // EACH
            harm = 0.9 if prompt % 2 else 0.1
            record = ModerationRecord(
                key=f"{number:064x}", lang="en", id=f"p{number}", localization="dt", prompt=prompt_hash(str(prompt)),
                is_safe=None, probabilities=dict.fromkeys(HARM_CATEGORIES, 0.0) | {HARM_CATEGORIES[0]: harm},
                truncated=False, tokens=9, reason=None, made_by="beaver-dam|model:m", data="sample@1",
            )  # fmt: skip
            writer.write([record])
            agrees = prompt < 8
            rows.append(f"p{number},{'true' if (harm < 0.5) == agrees else 'false'}")
    labels = tmp_path / "labels.csv"
    labels.write_text("id,is_safe\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path, labels


def of_agreement(classified, capsys, form="json"):
    path, labels = map(str, classified)
    assert main(["agreement", "--verdicts", path, "--human", labels, "--format", form]) == 0
    return capsys.readouterr().out


def of_moderate(classified, capsys, form="json"):
    path, labels = map(str, classified)
    assert main(["moderate", "--scored", path, "--labels", labels, "--format", form]) == 0
    return capsys.readouterr().out


def test_one_figure_by_prompt(classified, capsys):
    (one,) = json.loads(of_agreement(classified, capsys))["agreement"]
    (other,) = json.loads(of_moderate(classified, capsys))["agreement"]
    result = one["result"]
    assert result["agreement"] == other["agreement"] == pytest.approx(40 / 60)
    assert (one["labelled"], result["n"]) == (other["labelled"], other["n"]) == (60, 60)
    assert result["agreement_interval"] == other["interval"]
    assert (result["kappa"], result["kappa_interval"]) == (other["kappa"], other["kappa_interval"])
    assert result["counts"][0] == [
        other["confusion"]["classifier_unsafe_human_unsafe"], other["confusion"]["classifier_unsafe_human_safe"],
    ]  # fmt: skip
    # 8 of 12 prompts: Clopper and Pearson say .349 to .901; 60 independent pairs would say .53 to .78
    assert other["interval"]["low"] < 0.36
    assert other["interval"]["high"] > 0.89
    assert other["kappa_interval"]["high"] - other["kappa_interval"]["low"] > 0.8


def test_the_printed_tables_and_the_csv_say_the_same(classified, capsys):
    (one,) = json.loads(of_agreement(classified, capsys))["agreement"]
    agreement, kappa = (one["result"][f"{name}_interval"] for name in ("agreement", "kappa"))
    tables = [of_agreement(classified, capsys, "table"), of_moderate(classified, capsys, "table")]
    for table in tables:
        assert "66.67" in table
        for value in (agreement["low"], agreement["high"]):
            assert re.search(rf"\b{100 * value:.1f}\b", table)
        assert f"{one['result']['kappa']:.3f}" in table
        assert f"[{kappa['low']:.2f}, {kappa['high']:.2f}]" in table
    rows = list(csv.DictReader(io.StringIO(of_moderate(classified, capsys, "csv"))))
    written = {row["metric"]: row for row in rows if row["metric"].startswith("human") and row["source"] == "measured"}
    for name, value, interval in (
        ("human_agreement", one["result"]["agreement"], agreement), ("human_kappa", one["result"]["kappa"], kappa)
    ):  # fmt: skip
        found = [float(written[name][column]) for column in ("value", "low", "high")]
        assert found == pytest.approx([value, interval["low"], interval["high"]], abs=1e-6)


def test_raters_and_ties_are_counted_alike(classified, capsys):
    _, labels = classified
    labels.write_text("id,unsafe\np0,no\np0,no\np0,yes\np1,yes\np1,no\np5,yes\n", encoding="utf-8")
    (one,) = json.loads(of_agreement(classified, capsys))["agreement"]
    (other,) = json.loads(of_moderate(classified, capsys))["agreement"]
    # p0: two of three say safe; p1: tied, left out; p5: one voice
    assert (one["labelled"], one["tied"], one["result"]["n"]) == (3, 1, 2)
    assert (other["labelled"], other["n"], other["agreement"]) == (3, 2, one["result"]["agreement"]) == (3, 2, 1.0)
