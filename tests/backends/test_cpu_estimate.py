from __future__ import annotations

import pytest

from pak3h_tasks.backends.cpu_estimate import cpu_notice, cpu_seconds, duration, estimated_tokens, measured_gflops


def test_512_tokens_are_6_8_teraflop() -> None:
    # the design notes: 512 tokens about 6.8 TFLOP
    assert cpu_seconds(512, 1000) == pytest.approx(6.76, abs=0.01)


def test_speed_is_measured() -> None:
    # any machine that runs the tests does more than 0.1 and less than 100,000 GFLOP/s
    assert 0.1 < measured_gflops(0.01) < 1e5


def test_tokens_are_capped_a_pair() -> None:
    # Urdu: 1.04 a character and 19 of the template
    assert estimated_tokens([("x" * 100, "y" * 100)], "ur") == 208 + 19
    assert estimated_tokens([("x" * 100, "y" * 100_000)] * 3, "ur") == 3 * 2048
    assert estimated_tokens([], "en") == 0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "under a minute"), (60, "1 minute"), (7199, "120 minutes"), (7200, "2 hours"), (3600 * 47, "47 hours"),
     (86400 * 2, "2 days"), (86400 * 30, "30 days")],
)  # fmt: skip
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_notice_says_how_long() -> None:
    # 12,584 pairs of 300 tokens at 50 GFLOP/s: 12584 * 300 * 13.2 / 50 = 996,653 s = 11.5 days
    assert cpu_notice(12_584, 12_584 * 300, 50) == (
        "Beaver-Dam-7B would take about 12 days for 12,584 pairs on this CPU (50 GFLOP/s)"
    )
