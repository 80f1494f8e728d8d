"""What the tests of the judge engine share: quick patience, a yes/no question, a parser."""

from __future__ import annotations

import random
from types import MappingProxyType
from typing import Any

from pak3h_tasks.backends.protocol import Reply, Request
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.backends.servers.retry import RetryPolicy
from support.judge_server import MODEL, JudgeServer

PARAMS = MappingProxyType({"temperature": 0, "max_tokens": 16, "logprobs": True, "top_logprobs": 5})


def quick(**changes: float) -> RetryPolicy:
    """A policy for servers that answer at once."""
    fast = {"first_delay_s": 0.005, "longest_delay_s": 0.02, "rate_limit_patience_s": 1.0}
    return RetryPolicy(rng=random.Random(0), **{**fast, **changes})  # type: ignore[arg-type]


def question(number: int) -> Request:
    """Question number so and so; its text is f"question {number}"."""
    return Request(messages=(("system", "Yes or no?"), ("user", f"question {number}")), params=PARAMS, version="v1")


def yes_or_no(reply: Reply) -> bool | None:
    """True, False, or None for anything but one of the two words."""
    return {"yes": True, "no": False}.get(reply.text.strip().lower())


def judge(server: JudgeServer, **changes: Any) -> OpenAIChat:
    """A backend for a stub server, quick to try again."""
    return OpenAIChat(MODEL, base_url=server.base_url, **{"retry": quick(), "timeout_s": 20.0, **changes})
