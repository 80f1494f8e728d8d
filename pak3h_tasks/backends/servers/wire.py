"""Replies of the OpenAI protocol as servers really give them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pak3h_tasks.backends.protocol import Position, Reply, Request, name_without_folders
from pak3h_tasks.backends.servers.constrain import Form, choice_position, chosen
from pak3h_tasks.backends.servers.failures import Failure, Fate, as_reason, of_status, page_title
from pak3h_tasks.text.clean import without_surrogates

CHAT, COMPLETIONS = "/chat/completions", "/completions"

_BROKEN_OFF = re.compile(r"error|fail|abort|cancel|interrupt|timeout|insufficient")
_FILTERED = re.compile(r"filter|safety|sensitive|recitation|prohibited|blocklist|spii|guardrail|refusal")
_OUT_OF_TOKENS = frozenset({"max_tokens", "model_length"})  # Gemini's and Mistral's names for "length"
_POSITIONS = 4
_MOST_POSITIONS = 64  # a choice in JSON comes late


def path_of(request: Request) -> str:
    """Endpoint of a request, below the base URL."""
    return CHAT if request.prompt is None else COMPLETIONS


def text_of(body: Mapping[str, Any]) -> str:
    """The text in a request's body, which an error message may quote."""
    messages = body.get("messages") or ()
    return "\n".join([str(body.get("prompt") or ""), *(str(message.get("content")) for message in messages)])


def read_reply(
    text: str,
    secret: str | None = None,
    *,
    form: Form | None = None,
    wanted: tuple[str, ...] = (),
    body: Mapping[str, Any] | None = None,
) -> Reply | Failure:
    """The reply in the text of a 200; see `read_answer` for the other arguments."""
    answer = decoded(text)
    if answer is None:
        page = page_title(text)
        found = f"not whole JSON ({len(text)} characters)" if page is text else f"no JSON but {as_reason(page, secret)}"
        return Failure(Fate.RETRY, f"the reply is {found}", status=200)
    return read_answer(answer, secret, form=form, wanted=wanted, body=body)


def read_answer(
    answer: Any,
    secret: str | None = None,
    *,
    form: Form | None = None,
    wanted: tuple[str, ...] = (),
    body: Mapping[str, Any] | None = None,
) -> Reply | Failure:
    """The reply in the decoded body of a 200.

    Args:
        answer: The reply's body.
        secret: The key, kept out of reasons.
        form: How the reply was constrained, if it was.
        wanted: The choices it was held to.
        body: The request's, whose text an error may quote.
    """
    if not isinstance(answer, Mapping):
        return Failure(Fate.RETRY, "the reply is not a JSON object", status=200)
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        return _error_under_200(answer.get("error"), "the reply holds no choices", secret, body)
    finish = choice.get("finish_reason")
    ended = finish.lower() if isinstance(finish, str) else ""
    error = choice.get("error") or answer.get("error")
    if error or _BROKEN_OFF.search(ended):
        # whatever text there is was cut off where the provider failed
        failure = _error_under_200(error, "the provider failed in the middle of its reply", secret, body)
        return failure if failure.fate in (Fate.REFUSED, Fate.RATE_LIMIT) else replace(failure, fate=Fate.RETRY)
    if _FILTERED.search(ended):
        return Failure(Fate.REFUSED, "content filter (finish_reason)", status=200)
    said = _text(choice)
    if not said and (refusal := _refusal(choice)):
        return Failure(Fate.REFUSED, f"the judge declines: {as_reason(refusal, secret)}", status=200)
    positions = _logprobs(choice.get("logprobs"))
    held_to = chosen(said, wanted) if form is not None else None
    if held_to is not None and positions is not None:
        position = choice_position(positions, held_to, wanted)
        positions = None if position is None else (position,)
    name = _string(answer.get("model"))
    return Reply(
        text=said,
        logprobs=None if positions is None else positions[:_POSITIONS],
        model=None if name is None else name_without_folders(name),
        fingerprint=_string(answer.get("system_fingerprint")),
        finish="length" if ended in _OUT_OF_TOKENS else _string(finish),
        tokens=_tokens(answer.get("usage")),
        constrained=form if held_to is not None else None,
    )


def decoded(text: str) -> Any:
    """JSON as servers write it; None where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    except RecursionError:
        return None
    try:
        return json.loads(text, parse_int=float)  # Python refuses a whole number of more than 4,300 digits
    except (ValueError, RecursionError):
        return None


def _error_under_200(error: Any, otherwise: str, secret: str | None, body: Mapping[str, Any] | None) -> Failure:
    """An upstream error that a gateway passes on under status 200 (OpenRouter), with a status of its own as `code`."""
    code = str(error.get("code")) if isinstance(error, Mapping) else ""
    if re.fullmatch(r"[45]\d\d", code):
        return of_status(int(code), {}, {"error": error}, secret, sent=text_of(body or {}))
    message = error.get("message") if isinstance(error, Mapping) else error
    return Failure(Fate.RETRY, f"{otherwise}: {as_reason(message or 'no error either', secret)}", status=200)


def _refusal(choice: Mapping[str, Any]) -> str | None:
    message = choice.get("message")
    refusal = message.get("refusal") if isinstance(message, Mapping) else None
    return refusal if isinstance(refusal, str) else None


def _text(choice: Mapping[str, Any]) -> str:
    message = choice.get("message")
    content = message.get("content") if isinstance(message, Mapping) else choice.get("text")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    # a lone surrogate would cut short every log the reply gets into
    return without_surrogates(content) if isinstance(content, str) else ""


def _logprobs(given: Any) -> tuple[Position, ...] | None:
    """The first positions, from either shape; None when there are none or they make no sense."""
    if not isinstance(given, Mapping):
        return None
    try:
        if given.get("content"):
            rows = [(entry["token"], _pairs(entry)) for entry in given["content"][:_MOST_POSITIONS]]
        else:
            top = given["top_logprobs"][:_POSITIONS]
            rows = [(token, tuple(row.items())) for token, row in zip(given["tokens"], top, strict=False)]
        positions = tuple(Position(token, _sound(top)) for token, top in rows)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        return None
    return positions if positions and positions[0].top else None


def _pairs(entry: Mapping[str, Any]) -> tuple[tuple[Any, Any], ...]:
    """The most probable tokens, and the one that was taken where it is none of them."""
    pairs = tuple((other["token"], other["logprob"]) for other in entry["top_logprobs"])
    own, logprob = entry["token"], entry.get("logprob")
    return (
        pairs if not pairs or logprob is None or any(own == token for token, _ in pairs) else (*pairs, (own, logprob))
    )


def _sound(pairs: tuple[tuple[Any, Any], ...]) -> tuple[tuple[str, float], ...]:
    for token, logprob in pairs:
        # Rounding makes some servers give a hair above 0; an integer of 400 digits overflows here.
        if not isinstance(token, str) or isinstance(logprob, bool) or math.isnan(logprob) or logprob > 1e-3:
            raise ValueError("not a log-probability")
    return tuple((token, float(logprob)) for token, logprob in pairs)


def _string(value: Any) -> str | None:
    return as_reason(value) if isinstance(value, str) and value else None


def _tokens(usage: Any) -> tuple[int, int] | None:
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return (prompt, completion) if isinstance(prompt, int) and isinstance(completion, int) else None
