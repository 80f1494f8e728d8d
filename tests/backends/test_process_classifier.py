from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks.backends.batching import BatchLimits
from pak3h_tasks.backends.hf_classifier import HFClassifier
from pak3h_tasks.backends.model_source import ModelSource
from pak3h_tasks.backends.process_classifier import ProcessClassifier
from pak3h_tasks.errors import BackendError, MissingExtra
from support.tiny_classifier import make_classifier

ROWS = [[*range(3, 3 + length), 1] for length in (5, 40, 1, 17, 90, 33)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_classifier(tmp_path_factory.mktemp("model"))


def opened(folder: Path, **settings: Any) -> ProcessClassifier:
    return ProcessClassifier(ModelSource.parse(str(folder)), device="cpu", **settings)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_same_numbers_and_name_as_in_process_and_the_memory_comes_back(folder: Path) -> None:
    here = HFClassifier(ModelSource.parse(str(folder)), device="cpu", limits=BatchLimits(rows=2))
    with opened(folder, limits=BatchLimits(rows=2, window=4)) as apart:
        assert apart.pid is None  # nothing starts before it is needed
        assert apart.identity == here.identity
        results = [row for batch in apart.classify(ROWS) for row in batch]
        pid = apart.pid
        assert pid is not None
        assert alive(pid)
        again = [row for batch in apart.classify(iter(ROWS)) for row in batch]
        assert apart.pid == pid
    assert not alive(pid)
    expected = [row for batch in here.classify(ROWS) for row in batch]
    by_index = {row.index: row for row in expected}
    assert sorted(row.index for row in results) == list(range(len(ROWS)))
    for row in results + again:
        assert row.probabilities == pytest.approx(by_index[row.index].probabilities, abs=1e-5)


def test_a_killed_child_costs_rows_not_the_run(folder: Path) -> None:
    with opened(folder, limits=BatchLimits(rows=1, window=2)) as apart:
        batches = apart.classify(ROWS)
        first = next(batches)
        assert apart.pid is not None
        os.kill(apart.pid, signal.SIGKILL)
        rest = [row for batch in batches for row in batch]
        assert sorted(row.index for row in first + rest) == list(range(len(ROWS)))
        lost = [row for row in rest if row.probabilities is None]
        assert len(lost) >= len(ROWS) - 2  # all but the window it was working on
        assert {row.reason for row in lost} == {"the classifier process ended with exit code -9"}


def test_stopping_early_leaves_no_process(folder: Path) -> None:
    apart = opened(folder, limits=BatchLimits(rows=1))
    batches = apart.classify(ROWS)
    next(batches)
    pid = apart.pid
    assert pid is not None
    batches.close()  # type: ignore[attr-defined]
    assert not alive(pid)
    assert apart.pid is None  # the next call starts afresh, with nothing left in a pipe
    apart.close()
    apart.close()


def test_faults_of_the_child_are_raised_here(folder: Path, tmp_path: Path) -> None:
    broken = make_classifier(tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"garbage")
    apart = opened(broken)
    apart.check()
    with pytest.raises(BackendError, match="its weights cannot be loaded on cpu"):
        apart.load()
    assert apart.pid is None


def test_checks_happen_before_a_process_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = opened(make_classifier(tmp_path / "wrong", labels=["x", "y"]))
    with pytest.raises(BackendError, match="has 2 labels"):
        wrong.load()
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtra, match="needs torch"):
        wrong.load()
    assert wrong.pid is None
