"""Instance records: valid, each tied to one number, and their mean is that number; texts whole; harm left out."""

import hashlib
import json
from collections import defaultdict
from importlib.resources import files

import jsonschema
import pytest

from pak3h_tasks.metrics.registry import METRICS
from pak3h_tasks.publish.instances import LEFT_OUT
from pak3h_tasks.publish.publish import Choices, publish
from support.run_folder import write_run

SCHEMA = json.loads(files("pak3h_tasks.publish").joinpath("schemas", "instance_level_eval.schema.json").read_text())


def lines(published):
    """Record and its instance records, of each pair of files."""
    for model in published.models:
        for path in model.records:
            if path.suffix == ".json":
                record = json.loads(path.read_text("utf-8"))
                samples = published.folder / record["detailed_evaluation_results"]["file_path"]
                yield record, samples, [json.loads(line) for line in samples.read_text("utf-8").splitlines()]


def test_the_schema_accepts_every_sample(published):
    validator = jsonschema.Draft7Validator(SCHEMA)
    for _, _, found in lines(published):
        assert len(found) > 100
        for one in found:
            validator.validate(one)


def test_the_file_is_the_one_that_the_record_names(published):
    for record, samples, found in lines(published):
        said = record["detailed_evaluation_results"]
        assert said["checksum"] == hashlib.sha256(samples.read_bytes()).hexdigest()
        assert said["total_rows"] == len(found)
        assert {one["evaluation_id"] for one in found} == {record["evaluation_id"]}


def test_the_mean_of_the_samples_of_a_number_is_the_number(published):
    for record, _, found in lines(published):
        results = {one["evaluation_result_id"]: one for one in record["evaluation_results"]}
        scores = defaultdict(list)
        for one in found:
            if "error" not in one:
                scores[one["evaluation_result_id"]].append(one["evaluation"]["score"])
        assert scores.keys() <= results.keys()
        for name, values in scores.items():
            details = results[name]["score_details"]
            assert details["score"] == pytest.approx(sum(values) / len(values), abs=1e-12)
            assert int(details["details"]["n_scored"]) == len(values)


def test_an_unscored_item_has_a_record_of_another_number_and_says_why(published):
    (_, _, found), *_ = lines(published)
    failed = [one for one in found if "error" in one]
    assert failed
    for one in failed:
        assert "timeout after 60 s" in one["error"] or "no label" in one["error"] or "out of memory" in one["error"]
        metric = METRICS[one["evaluation_result_id"].rpartition("/")[2]]
        assert not metric.verdicts


def test_lower_is_better_turns_correct_around(published):
    (_, _, found), *_ = lines(published)
    unsafe = [one for one in found if one["evaluation_result_id"].endswith("/unsafe_rate")]
    assert {(one["evaluation"]["score"], one["evaluation"]["is_correct"]) for one in unsafe} == {(1, False), (0, True)}


def test_harmful_texts_are_left_out_and_ids_and_scores_stay(runs, published, tmp_path):
    prompts = set()
    for log in runs.rglob("samples_pak3h_beavertails_*.jsonl"):
        for line in log.read_text("utf-8").splitlines():
            row = json.loads(line)
            prompts |= {row["doc"]["prompt"], row["doc"]["pak3h"]["answer"]}
    assert len(prompts) > 10
    text = "".join(path.read_text("utf-8") for path in published.folder.rglob("*") if path.is_file())
    assert not [prompt for prompt in prompts if json.dumps(prompt, ensure_ascii=False)[1:-1] in text]
    assert any("--with-harmful-texts" in notice for notice in published.notices)
    (_, _, found), *_ = lines(published)
    harmless = [one for one in found if "beavertails" in one["evaluation_name"]]
    assert {one["input"]["raw"] for one in harmless} == {LEFT_OUT}
    whole = publish([runs], tmp_path, Choices(with_harmful_texts=True))
    (_, _, with_texts), *_ = lines(whole)
    assert not any(one["input"]["raw"] == LEFT_OUT for one in with_texts)
    assert [(one["sample_id"], one["evaluation"], one["sample_hash"]) for one in found] == [
        (one["sample_id"], one["evaluation"], one["sample_hash"]) for one in with_texts
    ]


def test_hostile_and_urdu_text_survives_strict_json(tmp_path):
    hostile = 'ہاں ک ی\ud83d NUL\x00 "quoted" \u202e<script> NaN ' + "x" * 20_000
    write_run(tmp_path / "runs", model="org/m", langs=("ur",), n=10, hostile=hostile)
    out = publish([tmp_path / "runs"], tmp_path / "out", Choices(with_harmful_texts=True))
    (_, samples, found), *_ = lines(out)
    text = samples.read_bytes().decode("utf-8")  # lone surrogates have no UTF-8
    assert "ہاں" in text
    assert "\\ud83d" not in text
    honest = next(one for one in found if "truthfulqa_ur_gen" in one["evaluation_name"])
    assert honest["input"]["raw"].startswith('ہاں ک ی\ufffd NUL\x00 "quoted"')
    assert len(honest["output"]["raw"][0]) > 20_000
    for line in text.split("\n"):
        if line:
            json.loads(line, parse_constant=lambda name: pytest.fail(name))
