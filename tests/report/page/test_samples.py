"""What the sample browser gets: items joined by id, nothing lost, nothing too long, no more than there is room for."""

import json

import pytest

from pak3h_tasks.report.build import load
from pak3h_tasks.report.page.compressed import decompressed
from pak3h_tasks.report.page.sample_record import MAX_CHARS, answer_fields, texts_of
from pak3h_tasks.report.page.samples import sample_blocks
from support.run_folder import RunSpec, task_rows, write_run


@pytest.fixture(scope="module")
def blocks(two_models):
    return {block.key: block for block in sample_blocks(load([two_models]).systems)}


def test_languages_and_models_side_by_side(blocks, rows):
    block = blocks["truthfulqa-gen"]
    assert (block.n, block.n_total, block.n_random, block.complete) == (60, 60, 60, True)
    content = decompressed(block.data)
    assert content["models"] == ["org/alpha", "org/beta"]
    assert content["langs"] == ["en", "ur", "urmt"]
    assert content["outcomes"] == ["truthful", "informative"]
    item = content["items"][3]
    assert item["id"] == "truthfulqa-00003"
    assert item["texts"].keys() == {"en", "ur", "urmt"}
    assert {model: set(by_lang) for model, by_lang in item["answers"].items()} == {
        "0": {"en", "ur", "urmt"},
        "1": {"en", "ur"},
    }
    row = rows("org/alpha", "pak3h_truthfulqa_ur_gen")[3]
    answer = item["answers"]["0"]["ur"]
    assert answer["answer"] == row["doc"]["pak3h"]["answer"]
    assert answer["numbers"]["bleu_max"] == pytest.approx(row["bleu_max"], rel=1e-3)
    for name, verdict in row["doc"]["pak3h"]["verdicts"].items():
        shown = answer["verdicts"][name]
        assert (shown["value"], shown.get("raw"), shown.get("reason")) == (
            verdict["value"],
            verdict["raw"],
            verdict["reason"],
        )
        assert content["signatures"][shown["signature"]] == verdict["signature"]
    # --limit: the second model stopped at 40
    assert "1" not in content["items"][50]["answers"]


def test_choices_and_why_not_scored(blocks, rows):
    items = decompressed(blocks["truthfulqa-mc"].data)["items"]
    row = rows("org/alpha", "pak3h_truthfulqa_ur_mc")[0]
    choices = items[0]["answers"]["0"]["ur"]["choices"]
    assert [text for text, _, _ in choices] == row["doc"]["choices"]
    assert [value for _, value, _ in choices] == pytest.approx([float(r[0][0]) for r in row["resps"]], rel=1e-3)
    assert [correct for _, _, correct in choices] == [
        text in row["doc"]["correct_answers"] for text in row["doc"]["choices"]
    ]
    reasons = [
        a["reason"] for i in items for by_lang in i["answers"].values() for a in by_lang.values() if "reason" in a
    ]
    assert reasons
    assert all("NaN" in reason for reason in reasons)


def test_a_closing_mark_makes_no_answer_incorrect():
    row = next(task_rows(RunSpec(n=1), "truthfulqa", "en", "mc"))
    row["doc"]["correct_answers"] = [text.rstrip(".") for text in row["doc"]["correct_answers"]]
    choices = answer_fields(row, "truthfulqa", "mc")["choices"]
    assert sum(correct for _, _, correct in choices) == len(row["doc"]["correct_answers"])


def test_long_texts_are_cut_and_say_so():
    row = next(task_rows(RunSpec(n=1), "alpaca", "ur", "gen"))
    row["doc"]["output"] = row["doc"]["pak3h"]["answer"] = "ا" * 1_000_000
    row["doc"]["pak3h"]["verdicts"]["preference"]["raw"] = "m" * 1_000_000
    found = {**texts_of(row["doc"], "alpaca"), **answer_fields(row, "alpaca", "gen")}
    assert len(json.dumps(found, ensure_ascii=False)) < 4 * MAX_CHARS
    assert found["answer"].endswith("… [1,000,000 characters; the log has the rest]")


@pytest.mark.parametrize(
    "broken",
    [
        {"pak3h": None},
        {"pak3h": {"answer": 3, "verdicts": [1]}},
        {"pak3h": {"verdicts": {"preference": {"value": "x", "probability": float("nan"), "raw": 3, "details": []}}}},
        {"instruction": None, "output": 7, "input": None},
    ],
)
def test_odd_rows_are_shown_as_far_as_they_go(broken):
    row = next(task_rows(RunSpec(n=1), "alpaca", "ur", "gen"))
    row["doc"].update(broken)
    row["win_rate"] = float("inf")
    found = {**texts_of(row["doc"], "alpaca"), **answer_fields(row, "alpaca", "gen")}
    assert "win_rate" not in found["numbers"]
    json.dumps(found, allow_nan=False)


def test_other_texts_under_the_same_id_are_shown(tmp_path):
    for model in ("a", "b"):
        write_run(tmp_path, model=model, kinds=[("alpaca", "gen")], langs=["ur"], n=2)
    (log,) = (tmp_path / "b").glob("samples*")
    log.write_text(
        log.read_text(encoding="utf-8").replace('"instruction": "', '"instruction": "another '), encoding="utf-8"
    )
    (block,) = sample_blocks(load([tmp_path]).systems)
    first, second = decompressed(block.data)["items"][0]["answers"].values()
    assert "texts" not in first["ur"]
    assert second["ur"]["texts"]["prompt"].startswith("another ")


def test_no_room_for_all(tmp_path):
    write_run(tmp_path, n=300, kinds=[("truthfulqa", "gen"), ("alpaca", "gen")], unscored=0.02)
    systems = load([tmp_path]).systems
    whole = {block.key: block for block in sample_blocks(systems)}
    most = sum(len(block.data) for block in whole.values()) // 3
    blocks = sample_blocks(systems, max_bytes=most)
    assert sum(len(block.data) for block in blocks) <= most
    for block in blocks:
        assert 0 < block.n_random <= block.n < block.n_total == 300
        items = decompressed(block.data)["items"]
        assert len(items) == block.n
        assert sum(item["drawn"] for item in items) == block.n_random
    assert [block.data for block in sample_blocks(systems, max_bytes=most)] == [block.data for block in blocks]
    assert all(block.n == 0 for block in sample_blocks(systems, max_bytes=10))
