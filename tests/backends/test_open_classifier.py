from __future__ import annotations

from pathlib import Path

import pytest

from pak3h_tasks.backends import open_classifier as module
from pak3h_tasks.backends.local.classifier import HFClassifier
from pak3h_tasks.backends.open_classifier import open_classifier
from pak3h_tasks.backends.servers.classify import VLLMClassifier
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.settings import BEAVER_DAM


def test_none_and_auto_without_a_gpu_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "gpu_that_holds", lambda device: None)
    assert open_classifier("none") is None
    assert open_classifier("auto") is None
    assert open_classifier("auto", device="cpu") is None  # only a model that is named runs on a CPU


def test_auto_with_a_gpu_is_beaver_dam_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "gpu_that_holds", lambda device: device or "cuda:1")
    found = open_classifier("auto", dtype="bfloat16")
    assert isinstance(found, HFClassifier)
    assert found.identity == f"{BEAVER_DAM},bfloat16"
    assert found._device_wanted == "cuda:1"
    chosen = open_classifier("auto", device="cuda:0")
    assert isinstance(chosen, HFClassifier)
    assert chosen._device_wanted == "cuda:0"


def test_local_in_process_and_apart(tmp_path: Path) -> None:
    assert isinstance(open_classifier(str(tmp_path), device="cpu"), HFClassifier)


def test_served(tmp_path: Path) -> None:
    assert isinstance(open_classifier("vllm:http://127.0.0.1:8000"), VLLMClassifier)
    assert isinstance(open_classifier("vllm:https://h", tokenizer=str(tmp_path)), VLLMClassifier)


@pytest.mark.parametrize("setting", ["vllm:", "vllm:127.0.0.1:8000", "vllm:ftp://x", "nothing", "owner/name"])
def test_what_names_nothing_is_refused(setting: str) -> None:
    with pytest.raises(SettingsError, match="PAK3H_CLASSIFIER"):
        open_classifier(setting)
