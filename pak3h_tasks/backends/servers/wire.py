"""The OpenAI protocol as servers really speak it: request bodies, replies, and what each server will not take."""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pak3h_tasks.backends.protocol import Position, Reply, Request
from pak3h_tasks.backends.servers.constrain import MOST_LOGPROBS, Form, choice_position, chosen, constrain
from pak3h_tasks.backends.servers.failures import Failure, Fate, of_status, one_line
from pak3h_tasks.text.clean import without_surrogates

logger = logging.getLogger(__name__)

CHAT, COMPLETIONS = "/chat/completions", "/completions"

# A judge that thinks first needs room before it comes to its one word.
THINKING_TOKENS = 2048
_TRACE = re.compile(
    r"\s*(?:<(?:seed:)?(?:think|thinking|thoughts?|reasoning)>|\[THINK\]|◁think▷|<\|(?:channel|begin_of_thought)\|>)",
    re.I,
)
_IS_ABOUT_THE_FORM = re.compile(r"response_format|json_schema|structured.outputs?|guided|grammar", re.I)
_POSITIONS = 4
_MOST_POSITIONS = 64  # a choice in JSON comes late
_LOGPROB_PARAMETERS = ("logprobs", "top_logprobs")


def path_of(request: Request) -> str:
    """Endpoint of a request, below the base URL."""
    return CHAT if request.prompt is None else COMPLETIONS


@dataclass
class Dialect:
    """What one server turned out to need; learned from its replies, each thing said once.

    Attributes:
        logprobs: Whether to ask for them.
        logprobs_seen: Whether it ever gave any.
        temperature: Whether it takes one.
        limit: Its name for the limit of new tokens.
        thinks: Whether it needs room for a thinking trace.
        form: How it can be held to a request's choices; None: not at all, or not known.
        seek_form: Whether to find that out at the first reply that cannot be read.
        most_logprobs: How many it gives at a position of a constrained reply.
    """

    logprobs: bool = True
    logprobs_seen: bool = False
    temperature: bool = True
    limit: str = "max_tokens"
    thinks: bool = False
    form: Form | None = None
    seek_form: bool = False
    most_logprobs: int = MOST_LOGPROBS
    _said: set[str] = field(default_factory=set)

    def body(
        self, model: str, request: Request, *, room: bool = False, logprobs: bool = True, form: Form | None = None
    ) -> dict[str, Any]:
        """JSON body of a request in this dialect."""
        body: dict[str, Any] = {"model": model, **request.params}
        if request.prompt is None:
            body["messages"] = [{"role": role, "content": content} for role, content in request.messages]
        else:
            body["prompt"] = request.prompt
        if not (self.logprobs and logprobs):
            for name in _LOGPROB_PARAMETERS:
                body.pop(name, None)
        if not self.temperature:
            body.pop("temperature", None)
        if "max_tokens" in body:
            tokens = body.pop("max_tokens")
            if request.prompt is None and (room or self.thinks or self.limit != "max_tokens"):
                tokens = max(tokens, THINKING_TOKENS)
            body[self.limit if request.prompt is None else "max_tokens"] = tokens
        form = form or self.form
        if form is not None and request.choices:
            body = constrain(body, form, request.choices, self.most_logprobs)
        return body

    def adapt(self, failure: Failure, body: Mapping[str, Any], judge: str) -> bool:
        """Learn from a refused parameter.

        Returns:
            Whether the same request is worth sending again in the new dialect.
        """
        if failure.status not in (400, 422, 501):
            return False
        if self.form is not None and _IS_ABOUT_THE_FORM.search(failure.reason):
            self.form = None
            self.say(judge, "no longer takes constrained requests: verdicts come from free replies")
            return True
        if failure.parameter is None:
            return False
        if failure.parameter in _LOGPROB_PARAMETERS and any(name in body for name in _LOGPROB_PARAMETERS):
            self.logprobs = False
            self.say(judge, "takes no logprobs: verdicts come from its text, without probabilities")
            return True
        if failure.parameter == "max_tokens" and "max_tokens" in body and "max_completion_tokens" in failure.reason:
            self.limit = "max_completion_tokens"
            self.say(judge, "wants max_completion_tokens, so it thinks first: replies may be longer and dearer")
            return True
        if failure.parameter == "temperature" and "temperature" in body:
            self.temperature = False
            self.say(judge, "takes no temperature: its verdicts may differ from run to run")
            return True
        return False

    def learn(self, reply: Reply, body: Mapping[str, Any], judge: str) -> None:
        """Notice what a reply holds or lacks."""
        if reply.logprobs is not None:
            self.logprobs_seen = True
        elif "logprobs" in body and reply.text and not self.logprobs_seen:
            self.say(judge, "gives no logprobs: verdicts come from its text, without probabilities")

    def say(self, judge: str, what: str) -> None:
        """One warning, once."""
        if what not in self._said:
            self._said.add(what)
            logger.warning("judge %s %s", judge, what)


def was_thinking(reply: Reply) -> bool:
    """Whether a reply was cut off inside a thinking trace, or before there was any text."""
    return reply.finish == "length" and (not reply.text.strip() or bool(_TRACE.match(reply.text)))


def read_reply(
    text: str, secret: str | None = None, *, form: Form | None = None, wanted: tuple[str, ...] = ()
) -> Reply | Failure:
    """The reply in the body of a 200; `form` and `wanted`: how it was constrained, if it was."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return Failure(Fate.RETRY, f"the reply is not whole JSON ({len(text)} characters)", status=200)
    if not isinstance(body, Mapping):
        return Failure(Fate.RETRY, "the reply is not a JSON object", status=200)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        error = body.get("error")
        code = error.get("code") if isinstance(error, Mapping) else None
        if isinstance(code, int) and 400 <= code < 600:  # OpenRouter passes an upstream error on under status 200
            return of_status(code, {}, body, secret)
        return Failure(Fate.RETRY, f"the reply holds no choices: {one_line(error or 'no error either')}", status=200)
    choice = choices[0]
    finish = choice.get("finish_reason")
    if finish == "content_filter":
        return Failure(Fate.REFUSED, "content filter (finish_reason)", status=200)
    said = _text(choice)
    positions = _logprobs(choice.get("logprobs"))
    held_to = chosen(said, wanted) if form is not None else None
    if held_to is not None and positions is not None:
        position = choice_position(positions, held_to, wanted)
        positions = None if position is None else (position,)
    return Reply(
        text=said,
        logprobs=None if positions is None else positions[:_POSITIONS],
        model=_string(body.get("model")),
        fingerprint=_string(body.get("system_fingerprint")),
        finish=_string(finish),
        tokens=_tokens(body.get("usage")),
        constrained=form if held_to is not None else None,
    )


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
    except (KeyError, TypeError, AttributeError, ValueError):
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
        # Rounding makes some servers give a hair above 0.
        if not isinstance(token, str) or math.isnan(logprob) or logprob > 1e-3:
            raise ValueError("not a log-probability")
    return tuple((token, float(logprob)) for token, logprob in pairs)


def _string(value: Any) -> str | None:
    return one_line(value) if isinstance(value, str) and value else None


def _tokens(usage: Any) -> tuple[int, int] | None:
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return (prompt, completion) if isinstance(prompt, int) and isinstance(completion, int) else None
