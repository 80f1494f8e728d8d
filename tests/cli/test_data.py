import csv
import json

import pytest

from pak3h_tasks.cli.main import main
from pak3h_tasks.data import sources
from support.data_files import ABSENT, harmless, helpful, honest, write_jsonl
from support.truthfulqa_csv import truthfulqa_csv


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("PAK3H_DATA", raising=False)
    root = tmp_path / "mine"
    for lang in ("en", "ur"):
        rows = [honest(1), honest(2, localization="li")]
        if lang == "en":
            rows = [{**row, "question": f"What is {row['id']}?"} for row in rows]
        write_jsonl(root / "truthfulqa" / f"{lang}.jsonl", rows)
        write_jsonl(root / "beavertails" / f"{lang}.jsonl", [harmless(1), harmless(2), harmless(3, prompt="اور یہ؟")])
    return root


def run(capsys, *words):
    status = main(["data", *map(str, words)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err.splitlines()


def test_info_counts_and_fingerprints(folder, capsys):
    status, out, err = run(capsys, "info", folder, "--format", "json")
    report = json.loads(out)
    assert (status, err) == (0, [])
    assert (report["source"], report["is_sample"], len(report["sets"])) == (str(folder), False, 9)
    sets = {(one["dataset"], one["lang"]): one for one in report["sets"]}
    found = sets["truthfulqa", "ur"]
    assert [found[name] for name in ("status", "items", "dt", "lc", "li", "prompts")] == ["ok", 2, 1, 0, 1, None]
    assert found["short"] == f"mine@{found['fingerprint'][:8]}"
    assert sets["beavertails", "ur"]["prompts"] == 2
    assert sets["alpaca", "en"]["status"] == "missing"


def test_info_says_what_answering_without_a_model_scores(folder, capsys):
    longer = {
        "best_answer": "بہت لمبا جواب",
        "correct_answers": ["بہت لمبا جواب"],
        "incorrect_answers": ["نہیں", "ہاں جی"],
    }
    write_jsonl(folder / "truthfulqa" / "en.jsonl", [honest(1, incorrect_answers=["x"]), honest(2, **longer)])
    out = run(capsys, "info", folder, "--format", "json")[1]
    sets = {(one["dataset"], one["lang"]): one for one in json.loads(out)["sets"]}
    found = sets["truthfulqa", "en"]["baselines"]
    # two correct and one wrong answer, then one and two: (1/2 + 1/3)/2 come first, (2/3 + 1/3)/2 of the mass
    assert found["chance"] == pytest.approx({"mc1": 5 / 12, "mc2": 1 / 2, "mc3": 5 / 12})
    assert found["shortest"] == {"mc1": 0, "mc2": 0, "mc3": 0}
    assert found["longest"] == {"mc1": 1, "mc2": 1, "mc3": 1}
    assert sets["beavertails", "ur"]["baselines"] is None
    line = "MC1 without a model, truthfulqa en: chance 41.67, shortest 0.00, longest 100.00"
    assert line in run(capsys, "info", folder)[1].splitlines()


def test_info_table(folder, capsys):
    _, out, _ = run(capsys, "info", folder)
    lines = out.splitlines()
    assert lines[0] == f"source: {folder}"
    assert lines[2].split() == ["dataset", "lang", "status", "items", "dt", "lc", "li", "prompts", "fingerprint"]
    assert lines[3].split()[:8] == ["truthfulqa", "ur", "ok", "2", "1", "0", "1", "-"]
    assert len(lines) == 14


def test_the_sample_is_the_default_and_says_so(folder, capsys, monkeypatch):
    monkeypatch.setattr(sources, "sample_dir", lambda: folder)
    status, out, err = run(capsys, "info")
    assert (status, out.splitlines()[0]) == (0, "source: the embedded sample")
    assert len(err) == 1
    assert "NOT comparable" in err[0]


def test_pak3h_data_comes_before_the_sample_and_an_argument_before_both(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PAK3H_DATA", str(folder))
    assert run(capsys, "info")[1].startswith(f"source: {folder}\n")
    write_jsonl(tmp_path / "other" / "alpaca" / "ur.jsonl", [helpful(1)])
    assert run(capsys, "info", tmp_path / "other")[1].startswith(f"source: {tmp_path / 'other'}\n")


def test_validate_good_data(folder, capsys):
    status, out, err = run(capsys, "validate", folder)
    assert status == 0
    assert [line.split()[:6] for line in out.splitlines()[1:]] == [
        ["truthfulqa", "ur", "ok", "2", "0", "0"],
        ["truthfulqa", "en", "ok", "2", "0", "0"],
        ["beavertails", "ur", "ok", "3", "0", "0"],
        ["beavertails", "en", "ok", "3", "0", "0"],
    ]
    assert err == [f"pak3h: note: no alpaca in {folder}"]


def test_validate_lists_every_fault_of_every_file_and_exits_1(folder, capsys):
    write_jsonl(folder / "truthfulqa" / "ur.jsonl", [honest(1, best_answer=ABSENT), honest(2, correct_answers=[])])
    (folder / "beavertails" / "ur.jsonl").write_text("[]")
    (folder / "beavertails" / "en.jsonl").unlink()
    status, out, err = run(capsys, "validate", folder, "--format", "json")
    assert status == 1
    report = {(one["dataset"], one["lang"]): one for one in json.loads(out)["files"]}
    assert report["truthfulqa", "ur"]["faults"] == [
        "truthfulqa/ur.jsonl line 1: 'best_answer' is missing; give it",
        "truthfulqa/ur.jsonl line 2: 'correct_answers' is empty; give at least one",
    ]
    assert report["truthfulqa", "en"]["status"] == "ok"
    faults = [fault for one in report.values() for fault in one["faults"]]
    assert [line for line in err if "error" in line] == [f"pak3h: error: {fault}" for fault in faults]
    assert any("beavertails/ur.jsonl: is one JSON array" in fault for fault in faults)
    assert any("beavertails/en.jsonl: no such file" in fault for fault in faults)


def test_validate_warns_about_pairs_and_strays(folder, capsys):
    write_jsonl(folder / "truthfulqa" / "ur.jsonl", [honest(1), honest(3)])
    write_jsonl(folder / "truthfulqa" / "urdu.jsonl", [honest(1)])
    status, _, err = run(capsys, "validate", folder)
    assert status == 0
    assert (
        "pak3h: warning: truthfulqa: ur and en do not pair: 1 ids are only in ur ('h3') and 1 ids are only in en ('h2')"
        in err
    )
    assert (
        "pak3h: warning: truthfulqa/urdu.jsonl is not read; data files are DATASET/LANG.jsonl with ur, en, urmt" in err
    )


def test_validate_one_language_or_dataset(folder, capsys):
    (folder / "truthfulqa" / "en.jsonl").unlink()
    assert run(capsys, "validate", folder)[0] == 1
    assert run(capsys, "validate", folder, "--lang", "ur")[0] == 0
    assert run(capsys, "validate", folder, "--dataset", "beavertails")[0] == 0
    status, _, err = run(capsys, "validate", folder, "--dataset", "alpaca", "--lang", "urmt")
    assert status == 1
    assert err[0].startswith("pak3h: error: alpaca/urmt.jsonl: no such file")


def test_validate_a_single_file(folder, tmp_path, capsys):
    status, out, _ = run(capsys, "validate", folder / "truthfulqa" / "ur.jsonl")
    assert (status, out.splitlines()[1].split()[:4]) == (0, ["truthfulqa", "ur", "ok", "2"])
    odd = write_jsonl(tmp_path / "x.jsonl", [helpful(1)])
    status, _, err = run(capsys, "validate", odd)
    assert (status, len(err)) == (1, 1)
    assert "say --dataset and --lang" in err[0]
    named = write_jsonl(tmp_path / "pak_alpaca-ur.v2.jsonl", [helpful(1)])
    assert run(capsys, "validate", named)[0] == 0
    half = write_jsonl(tmp_path / "alpaca.jsonl", [helpful(1)])
    assert run(capsys, "validate", half)[2][0].endswith("is not named DATASET/LANG.jsonl; say --lang")
    assert run(capsys, "validate", odd, "--dataset", "alpaca", "--lang", "ur")[0] == 0
    status, _, err = run(capsys, "validate", odd, "--dataset", "truthfulqa", "--lang", "ur")
    assert status == 1
    assert "unknown field 'instruction'" in err[0]


@pytest.mark.parametrize("command", ["info", "validate"])
@pytest.mark.parametrize(
    ("source", "words"),
    [("hub:owner/name", "names no revision"), ("no/such", "is no folder"), ("hub:a/b@c", "hub:a/b@c: ")],
)
def test_sources_that_do_not_work_are_one_line(command, source, words, capsys):
    status, out, err = run(capsys, command, source)
    assert (status, out, len(err)) == (1, "", 1)
    assert words in err[0]


def test_an_empty_folder(tmp_path, capsys):
    status, _, err = run(capsys, "validate", tmp_path)
    assert (status, len(err)) == (1, 1)
    assert "holds no DATASET/LANG.jsonl" in err[0]


def test_convert_prints_counts_and_the_result_validates(tmp_path, capsys):
    path = truthfulqa_csv()
    out = tmp_path / "out"
    status, text, err = run(
        capsys, "convert", path, "--lang", "en", "--localization", "DT", "--out", out, "--format", "json"
    )
    report = json.loads(text)
    assert status == 0
    assert [report[name] for name in ("items", "dt", "lc", "li")] == [817, 817, 0, 0]
    assert any("an answer is both correct and incorrect in 2 items" in line for line in err)
    status, text, _ = run(capsys, "validate", out, "--lang", "en", "--format", "json")
    assert (status, json.loads(text)["files"][0]["fingerprint"]) == (0, report["fingerprint"])
    # the same file again: same ids, so the same fingerprint
    run(capsys, "convert", path, "--lang", "en", "--localization", "dt", "--out", tmp_path / "again")
    again = (tmp_path / "again" / "truthfulqa" / "en.jsonl").read_bytes()
    assert again == (out / "truthfulqa" / "en.jsonl").read_bytes()


def test_convert_both_languages_and_validate_them_as_a_pair(tmp_path, capsys):
    rows = [["instruction_en", "output_en", "instruction_ur", "output_ur", "kind"]]
    rows += [[f"Do {n}.", "Done.", f"{n} کریں۔", "ہو گیا۔", ("dt", "lc", "li")[n % 3]] for n in range(6)]
    with (tmp_path / "both.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    out = tmp_path / "out"
    common = ("--dataset", "alpaca", "--out", out, "--map", "localization=kind")
    for lang, more in (("en", ()), ("ur", ("--pair-with", out / "alpaca" / "en.jsonl"))):
        maps = ("--map", f"instruction=instruction_{lang}", "--map", f"output=output_{lang}")
        assert run(capsys, "convert", tmp_path / "both.csv", "--lang", lang, *common, *maps, *more)[0] == 0
    status, text, err = run(capsys, "validate", out)
    assert status == 0
    assert [line.split()[3] for line in text.splitlines()[1:]] == ["6", "6"]
    assert err == [f"pak3h: note: no truthfulqa and no beavertails in {out}"]


def test_convert_refuses_to_overwrite_without_force(tmp_path, capsys):
    path = write_jsonl(tmp_path / "t.jsonl", [{"instruction": "a", "output": "b"}])
    words = ("convert", path, "--lang", "en", "--localization", "dt", "--out", tmp_path)
    assert run(capsys, *words)[0] == 0
    status, _, err = run(capsys, *words)
    assert (status, "give --force" in err[0]) == (1, True)
    assert run(capsys, *words, "--force")[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--localization", "xx"), "--localization xx: use dt, lc or li"),
        (("--map", "question"), "--map question: write it as OURS=THEIRS"),
        (("--map", "output=a", "--map", "output=b"), "--map output is given twice; keep one"),
        (("--separator", ""), "--separator is empty"),
    ],
)
def test_convert_arguments_that_make_no_sense(tmp_path, capsys, words, message):
    path = write_jsonl(tmp_path / "t.jsonl", [{"instruction": "a", "output": "b"}])
    status, _, err = run(capsys, "convert", path, "--lang", "en", "--out", tmp_path, *words)
    assert (status, len(err)) == (1, 1)
    assert message in err[0]


def test_info_tells_splits_of_prompts_from_labels_of_pairs(folder, capsys):
    labels = (("p", "dt"), ("p", "lc"), ("p", "lc"), ("q", "dt"), ("r", "li"))
    rows = [harmless(n, prompt=prompt, localization=label) for n, (prompt, label) in enumerate(labels, 1)]
    write_jsonl(folder / "beavertails" / "ur.jsonl", rows)
    _, out, err = run(capsys, "info", folder, "--format", "json")
    found = next(one for one in json.loads(out)["sets"] if (one["dataset"], one["lang"]) == ("beavertails", "ur"))
    assert [found[name] for name in ("items", "dt", "lc", "li", "prompts")] == [5, 2, 2, 1, 3]
    assert (found["prompt_splits"], found["mixed_prompts"]) == ({"dt": 1, "lc": 1, "li": 1}, 1)
    assert any("in 1 prompt ('b1')" in line for line in err)
    _, out, _ = run(capsys, "info", folder)
    assert "3 = 1 + 1 + 1" in out
