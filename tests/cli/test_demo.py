"""`pak3h demo`: the README's first command without bash."""

import os
import subprocess
import sys

import pytest

from pak3h_tasks.cli import demo, main


def test_keys_and_settings_that_lie_about_reach_no_step(monkeypatch, tmp_path):
    for name in ("OPENAI_API_KEY", "PAK3H_DATA", "PAK3H_JUDGE_BASE_URL", "PAK3H_AUTOLOAD"):
        monkeypatch.setenv(name, "x")
    seen = {k: v for k, v in demo.environment(tmp_path).items() if k.startswith(("PAK3H_", "OPENAI_"))}
    cache = str(tmp_path / "cache")
    assert seen == {"PAK3H_JUDGE": "none", "PAK3H_CLASSIFIER": "none", "PAK3H_CACHE_DIR": cache}


def test_without_torch_it_is_one_line_with_the_command(monkeypatch, capsys):
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    assert main.main(["demo"]) == 1
    assert capsys.readouterr().err.startswith('pak3h: error: the demo needs torch: pip install "')


def test_a_step_that_fails_ends_it_in_one_line(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(demo.subprocess, "run", lambda *a, **k: subprocess.CompletedProcess(a, 3))
    assert main.main(["demo", "-o", str(tmp_path)]) == 1
    assert "the demo's lm_eval failed with exit code 3; pak3h doctor" in capsys.readouterr().err


@pytest.mark.slow
def test_it_prints_what_the_readme_shows_and_leaves_a_report(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "pak3h_tasks", "demo"], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8",
        env={**os.environ, "PAK3H_JUDGE": "never-asked", "OPENAI_API_KEY": "never-sent"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    # README.md: the tiny model's MC1 on the sample
    assert "|mc1                  |↑  | 0.2667|±  |0.0821|" in done.stdout
    assert done.stdout.splitlines()[-1] == f"Report, open it in a browser: {tmp_path / 'demo_out' / 'report.html'}"
    assert (tmp_path / "demo_out" / "report.html").stat().st_size > 10_000
    assert [path.name for path in tmp_path.iterdir()] == ["demo_out"]
