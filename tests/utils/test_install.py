import subprocess
import sys
from pathlib import Path

import install
import pytest


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with the files that decide whether to install again, and every call that would be made."""
    for name in install.OF_THE_INSTALL:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((install.ROOT / name).read_bytes())
    calls = []

    def run(command, **_):
        calls.append([str(word) for word in command])
        if "venv" in calls[-1]:
            python = install.python_of(Path(command[-1]))
            python.parent.mkdir(parents=True)
            python.touch()

    monkeypatch.setattr(install, "ROOT", tmp_path)
    monkeypatch.setattr(subprocess, "run", run)
    return tmp_path, calls


def test_it_installs_once_for_each_state_of_the_files(checkout):
    folder, calls = checkout
    install.install("hf")
    assert [call[2] for call in calls] == ["venv", "pip"] and calls[1][-1] == ".[hf]"
    install.install("hf")
    assert len(calls) == 2
    install.install("hf,test")
    assert len(calls) == 3
    (folder / "utils" / "constraints.txt").write_text("torch==0\n")
    install.install("hf")
    assert len(calls) == 4


def test_windows_keeps_its_python_elsewhere(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert install.python_of(Path("x")) == Path("x/Scripts/python.exe")


def test_an_old_python_is_one_line(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    with pytest.raises(SystemExit, match=r"^Python 3\.10 or newer is needed; .+ is 3\.9\.18\."):
        install.main(["hf"])


def test_without_extras_it_says_how_it_is_used(capsys):
    assert install.main([]) == 2
    assert "utils/install.py EXTRAS" in capsys.readouterr().err
