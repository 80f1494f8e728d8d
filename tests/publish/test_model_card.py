"""Card and `.eval_results` load back with huggingface_hub and give the report's numbers; a card of old is kept."""

import pytest
import yaml
from huggingface_hub import ModelCard, parse_eval_result_entries

from pak3h_tasks.errors import DataError
from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.publish.publish import Choices, publish
from support.run_folder import write_run

FIRST = "org/alpha → gpt-4o-mini"


def cells(report, system, board=False):
    found = {}
    for cell in report["cells"]:
        place, score = cell["place"], cell["score"]
        metric = METRICS[score["name"]]
        if place["system"] != system or place["category"] is not None or score["value"] is None:
            continue
        if (metric.board and place["split"] == "all") if board else metric.headline:
            found[place["dataset"], place["lang"], place["split"], score["name"]] = score
    return found


def test_model_index_gives_the_reports_numbers(published, report):
    card = ModelCard.load(published.models[0].card)
    expected = cells(report, FIRST)
    found = {
        (
            *one.dataset_config.split("_"),
            {"test": "all"}.get(one.dataset_split, one.dataset_split),
            one.metric_type,
        ): one
        for one in card.data.eval_results
        if one.metric_config is None
    }
    assert found.keys() == expected.keys()
    for key, one in found.items():
        assert one.metric_value == expected[key]["value"]
        assert (one.metric_args["n"], one.metric_args["n_scored"]) == (expected[key]["n"], expected[key]["n_scored"])
        assert one.metric_args["low"] == expected[key]["interval"]["low"]
        assert one.dataset_type == "org/pak3h"
        assert "(fraction from 0 to 1)" in one.metric_name
    # the other judge's numbers are there, too, and say whose they are
    others = [one for one in card.data.eval_results if one.metric_config is not None]
    assert {one.metric_args["notes"] for one in others} == {"org/alpha → other-judge"}


def test_eval_results_give_the_reports_numbers(published, report):
    files = sorted(published.models[0].eval_results)
    assert files[0].name == "pak3h.yaml"
    for file, system in zip(files, (FIRST, "org/alpha → other-judge"), strict=True):
        entries = parse_eval_result_entries(yaml.safe_load(file.read_text("utf-8")))
        expected = {
            f"{dataset}_{lang}_{name}": score["value"]
            for (dataset, lang, _, name), score in cells(report, system, board=True).items()
        }
        assert {entry.task_id: entry.value for entry in entries} == expected
        assert {entry.dataset_id for entry in entries} == {"org/pak3h"}
        assert {entry.date for entry in entries} == {"2026-11-30T21:41:45Z"}
        assert {entry.notes for entry in entries} == {None if file is files[0] else system}


@pytest.fixture
def runs_of_one(tmp_path):
    write_run(tmp_path / "runs", model="org/m", langs=("ur",), kinds=[("alpaca", "gen")], n=10)
    return tmp_path / "runs"


def test_a_card_that_is_there_keeps_its_text_and_other_results(runs_of_one, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "README.md").write_text(
        "---\nlicense: mit\nmodel-index:\n- name: mine\n  results:\n  - task: {type: x}\n"
        "    dataset: {type: other, name: Other}\n    metrics: [{type: acc, value: 0.5}]\n---\n# Mine\n\nاپنا متن\n",
        "utf-8",
    )
    for _ in range(2):  # the second time nothing is doubled
        publish([runs_of_one], out)
        card = ModelCard.load(out / "README.md")
        assert card.data.license == "mit"
        assert card.data.model_name == "mine"
        assert "# Mine\n\nاپنا متن\n" in card.text
        assert card.text.count("## Pak3H") == 1
        assert [one.metric_value for one in card.data.eval_results if one.dataset_type == "other"] == [0.5]
        n = len(card.data.eval_results)
    assert n == 1 + 2 * 4  # win_rate and discrete_win_rate, over all items and three splits


def test_a_broken_card_is_one_line_and_stays(runs_of_one, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "README.md").write_text("---\nmodel-index: [{a: 1}]\n---\n", "utf-8")
    with pytest.raises(DataError, match="mend its metadata"):
        publish([runs_of_one], out, Choices())
    assert (out / "README.md").read_text("utf-8") == "---\nmodel-index: [{a: 1}]\n---\n"
