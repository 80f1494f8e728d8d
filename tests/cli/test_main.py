import io
import os
import subprocess
import sys

import pytest

from pak3h_tasks.cli import data_info, main
from pak3h_tasks.errors import DataError


def failing(error):
    def run(args):
        raise error

    return run


def test_help_lists_every_command_and_ends_with_an_example(capsys):
    assert main.main(["--help"]) == 0
    out = capsys.readouterr().out
    for command in main.COMMANDS:
        assert f"  {command.name} " in out
    assert out.splitlines()[-2] == "example:"
    assert out.splitlines()[-1].startswith("  pak3h ")


@pytest.mark.parametrize("words", [["data"], ["data", "info"], ["data", "validate"], ["data", "convert"]])
def test_every_help_ends_with_an_example(words, capsys):
    assert main.main([*words, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "example:" in lines[-4:]
    assert lines[-1].startswith(f"  pak3h {words[0]}")


def test_registry_is_complete():
    from importlib import import_module

    for command in main.COMMANDS:
        assert callable(import_module(command.module).main)


@pytest.mark.parametrize("words", [[], ["nonsense"], ["data"], ["data", "nonsense"], ["data", "info", "--nonsense"]])
def test_wrong_usage_is_2(words, capsys):
    assert main.main(words) == 2
    captured = capsys.readouterr()
    assert captured.err or not words


def test_a_misspelt_command_gets_a_hint(capsys):
    assert main.main(["dta"]) == 2
    assert capsys.readouterr().err == "pak3h: no command 'dta'; did you mean data?\n"


def test_version(capsys):
    from pak3h_tasks import __version__

    assert main.main(["--version"]) == 0
    assert capsys.readouterr().out == f"pak3h {__version__}\n"


def test_expected_errors_are_lines_without_control_characters_and_exit_1(monkeypatch, capsys):
    monkeypatch.setattr(data_info, "run", failing(DataError("one \x1b[31m\ntwo \u202e")))
    assert main.main(["data", "info"]) == 1
    assert capsys.readouterr().err == "pak3h: error: one \\x1b[31m\npak3h: error: two \\u202e\n"


def test_ctrl_c_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr(data_info, "run", failing(KeyboardInterrupt()))
    assert main.main(["data", "info"]) == 130
    assert capsys.readouterr().err == "pak3h: stopped\n"


def test_help_does_not_load_the_heavy_packages():
    code = (
        "import sys; from pak3h_tasks.cli.main import main; main(['--help']); "
        "heavy = {'pydantic', 'datasets', 'torch', 'transformers', 'lm_eval', 'pyarrow', 'scipy'} & set(sys.modules); "
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_a_closed_pipe_is_no_traceback(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    code = "import sys; from pak3h_tasks.cli.main import entry; sys.exit(entry())"
    command = [sys.executable, "-c", code, "--help"]
    run = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (run.returncode, run.stderr) == (1, "")


def test_a_terminal_that_knows_only_ascii_still_gets_the_text():
    code = "import sys; from pak3h_tasks.cli.main import entry; sys.exit(entry())"
    command = [sys.executable, "-c", code, "سوال"]
    run = subprocess.run(
        command, env={**os.environ, "PYTHONIOENCODING": "ascii:strict"}, capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (2, "pak3h: no command '\\u0633\\u0648\\u0627\\u0644'; see pak3h --help\n")


@pytest.mark.parametrize(("chosen", "shown"), [(None, "سوال"), ("cp1252", r"\u0633\u0648\u0627\u0644")])
def test_files_and_pipes_on_windows_get_utf_8(monkeypatch, chosen, shown):
    """Its code page has no Urdu letters; what the user has chosen stays."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="cp1252") for _ in range(2))
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(sys, "argv", ["pak3h", "سوال"])
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    if chosen:
        monkeypatch.setenv("PYTHONIOENCODING", chosen)
    assert main.entry() == 2
    err.flush()
    assert err.buffer.getvalue().decode("utf-8").strip() == f"pak3h: no command '{shown}'; see pak3h --help"
