"""Replies held to one of a few choices: the forms that servers offer, and where the choice stands in such a reply.

Where a server has several forms, the one whose choice stands at the very beginning is taken: its log-probabilities are
those of a free reply's first token, only without what is no choice (docs/judges.md has the measurements).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from pak3h_tasks.backends.lookup import was_thinking
from pak3h_tasks.backends.protocol import Position, Reply, Request

Form = Literal["structured_outputs", "guided_choice", "grammar", "json_schema"]
"""vLLM, vLLM before 0.11, llama.cpp, and the one of OpenAI and most others."""
FORMS: tuple[Form, ...] = get_args(Form)

# Most servers give 20; a choice that is not among them has no log-probability. llama.cpp knows no limit and needs more:
# its list is that of the free reply, where a small model's labels are far down.
MOST_LOGPROBS = 20
_MOST_WITH_GRAMMAR = 200
_JSON_TOKENS = 64  # {"answer": "..."} with the blanks that small models like

# Nobody says one of these when greeted, so a reply that is one of them was held to them.
PROBE = Request(messages=(("user", "Hello!"),), choices=("quince", "zinnia"))


def forms_of(url: str) -> tuple[Form, ...]:
    """The forms worth trying at a server, in order of preference."""
    return ("json_schema",) if re.match(r"https://[^/]*\b(?:openai\.com|azure\.com)\b", url) else FORMS


def parameters(form: Form, choices: Sequence[str]) -> dict[str, Any]:
    """What a request body needs besides."""
    if form == "structured_outputs":
        return {"structured_outputs": {"choice": list(choices)}}
    if form == "guided_choice":
        return {"guided_choice": list(choices)}
    if form == "grammar":
        return {"grammar": "root ::= " + " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)}
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": list(choices)}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    return {
        "response_format": {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}
    }


def constrain(body: dict[str, Any], form: Form, choices: Sequence[str], most_logprobs: int) -> dict[str, Any]:
    """A request body that asks for one of the choices, and for as many log-probabilities as the server gives."""
    held = body | parameters(form, choices)
    if "top_logprobs" in held:
        wanted = _MOST_WITH_GRAMMAR if form == "grammar" and most_logprobs else most_logprobs
        held["top_logprobs"] = max(held["top_logprobs"], wanted)
    for limit in ("max_tokens", "max_completion_tokens"):
        if limit in held and form == "json_schema":
            held[limit] = max(held[limit], _JSON_TOKENS)
    return held


def chosen(text: str, choices: Sequence[str]) -> str | None:
    """The choice that a constrained reply is; None: the server did not hold to them.

    Example:
        >>> chosen("m", ("m", "M")), chosen('{"answer": "M"}', ("m", "M")), chosen("M.", ("m", "M"))
        ('m', 'M', None)
    """
    text = text.strip()
    if text.startswith("{"):
        try:
            text = json.loads(text)["answer"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
    return text if text in choices else None


def choice_position(positions: Sequence[Position], choice: str, choices: Sequence[str]) -> Position | None:
    """The position at which the choice that was made begins, without what stands before it in the same token.

    Of the other tokens there those are kept that begin one of the choices, and the last one, which bounds what is not
    listed. None: not found.

    Example:
        >>> tokens = ['{"', "answer", '":', ' "M', '"}']
        >>> choice_position([Position(t, ((t, -0.1), (' "m', -2.5))) for t in tokens], "M", ("m", "M"))
        Position(token='M', top=(('M', -0.1), ('m', -2.5)))
    """
    said = "".join(position.token for position in positions)
    place = said.find(choice) if said.lstrip().startswith(choice) else said.rfind(f'"{choice}"') + 1
    if not said.startswith(choice, place):
        return None
    start = 0
    for position in positions:
        if start <= place < start + len(position.token):
            before = position.token[: place - start]
            cut = [(_bare(token, before) if token.startswith(before) else "", value) for token, value in position.top]
            last = min(value for _, value in cut)
            kept = [(token, value) for token, value in cut if token and any(c.startswith(token) for c in choices)]
            if last < min((value for _, value in kept), default=0.0):
                kept.append(("", last))
            return Position(_bare(position.token, before), tuple(kept))
        start += len(position.token)
    return None


def _bare(token: str, before: str) -> str:
    """A token without what stands before its choice, and without the end of a JSON string."""
    return token[len(before) :].rstrip('"}, \n')


def asked_again(request: Request, unread: Reply, form: Form | None) -> tuple[Request, bool]:
    """How a question is put whose reply could not be read: (the question, whether it needs room for thinking)."""
    if was_thinking(unread):
        return request, True
    return (request if form or not request.choices else spelled_out(request)), False


def spelled_out(request: Request) -> Request:
    """The question once more, with a system text that says what may be answered: for a reply that could not be read."""
    ask = f"Reply with exactly one of these and nothing else: {' or '.join(request.choices)}"
    (role, content), *others = request.messages
    first = (("system", f"{content}\n\n{ask}"),) if role == "system" else (("system", ask), (role, content))
    return replace(request, messages=(*first, *others))
