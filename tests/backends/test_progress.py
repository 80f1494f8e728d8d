"""The bar's words."""

from __future__ import annotations

import pytest

from pak3h_tasks.backends.progress import Progress


@pytest.mark.parametrize("show", [True, False, None])
def test_counts_with_and_without_a_terminal(show: bool | None, capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("judge m", 3, show) as progress:
        progress.add(cached=True)
        progress.add(failed=True)
        progress.add()
    assert (progress.done, progress.cached, progress.failed) == (3, 1, 1)
    out, err = capsys.readouterr()
    assert out == ""
    assert ("cached=1, failed=1" in err and "3/3" in err) if show else err == ""
