"""Runs and rows out of folders shaped as lm-eval 0.4.13 writes them."""

import json

import pytest

from pak3h_tasks.data.sample_log import find_runs, response
from pak3h_tasks.data.sample_log_names import LogName, TaskIdentity, identify, parse_log_name
from pak3h_tasks.errors import DataError

DATE, LATER = "2026-11-30T21-41-45.470855", "2026-12-01T08-00-00"
GEN, MC = "pak3h_truthfulqa_ur_gen", "pak3h_truthfulqa_ur_mc"


def doc(number, lang="ur"):
    return {"id": f"q-{number}", "localization": "dt", "lang": lang, "data": "sample@00000000", "question": "؟"}


def line(number):
    return json.dumps({"doc_id": number, "doc": doc(number), "resps": [["ہاں"]]}, ensure_ascii=False)


def results(model, *tasks):
    configs = {t: {"task": t} for t in tasks}
    return json.dumps(
        {"results": {t: {"mc1,none": 0.5, "alias": t} for t in tasks}, "configs": configs, "model_name": model}
    )


@pytest.fixture
def folder(tmp_path):
    model = tmp_path / "out" / "some__model"
    model.mkdir(parents=True)
    (model / f"results_{DATE}.json").write_text(results("some/model", GEN, MC, "hellaswag"))
    for task in (GEN, MC, "hellaswag"):
        (model / f"samples_{task}_{DATE}.jsonl").write_text(f"{line(0)}\n{line(1)}\n")
    return model


def test_a_run_has_its_results_and_only_our_tasks(folder):
    (run,) = find_runs([folder.parent])
    assert (run.model, run.date, run.scored, run.missing) == ("some/model", DATE, "", ())
    assert run.path == folder / f"results_{DATE}.json"
    assert sorted(run.tasks) == [GEN, MC]
    assert run.tasks[MC].identity == TaskIdentity("truthfulqa", "ur", "mc")
    assert [row["doc"]["id"] for row in run.tasks[GEN].rows()] == ["q-0", "q-1"]
    assert [response(row) for row in run.tasks[GEN].rows()] == ["ہاں", "ہاں"]
    assert run.metrics(MC) == {"mc1": 0.5}


def test_two_runs_and_a_scored_copy_in_one_folder_stay_apart(folder):
    (folder / f"results_{LATER}.json").write_text(results("some/model", GEN))
    (folder / f"samples_{GEN}_{LATER}.jsonl").write_text(line(0) + "\n")
    (folder / f"results_{DATE}_scored-gpt-4o.json").write_text(results("some/model", GEN))
    (folder / f"samples_{GEN}_{DATE}_scored-gpt-4o.jsonl").write_text(line(0) + "\n")
    runs = find_runs([folder])
    assert [(r.date, r.scored, sorted(r.tasks)) for r in runs] == [
        (DATE, "", [GEN, MC]),
        (DATE, "gpt-4o", [GEN]),
        (LATER, "", [GEN]),
    ]


def test_one_file_brings_its_other_half(folder):
    (folder / f"results_{LATER}.json").write_text(results("some/model", GEN))
    (run,) = find_runs([folder / f"samples_{GEN}_{DATE}.jsonl"])
    assert list(run.tasks) == [GEN]
    assert run.model == "some/model"
    (run,) = find_runs([folder / f"results_{DATE}.json"])
    assert sorted(run.tasks) == [GEN, MC]
    assert len(find_runs([folder / f"results_{DATE}.json", folder])) == 2  # the folder's other run too


def test_output_path_with_a_file_name(tmp_path):
    (tmp_path / f"mine_{DATE}.json").write_text(results("m", GEN))
    (tmp_path / f"samples_{GEN}_{DATE}.jsonl").write_text(line(0) + "\n")
    (run,) = find_runs([tmp_path])
    assert run.path == tmp_path / f"mine_{DATE}.json"
    assert list(run.tasks) == [GEN]


