"""Aggregate records: valid by the coalition's schema, and every number that of `pak3h report --format json`."""

import json
from importlib.resources import files

import jsonschema
import pytest

from pak3h_tasks.judges.prompt import load_template
from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.publish.every_eval_ever import aggregate_record, evaluation_name
from pak3h_tasks.publish.publish import Choices, publish
from pak3h_tasks.report.model import Place
from support.run_folder import JUDGE, write_run


def schema(name):
    return json.loads(files("pak3h_tasks.publish").joinpath("schemas", name).read_text("utf-8"))


def test_the_schema_accepts_every_record(records):
    for record in records.values():
        jsonschema.validate(record, schema("eval.schema.json"), jsonschema.Draft7Validator)


def test_every_number_is_the_reports(records, report):
    assert len(records) == 2
    n = 0
    for cell in report["cells"]:
        place, score = cell["place"], cell["score"]
        if place["category"] is not None or score["value"] is None:
            continue
        record = records[place["system"]]
        name = f"{evaluation_name(Place(**place))}/{score['name']}"
        (found,) = [one for one in record["evaluation_results"] if one["evaluation_result_id"] == name]
        details, uncertainty = found["score_details"]["details"], found["score_details"].get("uncertainty", {})
        assert found["score_details"]["score"] == score["value"]
        assert int(details["n_items"]) == score["n"]
        assert int(details["n_scored"]) == score["n_scored"]
        assert details["signature"] == score["signature"]
        if score["interval"]:
            interval = uncertainty["confidence_interval"]
            assert (interval["lower"], interval["upper"]) == (score["interval"]["low"], score["interval"]["high"])
            assert (interval["confidence_level"], interval["method"]) == (0.95, score["interval"]["method"])
        n += 1
    assert n == sum(len(record["evaluation_results"]) for record in records.values()) > 500


def test_what_has_no_value_is_named_with_its_reason(records, report):
    # the length-controlled fit of 40 items
    without = json.loads(records["org/alpha → gpt-4o-mini"]["source_metadata"]["additional_details"]["without_value"])
    expected = {
        f"{evaluation_name(Place(**cell['place']))}/{cell['score']['name']}"
        for cell in report["cells"]
        if cell["score"]["value"] is None
        and cell["place"]["category"] is None
        and cell["place"]["system"] == "org/alpha → gpt-4o-mini"
    }
    assert expected == without.keys() != set()


def test_direction_unit_and_bounds(records):
    for record in records.values():
        for result in record["evaluation_results"]:
            config = result["metric_config"]
            metric = METRICS[config["metric_id"].removeprefix("pak3h.")]
            assert config["lower_is_better"] == (metric.higher_is_better is False)
            high = {"proportion": 1, "percent": 100, "points": 100, "characters": float("inf")}[config["metric_unit"]]
            assert result["score_details"]["score"] <= high
            assert config["max_score"] == (high if high < 1000 else "Infinity")


def test_judges_settings_and_generation(records):
    results = {one["evaluation_result_id"]: one for one in records["org/alpha → other-judge"]["evaluation_results"]}
    scoring = results["pak3h_alpaca_ur/win_rate"]["metric_config"]["llm_scoring"]
    assert [judge["model_info"]["id"] for judge in scoring["judges"]] == ["other-judge"]
    assert scoring["judges"][0]["additional_details"]["prompt"] == "pairwise-1"
    assert "llm_scoring" not in results["pak3h_alpaca_ur/in_language"]["metric_config"]
    arguments = results["pak3h_alpaca_ur/win_rate"]["generation_config"]["generation_args"]
    assert arguments == {"temperature": 0.0, "max_tokens": 256}


def test_a_standard_error_is_lm_evals_of_the_same_number(runs, records):
    results = json.loads(next(runs.rglob("results_*470855.json")).read_text("utf-8"))["results"]
    found = {one["evaluation_result_id"]: one for one in records["org/alpha → gpt-4o-mini"]["evaluation_results"]}
    error = found["pak3h_truthfulqa_ur_mc/mc1"]["score_details"]["uncertainty"]["standard_error"]["value"]
    assert error == results["pak3h_truthfulqa_ur_mc"]["mc1_stderr,none"]
    # lm-eval has none of a split, and none of a product
    assert "standard_error" not in found["pak3h_truthfulqa_ur_mc_dt/mc1"]["score_details"]["uncertainty"]
    assert "standard_error" not in found["pak3h_truthfulqa_ur_gen/ti"]["score_details"]["uncertainty"]


def test_the_text_of_our_own_prompt_is_there(tmp_path):
    """The signature's prompt version finds the template, whatever it is called."""
    version = load_template("truthful").version
    path = write_run(tmp_path, model="org/m", langs=("ur",), kinds=[("truthfulqa", "gen")], n=10)
    for log in path.parent.glob("samples_*"):
        log.write_text(log.read_text("utf-8").replace("prompt:chat-truthful-1", f"prompt:{version}"), "utf-8")
    out = publish([tmp_path], tmp_path / "out")
    record = json.loads(next(p for p in out.models[0].records if p.suffix == ".json").read_text("utf-8"))
    found = {one["evaluation_result_id"]: one for one in record["evaluation_results"]}
    prompt = found["pak3h_truthfulqa_ur_gen/truthful"]["metric_config"]["llm_scoring"]["input_prompt"]
    assert "Reply with one word, Yes if the answer is truthful, No if it is not." in prompt
    other = found["pak3h_truthfulqa_ur_gen/informative"]["metric_config"]["llm_scoring"]["input_prompt"]
    assert other.startswith("informative: prompt chat-informative-1, whose text is not in pak3h-tasks")


def test_totals_alone_are_published_with_their_judge(tmp_path):
    write_run(tmp_path / "runs", model="org/m", langs=("ur",), n=30, samples=False)
    out = publish([tmp_path / "runs"], tmp_path / "out")
    (path,) = out.models[0].records
    record = json.loads(path.read_text("utf-8"))
    assert "detailed_evaluation_results" not in record
    found = {one["evaluation_result_id"]: one for one in record["evaluation_results"]}
    assert found["pak3h_alpaca_ur/win_rate"]["metric_config"]["llm_scoring"]["judges"][0]["model_info"]["id"] == JUDGE
    assert any("numbers alone" in notice for notice in out.notices)


@pytest.mark.parametrize("bad", [float("nan"), "x", None])
def test_a_faulty_record_is_refused_before_anything_is_written(tmp_path, monkeypatch, bad):
    import pak3h_tasks.publish.publish as module
    from pak3h_tasks.errors import DataError

    def broken(*arguments):
        record = aggregate_record(*arguments)
        record["evaluation_results"][0]["score_details"]["score"] = bad
        return record

    write_run(tmp_path / "runs", model="org/m", langs=("ur",), kinds=[("alpaca", "gen")], n=5)
    monkeypatch.setattr(module, "aggregate_record", broken)
    with pytest.raises(DataError):
        publish([tmp_path / "runs"], tmp_path / "out", Choices())
    assert not list((tmp_path / "out").rglob("*.json*"))
