"""When to ask again: exponential back-off with jitter, Retry-After, and one shared pause under a rate limit."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from pak3h_tasks.backends.servers.failures import Failure


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
