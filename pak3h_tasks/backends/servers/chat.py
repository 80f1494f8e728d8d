"""A judge behind any OpenAI-compatible server: OpenAI, vLLM, llama.cpp, Ollama, `transformers serve` and the like."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Iterable, Sized
from dataclasses import replace
from typing import Any, TypeVar

from pak3h_tasks.backends.cache import AnswerCache, answer_key
from pak3h_tasks.backends.lookup import KeyOf, count_missing, was_thinking
from pak3h_tasks.backends.progress import Progress
from pak3h_tasks.backends.protocol import Answer, Missing, Parse, Reply, Request, name_without_folders
from pak3h_tasks.backends.servers.address import Address, name_for
from pak3h_tasks.backends.servers.client import (
    MOST_CONNECTIONS,
    TIMED_OUT,
    OpenAIClient,
    checked_key,
    quiet_http_logs,
    text_of,
)
from pak3h_tasks.backends.servers.constrain import PROBE, Form, forms_of, spelled_out
from pak3h_tasks.backends.servers.dialect import NO_LOGPROBS, THINKING_TOKENS, Dialect, lacks_logprobs
from pak3h_tasks.backends.servers.event_loop import run_coroutine
from pak3h_tasks.backends.servers.failures import Failure, Fate
from pak3h_tasks.backends.servers.retry import Patience, RetryPolicy
from pak3h_tasks.backends.servers.runner import Asker
from pak3h_tasks.backends.servers.wire import path_of, read_reply
from pak3h_tasks.errors import BackendError

logger = logging.getLogger(__name__)

T = TypeVar("T")

_PREFLIGHT_ATTEMPTS = 3
_MOST_CHANGES = 6
_ITEMS_THAT_AGREE = 3


class OpenAIChat:
    """A judge asked over HTTP; knows both the chat and the completions endpoint.

    Args:
        model: Model name at the server, or ``azure:DEPLOYMENT``.
        base_url: The server, mostly ending in /v1; None: OpenAI.
        api_key: Its key; never logged, stored or shown.
        concurrency: Requests in flight, at most 1,000.
        timeout_s: Seconds until a request counts as failed.
        cache: Where answers are kept.
        ask_again: Ask once more what the judge refused, or what could not be read.
        max_tokens: Tokens a chat reply may have; None: a few, or 2,048 where the judge thinks first.
        api_version: Version of Azure's classic interface, for ``azure:DEPLOYMENT`` and such URLs.
        retry: Patience.
        show_progress: None: a bar on a terminal.

    Raises:
        BackendError: The key cannot be sent in a header, or there is no such address.
    """

    kind = "openai"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        concurrency: int = 32,
        timeout_s: float = 60.0,
        cache: AnswerCache | None = None,
        ask_again: bool = False,
        max_tokens: int | None = None,
        api_version: str | None = None,
        retry: RetryPolicy | None = None,
        show_progress: bool | None = None,
    ) -> None:
        self.model = model
        self.address = Address.parse(base_url, model=model, api_version=api_version)
        self.url = self.address.url
        self.dialect = Dialect(budget=max_tokens or THINKING_TOKENS, from_the_start=max_tokens is not None)
        self.logprobs_seen = False
        self._said: set[str] = set()
        self._known = False
        self._base_url, self._key = base_url, checked_key(api_key)
        self._concurrency = max(1, min(concurrency, MOST_CONNECTIONS))
        self._timeout_s, self._cache, self._show_progress = timeout_s, cache, show_progress
        self._ask_again = ask_again
        self._retry = retry if retry is not None else RetryPolicy()

    def __repr__(self) -> str:
        return f"OpenAIChat({self.model!r}, base_url={self.url!r})"

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """The model asked for; what the server says it is comes with each reply."""
        return (("judge", name_without_folders(self.model)),)

    def ask(self, requests: Iterable[Request], parse: Parse[T], *, total: int | None = None) -> list[Answer[T]]:
        """Answers in the order of the requests.

        Every reply is in the cache before anything else can happen to it; equal requests are asked once. The
        call works inside a running event loop and raises nothing because of the server.

        Args:
            requests: Pulled as they are needed; a generator keeps memory flat.
            parse: Makes a value of a reply; None: the reply makes no sense and is asked for once more.
            total: Number of requests, for the progress bar, where `requests` has no length.
        """
        if total is None and isinstance(requests, Sized):
            total = len(requests)
        return run_coroutine(lambda: self._ask(requests, parse, total))

    async def _ask(self, requests: Iterable[Request], parse: Parse[T], total: int | None) -> list[Answer[T]]:
        with Progress(f"judge {self.model}", total, self._show_progress) as progress, quiet_http_logs():
            async with _Line(self) as line:
                asker: Asker[T] = Asker(
                    self.model,
                    self.kind,
                    line.send,
                    self._key_of,
                    parse,
                    cache=self._cache,
                    ask_again=self._ask_again,
                    room=self.dialect.budget,
                    key_of_answer=lambda request, reply: self._key_without(request, reply.left_out),
                    concurrency=self._concurrency,
                    retry=self._retry,
                    progress=progress,
                )
                answers = await asker.run(requests)
        unscored = sum(asker.reasons.values())
        if unscored:
            commonest = "; ".join(f"{count} x {reason[:120]}" for reason, count in asker.reasons.most_common(3))
            logger.warning("judge %s: %d of %d answers unscored (%s)", self.model, unscored, len(answers), commonest)
        return answers

    def missing(self, requests: Iterable[Request], parse: Parse[T]) -> Missing:
        """What `ask` would still have to ask."""
        patience: dict[str, Any] = {"ask_again": self._ask_again, "room": self.dialect.budget}
        if self._known:
            return count_missing(requests, self._key_of, parse, self._cache, **patience)
        # nobody has asked the server yet what it takes: whichever way the answers were made, they are there
        requests = list(requests)
        keys: list[KeyOf] = [
            self._key_of,
            lambda request: self._key_without(request, Dialect(refused=frozenset({"temperature"})).left_out(request)),
        ]
        counts = [count_missing(requests, key_of, parse, self._cache, **patience) for key_of in keys]
        return min(counts, key=lambda count: count.calls)

    def release(self) -> None:
        """Nothing is held between calls."""

    def preflight(self, example: Request) -> None:
        """Check, before anything is generated, that the judge answers, and what it takes: this request, for one token.

        GET /models would be free, but some servers do not have it, some list a model under another name, and some give
        it without a key or to an account without quota. It is asked only to suggest another name for an unknown model.

        Args:
            example: A request like those to come.

        Raises:
            BackendError: No key, no connection, key refused, model unknown, no quota, or whatever else keeps the judge
                from answering a harmless question.
        """
        if self._key is None and self._base_url is None:
            raise BackendError(
                f"judge {self.model}: no API key; set OPENAI_API_KEY (or PAK3H_JUDGE_API_KEY), or PAK3H_JUDGE_BASE_URL "
                "for a server of your own, or PAK3H_JUDGE=none to judge later with `pak3h score`"
            )
        if not self.url.startswith(("http://", "https://")):
            raise BackendError(f"judge {self.model}: the base URL {self.url!r} must begin with http:// or https://")
        fault = run_coroutine(lambda: self._preflight(example))
        if fault is not None:
            raise BackendError(f"judge {self.model} at {self.url}: {fault}")

    async def _preflight(self, example: Request) -> str | None:
        request = replace(example, params={**example.params, "max_tokens": 1})
        with quiet_http_logs():
            async with _Line(self) as line:
                attempt = 0
                while True:
                    attempt += 1
                    outcome = await line.send(request, None, harmless=True)
                    if isinstance(outcome, Reply):
                        if example.choices:
                            self.dialect = replace(self.dialect, seek_form=True)
                            # one that answers in labels by itself need not be held to them, as long as it does
                            if outcome.text.strip() not in example.choices:
                                await line.find_form(example)
                        self._known = True
                        return None
                    if outcome.fate in (Fate.STOP, Fate.GIVE_UP, Fate.REFUSED):
                        return outcome.reason + await line.offers(outcome)
                    if outcome.fate is Fate.RATE_LIMIT:
                        then = Patience(self._retry).after(outcome, attempt)
                        return then.reason if then.stop else None  # busy, but there, with this key and this model
                    if attempt >= _PREFLIGHT_ATTEMPTS or outcome.reason.startswith(TIMED_OUT):
                        return f"{outcome.reason}; check the base URL and that the server runs"
                    await asyncio.sleep(self._retry.delay_s(attempt, outcome))

    def say(self, what: str) -> None:
        """One warning, once."""
        if what not in self._said:
            self._said.add(what)
            logger.warning("judge %s %s", self.model, what)

    def _key_of(self, request: Request) -> bytes:
        return self._key_without(request, self.dialect.left_out(request))

    def _key_without(self, request: Request, left_out: tuple[str, ...]) -> bytes:
        """Key of a question without what the server does not take; with everything it is 0.1.0's."""
        return answer_key(
            {
                "kind": self.kind,
                "url": self.url,
                "model": self.model,
                "messages": request.messages,
                "prompt": request.prompt,
                "params": dict(request.params),
                "version": request.version,
            }
            | ({"left_out": left_out} if left_out else {})
        )


