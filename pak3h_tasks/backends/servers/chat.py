"""A judge behind any OpenAI-compatible server: OpenAI, vLLM, llama.cpp, Ollama, `transformers serve` and the like."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable, Sized
from dataclasses import replace
from typing import Any, TypeVar

from pak3h_tasks.backends.cache import AnswerCache, answer_key
from pak3h_tasks.backends.progress import Progress
from pak3h_tasks.backends.protocol import Answer, Missing, Parse, Reply, Request
from pak3h_tasks.backends.servers.client import (
    MOST_CONNECTIONS,
    TIMED_OUT,
    OpenAIClient,
    checked_key,
    quiet_http_logs,
    shown_url,
)
from pak3h_tasks.backends.servers.constrain import PROBE, Form, forms_of, spelled_out
from pak3h_tasks.backends.servers.event_loop import run_coroutine
from pak3h_tasks.backends.servers.failures import Failure, Fate
from pak3h_tasks.backends.servers.retry import RetryPolicy
from pak3h_tasks.backends.servers.runner import Asker, count_missing
from pak3h_tasks.backends.servers.wire import Dialect, path_of, read_reply, was_thinking
from pak3h_tasks.errors import BackendError

logger = logging.getLogger(__name__)

T = TypeVar("T")

_PREFLIGHT_ATTEMPTS = 3


class OpenAIChat:
    """A judge asked over HTTP; knows both the chat and the completions endpoint.

    Args:
        model: Model name at the server.
        base_url: The server, mostly ending in /v1; None: OpenAI.
        api_key: Its key; never logged, stored or shown.
        concurrency: Requests in flight, at most 1,000.
        timeout_s: Seconds until a request counts as failed.
        cache: Where answers are kept.
        ask_again: Ask once more what the judge refused, or what could not be read.
        retry: Patience.
        show_progress: None: a bar on a terminal.

    Raises:
        BackendError: The key cannot be sent in a header.
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
        retry: RetryPolicy | None = None,
        show_progress: bool | None = None,
    ) -> None:
        self.model = model
        self.url = shown_url(base_url)
        self.dialect = Dialect()
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
        return (("judge", self.model),)

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
        return count_missing(requests, self._key_of, parse, self._cache, ask_again=self._ask_again)

    def release(self) -> None:
        """Nothing is held between calls."""

    def preflight(self, example: Request) -> None:
        """Check, before anything is generated, that the judge answers: this request once, for one token.

        GET /models would be free, but some servers do not have it, some list a model under another name, and some give
        it without a key or to an account without quota. It is asked only to suggest another name for an unknown model.

        Args:
            example: A request like those to come.

        Raises:
            BackendError: No key, no connection, key refused, model unknown, or no quota.
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
                    outcome = await line.send(request, None)
                    if isinstance(outcome, Reply) and example.choices:
                        self.dialect.seek_form = True
                        # one that answers in labels by itself need not be held to them, as long as it does
                        if outcome.text.strip() not in example.choices:
                            await line.find_form(example)
                    if isinstance(outcome, Reply) or outcome.fate in (Fate.GIVE_UP, Fate.REFUSED, Fate.RATE_LIMIT):
                        return None  # odd or busy, but there, with this key and this model
                    if outcome.fate is Fate.STOP:
                        return outcome.reason + await line.offers(outcome)
                    if attempt >= _PREFLIGHT_ATTEMPTS or outcome.reason.startswith(TIMED_OUT):
                        return f"{outcome.reason}; check the base URL and that the server runs"
                    await asyncio.sleep(self._retry.delay_s(attempt, outcome))

    def _key_of(self, request: Request) -> bytes:
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
        )


class _Line:
    """The open line to the server during one batch; the client is made for the first request, if there is one."""

    def __init__(self, judge: OpenAIChat) -> None:
        self._judge = judge
        self._made: OpenAIClient | None = None

    @property
    def _client(self) -> OpenAIClient:
        if self._made is None:
            self._made = OpenAIClient(self._judge._base_url, self._judge._key, self._judge._timeout_s)
        return self._made

    async def __aenter__(self) -> _Line:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._made is not None:
            await self._made.close()

    async def offers(self, failure: Failure) -> str:
        """After an unknown model: which ones there are."""
        names = _names(await self._client.get("/models")) if failure.status in (400, 404) else []
        return f"; it offers {', '.join(names[:5])}" if names else ""

    async def send(self, request: Request, unparsed: Reply | None) -> Reply | Failure:
        """Ask once, in the dialect the server is known to speak; a refused parameter is left out at no cost."""
        judge, dialect = self._judge, self._judge.dialect
        if unparsed is not None and request.choices and not was_thinking(unparsed):
            if dialect.seek_form:
                await self.find_form(request)
            request = request if dialect.form else spelled_out(request)
        room = unparsed is not None and was_thinking(unparsed)
        outcome: Reply | Failure
        for _ in range(4):
            body = dialect.body(judge.model, request, room=room)
            outcome = await self._post(request, body)
            if isinstance(outcome, Reply) or not dialect.adapt(outcome, body, judge.model):
                break
        if isinstance(outcome, Failure) and _may_be_about_logprobs(outcome, body, dialect):
            second = await self._post(request, dialect.body(judge.model, request, room=room, logprobs=False))
            if isinstance(second, Reply):
                dialect.logprobs = False
                dialect.say(judge.model, "takes no logprobs: verdicts come from its text, without probabilities")
                return second
        if isinstance(outcome, Reply):
            dialect.learn(outcome, body, judge.model)
            if room and not was_thinking(outcome) and not dialect.thinks:
                dialect.thinks = True
                dialect.say(judge.model, "thinks before it answers: every reply gets room for that")
        return outcome

    async def _post(self, request: Request, body: dict[str, Any], form: Form | None = None) -> Reply | Failure:
        # what the dialect learns while the reply is under way says nothing about this body
        form = form or (self._judge.dialect.form if request.choices else None)
        text = await self._client.post(path_of(request), body)
        if isinstance(text, Failure):
            return text
        return read_reply(text, self._judge._key, form=form, wanted=request.choices)

    async def find_form(self, example: Request) -> None:
        """Find out how the server can be held to the choices of requests like this one; a few requests at most."""
        judge, dialect = self._judge, self._judge.dialect
        dialect.seek_form = False
        probe = replace(PROBE, params=example.params)
        for form in forms_of(judge.url):
            outcome = await self._post(probe, dialect.body(judge.model, probe, form=form), form)
            if isinstance(outcome, Failure) and outcome.parameter in ("logprobs", "top_logprobs"):
                dialect.most_logprobs = 0  # as many as were asked for
                outcome = await self._post(probe, dialect.body(judge.model, probe, form=form), form)
            if isinstance(outcome, Reply) and outcome.constrained is not None:
                logger.info("judge %s is held to the labels by %s", judge.model, form)
                dialect.form = form
                return


def _may_be_about_logprobs(failure: Failure, body: dict[str, Any], dialect: Dialect) -> bool:
    """A refusal that does not say why, from a server that has never given logprobs."""
    return (
        failure.fate is Fate.GIVE_UP
        and failure.status in (400, 422)
        and "logprobs" in body
        and not dialect.logprobs_seen
    )


def _names(listed: str | Failure) -> list[str]:
    try:
        return [] if isinstance(listed, Failure) else [str(entry["id"]) for entry in json.loads(listed)["data"]]
    except (ValueError, KeyError, TypeError):
        return []
