"""What one server and model were found to accept: parameters, their names and limits, roles, forms of constraint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pak3h_tasks.backends.protocol import Reply, Request
from pak3h_tasks.backends.servers.constrain import MOST_LOGPROBS, Form, constrain
from pak3h_tasks.backends.servers.failures import Failure

# A judge that thinks first needs room before it comes to its one word.
THINKING_TOKENS = 2048

_LOGPROB_PARAMETERS = ("logprobs", "top_logprobs")
_LIMITS = ("max_tokens", "max_completion_tokens")
# Without one of these the same question may get another answer, so it is another question to the cache.
_CHANGES_THE_ANSWER = ("temperature", "stop", "seed", "system")
_IS_ABOUT_THE_FORM = re.compile(r"response_format|json_schema|structured.outputs?|guided|grammar")
_AT_MOST = re.compile(
    r"(?:max(?:imum)?(?: value)?(?: allowed)?|less than or equal to|at most|up to|<=|between 0 and)\D{0,12}(\d+)"
)
_AT_LEAST = re.compile(r"(?:minimum(?: value)?|at least|>=|greater than or equal to)\D{0,40}?(\d+)")
_WANTS_ROOM = re.compile(r"could not finish the message|higher max_(?:completion_)?tokens")
_MOST_OF_A_MINIMUM = 256

NO_LOGPROBS = "takes no logprobs: verdicts come from its text, without probabilities"
THINKS = "thinks before it answers: every reply gets room for that"
_SAID = {
    "logprobs": NO_LOGPROBS,
    "temperature": "takes no temperature: its verdicts may differ from run to run",
    "system": "takes no system role: that text goes before the question",
}


@dataclass(frozen=True)
class Dialect:
    """What a server takes; a new one is made of each thing that is learned.

    Attributes:
        refused: Parameters it does not take; ``system`` is that role.
        limit: Its name for the limit of new tokens.
        least_tokens: The smallest such limit it takes.
        most_top_logprobs: The most log-probabilities a position it takes; None: what is asked for.
        thinks: Whether it needs room for a thinking trace.
        budget: How many tokens that room has.
        from_the_start: Whether every chat request has that room, because the user said so.
        form: How it can be held to a request's choices; None: not at all, or not known.
        seek_form: Whether to find that out at the first reply that its log-probabilities do not decide.
        most_logprobs: How many it gives at a position of a constrained reply.
    """

    refused: frozenset[str] = frozenset()
    limit: str = "max_tokens"
    least_tokens: int = 1
    most_top_logprobs: int | None = None
    thinks: bool = False
    budget: int = THINKING_TOKENS
    from_the_start: bool = False
    form: Form | None = None
    seek_form: bool = False
    most_logprobs: int = MOST_LOGPROBS

    def body(self, model: str, request: Request, *, room: bool = False, form: Form | None = None) -> dict[str, Any]:
        """JSON body of a request in this dialect.

        Args:
            model: The model's name at the server.
            request: What is asked.
            room: Leave room for thinking, this once.
            form: A form of constraint to try instead of the known one.
        """
        body: dict[str, Any] = {"model": model, **request.params}
        if request.prompt is None:
            messages = folded(request.messages) if "system" in self.refused else request.messages
            body["messages"] = [{"role": role, "content": content} for role, content in messages]
        else:
            body["prompt"] = request.prompt
        gone = self.refused | ({*_LOGPROB_PARAMETERS} if "logprobs" in self.refused else set())
        body = {name: value for name, value in body.items() if name not in gone}
        if "max_tokens" in body:
            tokens = max(body.pop("max_tokens"), self.least_tokens)
            if request.prompt is None and (
                room or self.thinks or self.from_the_start or self.limit == "max_completion_tokens"
            ):
                tokens = max(tokens, self.budget)
            body[self.limit if request.prompt is None else "max_tokens"] = tokens
        form = form or self.form
        if form is not None and request.choices:
            body = constrain(body, form, request.choices, self.most_logprobs)
        if self.most_top_logprobs is not None:
            wanted = "top_logprobs" if request.prompt is None else "logprobs"  # a number at the completions endpoint
            if wanted in body:
                body[wanted] = min(body[wanted], self.most_top_logprobs)
        return body

    def left_out(self, request: Request) -> tuple[str, ...]:
        """What this dialect leaves out of a request though an answer may depend on it."""
        has = {*request.params, *(role for role, _ in request.messages)}
        return tuple(name for name in _CHANGES_THE_ANSWER if name in self.refused and name in has)

    def after(self, failure: Failure, body: Mapping[str, Any]) -> tuple[Dialect, str] | None:
        """The dialect in which a refused request is worth sending again, and what to say of it; None: there is none."""
        said, parameter = failure.said, failure.parameter
        if failure.status is None or failure.status < 400:
            return None
        if self.form is not None and _IS_ABOUT_THE_FORM.search(said):
            return replace(self, form=None), "no longer takes constrained requests: verdicts come from free replies"
        if _WANTS_ROOM.search(said) and not self.thinks:
            return replace(self, thinks=True), THINKS
        if parameter in _LOGPROB_PARAMETERS and "logprobs" in body:
            return self._with_fewer_logprobs(failure, body)
        if parameter in (*_LIMITS, "max_output_tokens"):
            return self._with_another_limit(failure, body)
        there = any(message["role"] == "system" for message in body.get("messages", ())) if parameter == "system" else (
            parameter in body
        )  # fmt: skip
        if parameter is None or not there:
            return None
        note = _SAID.get(parameter, f"takes no parameter {parameter!r}")
        return replace(self, refused=self.refused | {parameter}), note

    def _with_fewer_logprobs(self, failure: Failure, body: Mapping[str, Any]) -> tuple[Dialect, str]:
        asked = body.get("top_logprobs", body["logprobs"])
        found = _AT_MOST.search(failure.said)
        most = int(found[1][:6]) if found else 0
        if 2 <= most < asked:
            return replace(self, most_top_logprobs=most), f"gives at most {most} logprobs a position"
        return replace(self, refused=self.refused | {"logprobs"}), NO_LOGPROBS

    def _with_another_limit(self, failure: Failure, body: Mapping[str, Any]) -> tuple[Dialect, str] | None:
        name = next((limit for limit in _LIMITS if limit in body), None)
        if name is None:
            return None
        found = _AT_LEAST.search(failure.said)
        if found and body[name] < (least := int(found[1][:6])) <= _MOST_OF_A_MINIMUM:
            return replace(self, least_tokens=least), f"gives at least {least} tokens"
        other = _LIMITS[1 - _LIMITS.index(name)]
        if other not in failure.said and failure.parameter != name:
            return None
        why = ", so it thinks first: replies may be longer and dearer" if other == "max_completion_tokens" else ""
        return None if self.limit == other else (replace(self, limit=other), f"wants {other}{why}")

    def joined(self, start: Dialect, learned: Dialect) -> Dialect:
        """This dialect with what one request, which set out with `start`, has learned beside it."""
        caps = [cap for cap in (self.most_top_logprobs, learned.most_top_logprobs) if cap is not None]
        return replace(
            self,
            refused=self.refused | learned.refused,
            limit=learned.limit if learned.limit != start.limit else self.limit,
            least_tokens=max(self.least_tokens, learned.least_tokens),
            most_top_logprobs=min(caps, default=None),
            thinks=self.thinks or learned.thinks,
            form=None if start.form is not None and learned.form is None else self.form,
        )


def folded(messages: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    r"""Messages for a server without a system role: its text goes before the first turn of the user.

    Example:
        >>> folded((("system", "Be brief."), ("user", "Why?")))
        (('user', 'Be brief.\n\nWhy?'),)
    """
    system = "\n\n".join(content for role, content in messages if role == "system")
    others = [message for message in messages if message[0] != "system"]
    if not system or not others:
        return (("user", system),) if system else messages
    (role, content), *rest = others
    return ((role, f"{system}\n\n{content}"), *rest) if role == "user" else (("user", system), *others)


def lacks_logprobs(reply: Reply, body: Mapping[str, Any]) -> bool:
    """Whether a server that was asked for log-probabilities gave none."""
    return reply.logprobs is None and "logprobs" in body and bool(reply.text)