class _Line:
    """The open line to the server during one batch; the client is made for the first request, if there is one."""

    def __init__(self, judge: OpenAIChat) -> None:
        self._judge = judge
        self._made: OpenAIClient | None = None
        self._checking = asyncio.Lock()
        self._fine_at = float("-inf")
        self._odd: Counter[str] = Counter()

    @property
    def _client(self) -> OpenAIClient:
        if self._made is None:
            judge = self._judge
            self._made = OpenAIClient(judge.address, judge._key, judge._timeout_s)
        return self._made

    async def __aenter__(self) -> _Line:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._made is not None:
            await self._made.close()

    async def offers(self, failure: Failure) -> str:
        """After an unknown model: which ones there are."""
        unknown = "the model" in failure.reason
        names = _names(await self._client.get("/models")) if unknown else []
        return f"; it offers {', '.join(map(name_without_folders, names[:5]))}" if names else ""

    async def send(self, request: Request, unparsed: Reply | None, *, harmless: bool = False) -> Reply | Failure:
        """Ask once, in the dialect the server is known to speak; a refused parameter is left out at no cost.

        Args:
            request: What is asked.
            unparsed: The reply that could not be read, if this is the second time of asking.
            harmless: No item of the batch but a fixed question, so that a refusal is believed at once.
        """
        judge = self._judge
        if unparsed is not None and request.choices and not was_thinking(unparsed):
            if judge.dialect.seek_form:
                await self.find_form(request)
            request = request if judge.dialect.form else spelled_out(request)
        room = unparsed is not None and was_thinking(unparsed)
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
            judge.say("thinks before it answers: every reply gets room for that")
        return outcome

    async def _adapted(self, request: Request, *, room: bool, harmless: bool) -> Reply | Failure:
        judge = self._judge
        start = tried = judge.dialect
        notes: list[str] = []
        while True:
            body = tried.body(name_for(judge.model), request, room=room)
            outcome = await self._post(request, body, tried.form if request.choices else None)
            if isinstance(outcome, Reply) or len(notes) >= _MOST_CHANGES or not (then := tried.after(outcome, body)):
                break
            tried, note = then
            notes.append(note)
        if isinstance(outcome, Failure) and self._may_be_about_logprobs(outcome, body):
            fewer = replace(tried, refused=tried.refused | {"logprobs"})
            plain = fewer.body(name_for(judge.model), request, room=room)
            second = await self._post(request, plain, fewer.form if request.choices else None)
            if isinstance(second, Reply):
                notes.append(NO_LOGPROBS)
                outcome, tried, body = second, fewer, plain
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
                outcome = await self._post(probe, body, judge.dialect.form)
                refused = isinstance(outcome, Failure) and judge.dialect.after(outcome, body) is not None
                unexplained = isinstance(outcome, Failure) and NO_LOGPROBS in notes and outcome.fate is Fate.GIVE_UP
                self._odd[about] += 1
                if not (refused or unexplained or self._odd[about] >= _ITEMS_THAT_AGREE):
                    return
            judge.dialect = judge.dialect.joined(start, tried)
        for note in notes:
            judge.say(note)

    async def _checked(self, request: Request, failure: Failure, began: float) -> Failure | None:
        """Whether what one item was told holds for all: a harmless question decides; None: it does not."""
        async with self._checking:
            if self._fine_at > began:
                return None
            probe = _probe_like(request)
            outcome = await self._adapted_probe(probe)
            if isinstance(outcome, Failure) and outcome.fate is Fate.STOP:
                return outcome if outcome.status == failure.status else failure
            if isinstance(outcome, Failure) and outcome.fate in (Fate.RETRY, Fate.RATE_LIMIT):
                return replace(failure, fate=outcome.fate, retry_after_s=outcome.retry_after_s)  # nothing known yet
            self._fine_at = time.monotonic()
            return None

    async def _adapted_probe(self, probe: Request) -> Reply | Failure:
        dialect = self._judge.dialect
        while True:
            body = dialect.body(name_for(self._judge.model), probe)
            outcome = await self._post(probe, body, dialect.form)
            if isinstance(outcome, Reply) or not (then := dialect.after(outcome, body)):
                return outcome
            dialect = then[0]

    def _may_be_about_logprobs(self, failure: Failure, body: dict[str, Any]) -> bool:
        """A refusal that does not say why, from a server that has never given logprobs."""
        return (
            failure.fate is Fate.GIVE_UP
            and failure.status in (400, 422)
            and "logprobs" in body
            and not self._judge.logprobs_seen
        )

    async def _post(self, request: Request, body: dict[str, Any], form: Form | None) -> Reply | Failure:
        text = await self._client.post(path_of(request), body)
        if isinstance(text, Failure):
            return text
        return read_reply(text, self._judge._key, form=form, wanted=request.choices, sent=text_of(body))

    async def find_form(self, example: Request) -> None:
        """Find out how the server can be held to the choices of requests like this one; a few requests at most."""
        judge, name = self._judge, name_for(self._judge.model)
        judge.dialect = replace(judge.dialect, seek_form=False)
        probe = replace(PROBE, params=example.params)
        for form in forms_of(judge.url):
            outcome = await self._post(probe, judge.dialect.body(name, probe, form=form), form)
            if isinstance(outcome, Failure) and outcome.parameter in ("logprobs", "top_logprobs"):
                judge.dialect = replace(judge.dialect, most_logprobs=0)  # as many as were asked for
                outcome = await self._post(probe, judge.dialect.body(name, probe, form=form), form)
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
