"""PakBeaverTails with mixed labels and a shuffled Urdu file: data commands, whole and split runs, reports agree."""

import csv
import io
import json
import random

import pytest

from pak3h_tasks.cli.main import main
from pak3h_tasks.schema import SPLITS
from support.data_files import harmless, write_jsonl
from support.lm_eval_run import lm_eval
from support.tiny_classifier import make_classifier

pytestmark = pytest.mark.slow

# (prompts, labels of the pairs of each): 45 prompts, 99 pairs
PROMPTS = (
    (6, ("dt",)), (20, ("dt", "dt")), (2, ("dt", "lc")), (8, ("dt", "dt", "lc")),  # the split dt
    (2, ("lc", "lc")), (5, ("dt", "lc", "lc")), (1, ("lc", "lc", "li")),  # lc
    (1, ("li", "li", "dt")),  # li
)  # fmt: skip
WANTED = {"dt": 36, "lc": 8, "li": 1}
MIXED = 2 + 8 + 5 + 1 + 1
GENERATION = ("--batch_size", "16", "--gen_kwargs", "max_gen_toks=8")
WHOLE = [f"pak3h_beavertails_{lang}" for lang in ("en", "ur")]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    prompts = [labels for count, labels in PROMPTS for _ in range(count)]
    random.Random(1).shuffle(prompts)
    for lang, words in (("en", "Is number {} right?"), ("ur", "کیا نمبر {} ٹھیک ہے؟")):
        pairs = [(number, label) for number, labels in enumerate(prompts) for label in labels]
        rows = [
            harmless(id=f"b-{place}", prompt=words.format(number), response=f"{place}", localization=label)
            for place, (number, label) in enumerate(pairs, 1)
        ]
        assert len(rows) == 99
        if lang == "ur":
            random.Random(2).shuffle(rows)
        write_jsonl(folder / "beavertails" / f"{lang}.jsonl", rows)
    return folder


@pytest.fixture(scope="module")
def runs(data, environment, tiny_model, tmp_path_factory):
    """One run of the whole tasks and one of the split tasks, of the same model."""
    folder = tmp_path_factory.mktemp("runs")
    settings = {
        "PAK3H_DATA": str(data),
        "PAK3H_CLASSIFIER_THRESHOLD": "0.9",  # some above, some below
        "PAK3H_CLASSIFIER": str(make_classifier(folder / "classifier")),
        "PAK3H_CACHE_DIR": str(folder / "cache"),
    }
    splits = [f"{task}_{split}" for task in WHOLE for split in SPLITS]
    return {
        name: lm_eval(environment, folder / name, tiny_model, ",".join(tasks), *GENERATION, **settings)
        for name, tasks in (("whole", WHOLE), ("split", splits))
    }


def printed(*command, capsys):
    assert main([str(part) for part in command]) == 0
    return capsys.readouterr()


def rows_of(*command, capsys, source="measured"):
    text = printed(*command, "--format", "csv", capsys=capsys).out
    rows = csv.DictReader(io.StringIO(text))
    return [row for row in rows if row.get("source", source) == source]


def test_the_data_commands_count_the_same_prompts(data, capsys):
    found = json.loads(printed("data", "info", data, "--format", "json", capsys=capsys).out)["sets"]
    sets = [one for one in found if one["items"]]
    assert [one["lang"] for one in sets] == ["ur", "en"] or [one["lang"] for one in sets] == ["en", "ur"]
    for one in sets:
        assert (one["items"], one["prompts"], one["mixed_prompts"]) == (99, 45, MIXED)
        assert one["prompt_splits"] == WANTED
    said = printed("data", "validate", data, capsys=capsys).err
    assert said.count(f"in {MIXED} prompts") == 2
    assert "another id" not in said


def test_each_prompt_is_asked_once_in_whole_and_split_runs(runs):
    for lang in ("en", "ur"):
        whole = {row["doc"]["id"]: row["doc"]["prompt"] for row in runs["whole"].samples(f"pak3h_beavertails_{lang}")}
        assert len(whole) == 45
        asked = {}
        for split, count in WANTED.items():
            rows = runs["split"].samples(f"pak3h_beavertails_{lang}_{split}")
            assert len(rows) == count
            asked |= {row["doc"]["id"]: row["doc"]["prompt"] for row in rows}
        assert asked == whole


def test_split_runs_add_up_to_the_whole_run_in_lm_evals_results(runs):
    for task in WHOLE:
        whole = runs["whole"].results["results"][task]
        parts = {split: runs["split"].results["results"][f"{task}_{split}"] for split in WANTED}
        for metric in ("unsafe_rate,none", "avg_max_harm,none", "empty_rate,none", "coverage,none"):
            total = sum(WANTED[split] * parts[split][metric] for split in WANTED)
            assert total / 45 == pytest.approx(whole[metric], abs=1e-6), (task, metric)


def test_report_leaderboard_and_gap_agree(runs, capsys):
    fields = ("value", "low", "high", "n", "n_scored")

    def numbers(rows):
        return {
            (row["lang"], row.get("split", "all"), row["metric"]): [float(row[name] or "nan") for name in fields]
            for row in rows
            if row["value"] and not row.get("category")
        }

    reported = {name: numbers(rows_of("report", run.output, capsys=capsys)) for name, run in runs.items()}
    assert {(lang, split): found[3] for (lang, split, _), found in reported["whole"].items()} == {
        (lang, split): count for lang in ("en", "ur") for split, count in {"all": 45, **WANTED}.items()
    }
    assert reported["whole"].keys() == reported["split"].keys()
    for where, found in reported["whole"].items():
        assert reported["split"][where] == pytest.approx(found, abs=1e-6, nan_ok=True), where
    for name, run in runs.items():
        board = numbers(rows_of("leaderboard", run.output, capsys=capsys))
        assert board
        assert board == {where: pytest.approx(reported[name][where], nan_ok=True) for where in board}
        gaps = [row for row in rows_of("report", run.output, source="gap", capsys=capsys) if row["minus"] == "ur"]
        paired = {row["split"]: int(row["n"]) for row in gaps if row["metric"] == "avg_max_harm"}
        assert paired == {"all": 45, **WANTED}


def test_compare_finds_every_prompt_in_both_and_no_difference(runs, capsys):
    rows = rows_of("compare", runs["whole"].output, runs["split"].output, capsys=capsys, source="gap")
    harms = [row for row in rows if row["metric"] == "avg_max_harm"]
    assert {(row["lang"], row["split"]): int(row["n"]) for row in harms} == {
        (lang, split): count for lang in ("en", "ur") for split, count in {"all": 45, **WANTED}.items()
    }
    assert all(abs(float(row["value"])) < 1e-6 for row in harms)
