"""A judge server and an answer cache, each of a test's own."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pak3h_tasks.backends.cache import AnswerCache
from support.judge_server import JudgeServer


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        yield running


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[AnswerCache]:
    with contextlib.closing(AnswerCache(tmp_path / "answers.sqlite3")) as opened:
        yield opened
