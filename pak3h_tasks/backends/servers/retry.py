"""When to ask again: exponential back-off with jitter, Retry-After, and one shared pause under a rate limit."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import NamedTuple

from pak3h_tasks.backends.servers.failures import Failure, Fate


@dataclass(frozen=True)
class RetryPolicy:
    """How patient the client is.

    Attributes:
        attempts: Requests for one item, at most.
        rate_limit_patience_s: A rate limit ends an item only after these seconds in which no item at all got through.
        first_delay_s: Back-off before the second attempt; doubles each time.
        longest_delay_s: Cap of the back-off.
        longest_retry_after_s: A server that asks for a longer wait (a day's quota) is not waited for.
        failures_to_stop: Items in a row that fail before the run stops asking.
        rng: Source of the jitter.
    """

    attempts: int = 7
    rate_limit_patience_s: float = 120.0
    first_delay_s: float = 0.5
    longest_delay_s: float = 30.0
    longest_retry_after_s: float = 120.0
    failures_to_stop: int = 20
    rng: random.Random = field(default_factory=random.Random, repr=False, compare=False)

    def delay_s(self, attempt: int, failure: Failure) -> float:
        """Seconds to wait after failed attempt number `attempt` (from 1).

        Never shorter than the server asked for; the jitter comes on top, so that not all come back at once.
        """
        backoff = min(self.longest_delay_s, self.first_delay_s * 2.0 ** min(attempt - 1, 30))
        if failure.retry_after_s is None:
            return backoff * self.rng.uniform(0.5, 1.0)
        return failure.retry_after_s + min(backoff, 1.0) * self.rng.uniform(0.0, 0.5)


class Next(NamedTuple):
    """What comes after a failure: another attempt after `delay_s`, or, where that is None, an end.

    Attributes:
        delay_s: Seconds to wait.
        reason: Why there is no other attempt.
        stop: Whether that concerns all items.
        transport: Whether it says something about the server rather than about the item.
    """

    delay_s: float | None
    reason: str = ""
    stop: bool = False
    transport: bool = False


class Patience:
    """The policy applied to one batch, whose items share a pause under a rate limit.

    Args:
        policy: How patient to be.
    """

    def __init__(self, policy: RetryPolicy) -> None:
        self.policy = policy
        self._resume_at = 0.0
        self._last_success = time.monotonic()

    def succeeded(self) -> None:
        """Note that an item got through."""
        self._last_success = time.monotonic()

    def pause_s(self) -> float:
        """Seconds that everybody has to wait now; 0: none."""
        wait = self._resume_at - time.monotonic()
        return wait + min(wait, 1.0) * self.policy.rng.uniform(0.0, 0.5) if wait > 0 else 0.0

    def after(self, failure: Failure, tries: int) -> Next:
        """What to do after an item's failed attempt number `tries` (from 1)."""
        if failure.fate in (Fate.STOP, Fate.GIVE_UP, Fate.REFUSED):
            return Next(None, failure.reason, stop=failure.fate is Fate.STOP)
        limited, wait = failure.fate is Fate.RATE_LIMIT, failure.retry_after_s or 0.0
        if wait > self.policy.longest_retry_after_s:
            return Next(None, f"{failure.reason}; the server asks to wait {wait:.0f} s", stop=limited, transport=True)
        # Under a rate limit most have to come back again and again; while any get through, nobody gives up.
        moving = time.monotonic() - self._last_success < self.policy.rate_limit_patience_s
        if tries >= self.policy.attempts and not (limited and moving):
            return Next(None, f"{failure.reason} (after {tries} attempts)", transport=True)
        if limited and wait:
            self._resume_at = max(self._resume_at, time.monotonic() + wait)
        return Next(self.policy.delay_s(tries, failure))
