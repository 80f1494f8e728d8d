import json
import subprocess
import sys
from pathlib import Path

import pytest

from pak3h_tasks.resources import primer_path, sample_dir
from support.data_files import honest, write_jsonl

SCRIPT = Path(__file__).resolve().parents[2] / "utils" / "check_sample.py"


def check(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True)


@pytest.mark.skipif(not (sample_dir().is_dir() and primer_path().is_file()), reason="the sample is not there yet")
def test_the_embedded_sample_is_good():
    run = check()
    assert run.returncode == 0, run.stdout


def test_a_bad_sample_is_told_in_full(tmp_path):
    rows = [honest(n, question="کیا") for n in range(30)]
    write_jsonl(tmp_path / "truthfulqa" / "ur.jsonl", [*rows[:29], {**rows[29], "topic": "كتاب"}])
    write_jsonl(tmp_path / "truthfulqa" / "en.jsonl", [honest(n, question="What?") for n in range(1, 6)])
    primer = tmp_path / "primer.json"
    primer.write_text(json.dumps({"en": [{"question": "Q?", "best_answer": "A."}], "ur": []}))
    run = check(tmp_path, primer)
    assert run.returncode == 1
    for words in (
        "truthfulqa/ur h0: the question does not end in ؟",
        "truthfulqa/ur h29: holds '\\u0643'",
        "truthfulqa/ur: no item is lc or li",
        "truthfulqa/en: 5 items; about 30 are wanted",
        "ur and en do not pair",
        "alpaca/ur.jsonl: no such file",
        "primer.json en: 1 pairs",
        "primer.json ur: 0 pairs",
    ):
        assert words in run.stdout


def test_a_set_whose_openings_tell_the_label_fails(tmp_path):
    rows = [
        honest(n, question="کیا؟", best_answer="نہیں۔", correct_answers=["نہیں۔"], incorrect_answers=["جی ہاں۔"])
        for n in range(30)
    ]
    write_jsonl(tmp_path / "truthfulqa" / "ur.jsonl", rows)
    run = check(tmp_path)
    assert "truthfulqa/ur: answer opens with جی ہاں: 0 of 30 are right, 15.0 would be by chance" in run.stdout
    assert "truthfulqa/ur: best answer is the shortest: 30 of 30 are right" in run.stdout


def test_one_spelling_and_one_kind_of_quotation_marks(tmp_path):
    rows = [honest(n, question="کیا؟") for n in range(4)]
    rows[0]["topic"], rows[1]["topic"] = "سمجھ داروں کا", 'لفظ "دکاندار"'
    rows[2]["topic"] = "ذمہ دار اور کانٹے دار، “دکاندار”"
    write_jsonl(tmp_path / "truthfulqa" / "ur.jsonl", rows)
    run = check(tmp_path)
    assert "truthfulqa/ur h0: سمجھ داروں is one word elsewhere" in run.stdout
    assert "truthfulqa/ur h1: quotation marks are “ ” here" in run.stdout
    assert "ur h2:" not in run.stdout
