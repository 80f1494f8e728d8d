"""A judge of pairs over real HTTP whose verdict depends on nothing but the two answers and their order."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from support.judge_server import JudgeServer

_OURS = tuple(re.compile(rf"<{tag}-([0-9a-f]{{6}})>\n(.*)\n</{tag}-\1>", re.S) for tag in ("answer-m", "answer-M"))
_ALPACA_EVAL = re.compile(r'"output": """(.*?)"""', re.S)


@dataclass(frozen=True)
class Says:
    """One reply: its text and, where there is one, the distribution of its first token."""

    text: str
    top: Mapping[str, float] | None = None
    finish: str = "stop"


Rule = Callable[[str, str], Says]


def prefers_first(p: float, mass: float = 0.98) -> Says:
    """The answer shown first is better with probability p."""
    return Says("m" if p >= 0.5 else "M", {"m": mass * p, "M": mass * (1 - p), "The": 0.9 * (1 - mass)})


def by_hash(first: str, second: str) -> Says:
    """A made-up preference between 0.02 and 0.98, another one for another order."""
    draw = int.from_bytes(hashlib.sha256(f"{first}\0{second}".encode("utf-8", "replace")).digest()[:6], "big") / 2**48
    return prefers_first(0.02 + 0.96 * draw)


def shown_answers(body: Mapping[str, Any]) -> tuple[str, str]:
    """First and second answer in a request, ours or AlpacaEval's."""
    prompt = "\n".join(str(message["content"]) for message in body["messages"])
    ours = [pattern.search(prompt) for pattern in _OURS]
    if all(ours):
        return tuple(found[2] for found in ours if found)  # type: ignore[return-value]
    first, second, *_ = [*_ALPACA_EVAL.findall(prompt), "", ""]
    return first, second


def pairwise_server(rule: Rule, **options: Any) -> JudgeServer:
    """The server, to be used as a context manager."""

    def edit(body: dict[str, Any], reply: dict[str, Any]) -> None:
        says = rule(*shown_answers(body))
        choice = reply["choices"][0]
        choice["message"]["content"], choice["finish_reason"] = says.text, says.finish
        choice["logprobs"] = None
        if body.get("logprobs") and says.top is not None:
            ranked = sorted(says.top.items(), key=lambda entry: -entry[1])[: body["top_logprobs"]]
            top = [{"token": token, "logprob": math.log(p)} for token, p in ranked]
            choice["logprobs"] = {"content": [{"token": says.text, "logprob": top[0]["logprob"], "top_logprobs": top}]}

    return JudgeServer(edit=edit, **options)
