"""How long the client waits."""

from __future__ import annotations

import random

import pytest

from pak3h_tasks.backends.servers.failures import Failure, Fate
from pak3h_tasks.backends.servers.retry import RetryPolicy


def delays(retry_after_s: float | None, attempt: int) -> list[float]:
    policy = RetryPolicy(first_delay_s=1.0, longest_delay_s=8.0, rng=random.Random(0))
    return [policy.delay_s(attempt, Failure(Fate.RETRY, "", retry_after_s)) for _ in range(500)]


@pytest.mark.parametrize(("attempt", "full"), [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (5, 8.0), (1000, 8.0)])
def test_back_off_doubles_up_to_its_cap_with_jitter(attempt: int, full: float) -> None:
    found = delays(None, attempt)
    assert min(found) >= full / 2 and max(found) <= full
    assert max(found) - min(found) > full / 4  # not all at once


@pytest.mark.parametrize("asked", [0.0, 0.5, 60.0])
def test_never_earlier_than_the_server_asks(asked: float) -> None:
    found = delays(asked, 3)
    assert min(found) >= asked and max(found) <= asked + 0.5
    assert len(set(found)) > 400
