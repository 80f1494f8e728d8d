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