def test_results_without_samples_say_which_are_missing(folder):
    for path in folder.glob("samples_*"):
        path.unlink()
    (run,) = find_runs([folder])
    assert run.tasks == {}
    assert run.missing == (GEN, MC)


def test_a_spool_is_one_run_though_each_task_has_its_own_stamp(tmp_path):
    folder = tmp_path / "spool" / f"{DATE}_4711"
    folder.mkdir(parents=True)
    (folder / f"samples_{GEN}_{DATE}.jsonl").write_text(line(0) + "\n")
    (folder / f"samples_pak3h_alpaca_en_{LATER}.jsonl").write_text(line(0) + "\n")
    (run,) = find_runs([tmp_path])
    assert (run.path, run.model, run.results) == (None, f"{DATE}_4711", {})
    assert sorted(run.tasks) == ["pak3h_alpaca_en", GEN]
    (folder / f"samples_{GEN}_{LATER}.jsonl").write_text(line(1) + "\n")  # the same process ran it again
    assert [sorted(run.tasks) for run in find_runs([folder])] == [["pak3h_alpaca_en", GEN], [GEN]]


def test_a_cut_off_last_line_is_said_and_the_rest_used(folder):
    path = folder / f"samples_{GEN}_{DATE}.jsonl"
    path.write_bytes(path.read_bytes() + line(2).encode()[:-9])
    said = []
    (run,) = find_runs([folder])
    assert len(list(run.tasks[GEN].rows(said.append))) == 2
    assert len(said) == 1
    assert "line 3, the last, is cut off" in said[0]


def test_broken_and_foreign_rows_are_counted(folder):
    deep = "[" * 100_000
    other = [json.dumps({"doc": {"id": 4}}), "[1]", json.dumps({"doc": {**doc(1), "lang": "fr"}})]
    (folder / f"samples_{GEN}_{DATE}.jsonl").write_text("\n".join(["{", deep, "\x00\x00", *other, "", line(1), ""]))
    said = []
    (run,) = find_runs([folder])
    assert [row["doc"]["id"] for row in run.tasks[GEN].rows(said.append)] == ["q-1"]
    assert [text.split(": ", 1)[1] for text in said] == [
        "no JSON in line 1, 2, 3; left out",
        "3 rows are no Pak3H documents; left out",
    ]


def test_a_cut_off_results_file_leaves_the_samples(folder):
    path = folder / f"results_{DATE}.json"
    path.write_text(path.read_text()[:-20])
    said = []
    (run,) = find_runs([folder], said.append)
    assert (run.path, run.model, sorted(run.tasks)) == (None, "some__model", [GEN, MC])
    assert "not complete JSON" in said[0]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("absent", "no such file or folder"),
        ("empty", "no Pak3H results or samples"),
        ("notes.txt", "neither results_DATE"),
    ],
)
def test_nothing_to_use_is_one_line(tmp_path, name, said):
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(DataError, match=said) as caught:
        find_runs([tmp_path / name])
    assert "\n" not in str(caught.value)


def test_other_benchmarks_alone_are_nothing_of_ours(folder):
    for path in folder.iterdir():
        if "hellaswag" not in path.name:
            path.unlink()
    with pytest.raises(DataError, match="no Pak3H"):
        find_runs([folder])


def test_names():
    assert parse_log_name(f"results_{DATE}.json") == LogName(DATE, "", None)
    assert parse_log_name(f"samples_{GEN}_{LATER}_scored-a_b.c.jsonl") == LogName(LATER, "a_b.c", GEN)
    assert parse_log_name("config.json") is None
    assert identify("pak3h_alpaca_urmt_li", {}) == TaskIdentity("alpaca", "urmt", "gen", "li")
    assert identify("mine", {"dataset_kwargs": {"pak3h": {"dataset": "alpaca", "lang": "en"}}}) is not None
    assert identify("pak3h_alpaca_ur_x", {}) is None
