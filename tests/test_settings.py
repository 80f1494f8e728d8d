"""Every setting is one that a user can find."""

from __future__ import annotations

import pytest

from pak3h_tasks.settings import Settings
from support.environments import REPO


@pytest.mark.parametrize("name", [name for name in Settings.model_fields if not name.startswith("openai_")])
def test_the_readme_lists_every_setting(name: str) -> None:
    table = [
        line for line in (REPO / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `PAK")
    ]
    assert any(f"`PAK3H_{name.upper()}`" in line for line in table)
