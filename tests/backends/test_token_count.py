"""Tokens counted with a tokenizer where one is at hand."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from pak3h_tasks.backends.token_count import ROUGH, token_count
from support.tiny_classifier import byte_tokenizer


def test_openai_names_are_counted_by_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = types.SimpleNamespace(name="o200k_base", encode=lambda text, disallowed_special: text.split())
    module = types.SimpleNamespace(encoding_for_model={"gpt-4o-mini": encoding}.__getitem__)
    monkeypatch.setitem(sys.modules, "tiktoken", module)  # type: ignore[arg-type]
    count = token_count("gpt-4o-mini")
    assert (count.of("<|endoftext|> two three"), count.how) == (3, "counted by tiktoken, o200k_base")
    assert token_count("my-model").how == ROUGH


def test_a_tokenizer_of_this_machine(tmp_path: Path) -> None:
    byte_tokenizer().save_pretrained(tmp_path / "judge")
    count = token_count(str(tmp_path / "judge"))
    assert count.of("abcd") == 4 and "its tokenizer" in count.how


def test_otherwise_a_guess_that_says_so() -> None:
    count = token_count("nobody/knows-this-one")
    assert count == (count.of, ROUGH) and count.of("abcd" * 3) == 3
