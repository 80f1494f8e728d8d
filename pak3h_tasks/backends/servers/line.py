"""Questions to one server and model in the dialect that it is found to speak.

A parameter, role or limit that a server refuses is changed and the question sent again, at no cost. What one item was
told is believed of all only after a harmless question meets the same refusal, or several items agree.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from pak3h_tasks.backends.lookup import was_thinking
from pak3h_tasks.backends.protocol import Reply, Request, name_without_folders
from pak3h_tasks.backends.servers.address import Address, name_for
from pak3h_tasks.backends.servers.client import OpenAIClient
from pak3h_tasks.backends.servers.constrain import PROBE, Form, asked_again, forms_of
from pak3h_tasks.backends.servers.dialect import NO_LOGPROBS, THINKS, Dialect, lacks_logprobs
from pak3h_tasks.backends.servers.failures import Failure, Fate
from pak3h_tasks.backends.servers.wire import path_of, read_reply

logger = logging.getLogger(__name__)

_MOST_CHANGES = 6
_ITEMS_THAT_AGREE = 3


@dataclass
class ServedModel:
    """A server and a model on it, with what batch after batch has learned of them.

    Attributes:
        model: The model's name as the user gave it.
        address: The server.
        key: Its key.
        timeout_s: Seconds until a request counts as failed.
        dialect: What it takes.
        logprobs_seen: Whether it has ever given log-probabilities.
        others: Further servers of the same model, asked in turn.
    """

    model: str
    address: Address
    key: str | None = field(repr=False)
    timeout_s: float
    dialect: Dialect
    logprobs_seen: bool = False
    others: tuple[Address, ...] = ()
    _said: set[str] = field(default_factory=set, repr=False)

    def say(self, what: str) -> None:
        """One warning, once."""
        if what not in self._said:
            self._said.add(what)
            logger.warning("judge %s %s", self.model, what)


class Line:
    """The open line to a server during one batch; the client is made for the first request, if there is one.

    Args:
        judge: Server and model; what is learned on the way is kept there.
    """

    def __init__(self, judge: ServedModel) -> None:
        self._judge = judge
        self._made: list[OpenAIClient] = []
        self._turn = 0
        self._checking = asyncio.Lock()
        self._fine_at = float("-inf")
        self._odd: Counter[str] = Counter()

    def _client(self) -> OpenAIClient:
        """The next server's."""
        if not self._made:
            judge = self._judge
            addresses = (judge.address, *judge.others)
            self._made = [OpenAIClient(address, judge.key, judge.timeout_s) for address in addresses]
        self._turn += 1
        return self._made[(self._turn - 1) % len(self._made)]

    async def __aenter__(self) -> Line:
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self._made:
            await client.close()

    async def offers(self, failure: Failure) -> str:
        """After an unknown model: which ones there are."""
        unknown = "the model" in failure.reason
        names = _names(await self._client().get("/models")) if unknown else []
        return f"; it offers {', '.join(map(name_without_folders, names[:5]))}" if names else ""

    async def send(self, request: Request, unparsed: Reply | None, *, harmless: bool = False) -> Reply | Failure:
        """Ask once, in the dialect the server is known to speak; a refused parameter is left out at no cost.

        Args:
            request: What is asked.
            unparsed: The reply that could not be read, if this is the second time of asking.
            harmless: No item of the batch but a fixed question, so that a refusal is believed at once.
        """
        judge = self._judge
        room = False
        if unparsed is not None:
            if not was_thinking(unparsed):
                await self.can_hold(request)
            request, room = asked_again(request, unparsed, judge.dialect.form)
        began = time.monotonic()
        outcome = await self._adapted(request, room=room, harmless=harmless)
        if isinstance(outcome, Failure) and outcome.fate is Fate.STOP and not harmless:
            checked = await self._checked(request, outcome, began)
            if checked is None:  # the server takes the key and the model: once more, and then this item alone is lost
                outcome = await self._adapted(request, room=room, harmless=False)
                if isinstance(outcome, Failure) and outcome.fate is Fate.STOP:
                    alone = "refused for this item alone, another question is answered"
                    outcome = replace(outcome, fate=Fate.GIVE_UP, reason=f"{alone} ({outcome.reason})")
            else:
                outcome = checked
        if isinstance(outcome, Reply) and room and not was_thinking(outcome) and not judge.dialect.thinks:
            judge.dialect = replace(judge.dialect, thinks=True)
            judge.say(THINKS)
        return outcome

    async def _adapted(self, request: Request, *, room: bool, harmless: bool) -> Reply | Failure:
        judge = self._judge
        start = judge.dialect
        outcome, tried, body, notes = await self._taken(request, start, room=room, ours=harmless)
        if isinstance(outcome, Failure) and self._may_be_about_logprobs(outcome, body):
            fewer = replace(tried, refused=tried.refused | {"logprobs"})
            plain = fewer.body(name_for(judge.model), request, room=room)
            second = await self._post(request, plain, fewer.form if request.choices else None, ours=harmless)
            if isinstance(second, Reply):
                notes.append(NO_LOGPROBS)
                outcome, tried, body = second, fewer, plain
            elif second.fate in (Fate.RETRY, Fate.RATE_LIMIT):
                outcome = second  # nothing is known yet
        if isinstance(outcome, Failure):
            return outcome
        if tried != start:
            await self._learn(start, tried, notes, request, harmless=harmless)
        judge.logprobs_seen |= outcome.logprobs is not None
        if not judge.logprobs_seen and lacks_logprobs(outcome, body):
            judge.say("gives no logprobs: verdicts come from its text, without probabilities")
        limit = body.get(tried.limit)
        return replace(
            outcome,
            left_out=tried.left_out(request),
            room=limit if was_thinking(outcome) and isinstance(limit, int) else None,
        )

    async def _taken(
        self, request: Request, tried: Dialect, *, room: bool = False, ours: bool
    ) -> tuple[Reply | Failure, Dialect, dict[str, Any], list[str]]:
        """Change what the server refuses, a few times at most: the last outcome, its dialect and body, the changes."""
        notes: list[str] = []
        while True:
            body = tried.body(name_for(self._judge.model), request, room=room)
            outcome = await self._post(request, body, tried.form if request.choices else None, ours=ours)
            if isinstance(outcome, Reply) or len(notes) >= _MOST_CHANGES or not (then := tried.after(outcome, body)):
                return outcome, tried, body, notes
            tried, note = then
            notes.append(note)

    async def _learn(
        self, start: Dialect, tried: Dialect, notes: list[str], request: Request, *, harmless: bool
    ) -> None:
        """Keep what one request has learned, if a harmless question meets the same refusal, or several items agree."""
        judge = self._judge
        async with self._checking:
            joined = judge.dialect.joined(start, tried)
            if joined == judge.dialect:
                return
            about = "; ".join(notes)
            if not harmless:
                probe = _probe_like(request)
                body = judge.dialect.body(name_for(judge.model), probe)
                outcome = await self._post(probe, body, judge.dialect.form, ours=True)
                refused = isinstance(outcome, Failure) and judge.dialect.after(outcome, body) is not None
                unexplained = isinstance(outcome, Failure) and NO_LOGPROBS in notes and outcome.fate is Fate.GIVE_UP
                self._odd[about] += 1
                if not (refused or unexplained or self._odd[about] >= _ITEMS_THAT_AGREE):
                    return
            judge.dialect = judge.dialect.joined(start, tried)
        for note in notes:
            judge.say(note)

    async def _checked(self, request: Request, failure: Failure, began: float) -> Failure | None:
        """What one item was told, where it holds for all: a harmless question decides; None: it does not."""
        async with self._checking:
            if self._fine_at > began:
                return None
            outcome, *_ = await self._taken(_probe_like(request), self._judge.dialect, ours=True)
            if isinstance(outcome, Reply):
                self._fine_at = time.monotonic()
                return None
            if outcome.fate in (Fate.RETRY, Fate.RATE_LIMIT):
                return replace(failure, fate=outcome.fate, retry_after_s=outcome.retry_after_s)  # nothing known yet
            return outcome if outcome.fate is Fate.STOP and outcome.status == failure.status else failure

    def _may_be_about_logprobs(self, failure: Failure, body: dict[str, Any]) -> bool:
        """A refusal that does not say why, from a server that has never given logprobs."""
        return (
            failure.fate is Fate.GIVE_UP
            and failure.status in (400, 422)
            and "logprobs" in body
            and not self._judge.logprobs_seen
        )

    async def _post(
        self, request: Request, body: dict[str, Any], form: Form | None, *, ours: bool = False
    ) -> Reply | Failure:
        text = await self._client().post(path_of(request), body, quotable=not ours)
        if isinstance(text, Failure):
            return text
        return read_reply(text, self._judge.key, form=form, wanted=request.choices, body=None if ours else body)

    async def can_hold(self, request: Request) -> bool:
        """Whether replies can be held to the choices of a request; found out now where that is still to be."""
        async with self._checking:  # whoever comes second waits for what is found
            if request.choices and self._judge.dialect.seek_form:
                await self.find_form(request)
        return bool(request.choices and self._judge.dialect.form)

    async def find_form(self, example: Request) -> None:
        """Find out how the server can be held to the choices of requests like this one; a few requests at most."""
        judge, name = self._judge, name_for(self._judge.model)
        judge.dialect = replace(judge.dialect, seek_form=False)
        probe = replace(PROBE, params=example.params)
        for form in forms_of(judge.address.url):
            outcome = await self._post(probe, judge.dialect.body(name, probe, form=form), form, ours=True)
            if isinstance(outcome, Failure) and outcome.parameter in ("logprobs", "top_logprobs"):
                judge.dialect = replace(judge.dialect, most_logprobs=0)  # as many as were asked for
                outcome = await self._post(probe, judge.dialect.body(name, probe, form=form), form, ours=True)
            if isinstance(outcome, Reply) and outcome.constrained is not None:
                logger.info("judge %s is held to the labels by %s", judge.model, form)
                judge.dialect = replace(judge.dialect, form=form)
                return


def _probe_like(request: Request) -> Request:
    """A harmless question with a request's parameters, endpoint and roles."""
    if request.prompt is not None:
        return replace(request, prompt="Hello!", choices=())
    system = (("system", "Reply with one word."),) if any(role == "system" for role, _ in request.messages) else ()
    choices = PROBE.choices if request.choices else ()
    return replace(request, messages=(*system, *PROBE.messages), choices=choices)


def _names(listed: str | Failure) -> list[str]:
    try:
        return [] if isinstance(listed, Failure) else [str(entry["id"]) for entry in json.loads(listed)["data"]]
    except (ValueError, KeyError, TypeError):
        return []
