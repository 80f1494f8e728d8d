from __future__ import annotations

from pathlib import Path

import pytest

from pak3h_tasks.backends.local.model_source import ModelSource
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.settings import BEAVER_DAM


def test_beaver_dam_is_pinned() -> None:
    source = ModelSource.parse(BEAVER_DAM)
    assert source == ModelSource("PKU-Alignment/beaver-dam-7b", "3a5b70888869f04336d0d8344185ed74268ef896")
    assert source.identity == BEAVER_DAM


@pytest.mark.parametrize("text", ["owner/name", "owner/name@"])
def test_a_hub_name_without_revision_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="names no revision; write owner/name"):
        ModelSource.parse(text)


@pytest.mark.parametrize("text", ["", "name", "a/b/c@x", "./nowhere", "/nowhere/x@y", "~/model", "@", "a/@x"])
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="neither a folder nor owner/name@revision"):
        ModelSource.parse(text)


def test_a_folders_identity_changes_with_config_and_weights(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"1234")
    first = ModelSource.parse(str(folder)).identity
    assert first.startswith("model#")
    assert ModelSource.parse(str(folder)).identity == first
    (folder / "config.json").write_text('{"a": 1}')
    second = ModelSource.parse(str(folder)).identity
    (folder / "model.safetensors").write_bytes(b"12345")
    third = ModelSource.parse(str(folder)).identity
    (folder / "README.md").write_text("notes")
    assert len({first, second, third}) == 3
    assert ModelSource.parse(str(folder)).identity == third
