"""A judge behind any OpenAI-compatible server: OpenAI, vLLM, llama.cpp, Ollama, `transformers serve` and the like."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pak3h_tasks.backends.cache import AnswerCache, answer_key
from pak3h_tasks.backends.lookup import LookedUp, count_missing, looked_up, unread, was_thinking
from pak3h_tasks.backends.protocol import Answer, Missing, Parse, Reply, Request, name_without_folders
from pak3h_tasks.backends.servers.address import Address, urls_of
from pak3h_tasks.backends.servers.client import MOST_CONNECTIONS, TIMED_OUT, checked_key, quiet_http_logs
from pak3h_tasks.backends.servers.dialect import THINKING_TOKENS, Dialect
from pak3h_tasks.backends.servers.event_loop import run_coroutine
from pak3h_tasks.backends.servers.failures import KEY_REFUSED, Fate
from pak3h_tasks.backends.servers.line import Line, ServedModel
from pak3h_tasks.backends.servers.retry import Patience, RetryPolicy
from pak3h_tasks.backends.servers.runner import Asker
from pak3h_tasks.errors import BackendError
from pak3h_tasks.progress import Progress
from pak3h_tasks.text.thinking import without_thinking

logger = logging.getLogger(__name__)

T = TypeVar("T")

_PREFLIGHT_ATTEMPTS = 3
_OFTEN_REFUSED = ({"temperature"}, {"system"}, {"temperature", "system"})


class OpenAIChat:
    """A judge asked over HTTP; knows both the chat and the completions endpoint.

    Args:
        model: Model name at the server, or ``azure:DEPLOYMENT``.
        base_url: The server, mostly ending in /v1; None: OpenAI. Several, joined by commas, have the same model and are
            asked in turn; to the cache they are the first.
        api_key: Its key; never logged, stored or shown.
        concurrency: Requests in flight, at most 1,000.
        timeout_s: Seconds until a request counts as failed.
        cache: Where answers are kept.
        waiting: Says keys of questions that are not asked, since a batch is to answer them.
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
        waiting: Callable[[], frozenset[bytes]] = frozenset,
        ask_again: bool = False,
        max_tokens: int | None = None,
        api_version: str | None = None,
        retry: RetryPolicy | None = None,
        show_progress: bool | None = None,
    ) -> None:
        self.model = model
        addresses = [Address.parse(url, model=model, api_version=api_version) for url in urls_of(base_url)]
        dialect = Dialect(budget=max_tokens or THINKING_TOKENS, from_the_start=max_tokens is not None)
        self.url = addresses[0].url
        self.served = ServedModel(
            model, addresses[0], checked_key(api_key), timeout_s, dialect, others=tuple(addresses[1:])
        )
        self._known = False
        self._base_url = base_url
        self._concurrency = max(1, min(concurrency, MOST_CONNECTIONS))
        self._cache, self._waiting, self.ask_again, self._show_progress = cache, waiting, ask_again, show_progress
        self._retry = retry if retry is not None else RetryPolicy()

    def __repr__(self) -> str:
        return f"OpenAIChat({self.model!r}, base_url={self.url!r})"

    @property
    def dialect(self) -> Dialect:
        """What the server was found to take."""
        return self.served.dialect

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
            async with Line(self.served) as line:
                asker: Asker[T] = Asker(
                    self.model,
                    self.kind,
                    line.send,
                    self.key_of,
                    parse,
                    can_hold=line.can_hold,
                    cache=self._cache,
                    ask_again=self.ask_again,
                    room=self.dialect.budget,
                    key_of_answer=lambda request, reply: self._key_without(request, reply.left_out),
                    other_keys=self._imported,
                    waiting=self._waiting(),
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
        return count_missing(self.look_up(requests, parse))

    def look_up(self, requests: Iterable[Request], parse: Parse[T]) -> Iterator[list[LookedUp[T]]]:
        """Chunks of the requests with what the cache has of them, without asking the server."""
        return looked_up(
            requests,
            self.key_of,
            parse,
            self._cache,
            ask_again=self.ask_again,
            room=self.dialect.budget,
            others=self.other_keys,
        )

    def release(self) -> None:
        """Nothing is held between calls."""

    def preflight(self, example: Request) -> None:
        """Check, before anything is generated, that the judge answers, and what it takes: this request, for one token.

        A judge that says nothing in one token is asked once more, and with room for thinking where it ran out of them.

        GET /models would be free, but some servers do not have it, some list a model under another name, and some give
        it without a key or to an account without quota. It is asked only to suggest another name for an unknown model.

        Args:
            example: A request like those to come.

        Raises:
            BackendError: No key, no connection, key refused, model unknown, no quota, or whatever else keeps the judge
                from answering a harmless question.
        """
        if self.served.key is None and self._base_url is None:
            if Path(self.model).exists() or self.model.startswith(("./", "../", "/", "~")):
                raise BackendError(f"judge {self.model}: a model on this machine is written hf:{self.model}")
            raise BackendError(
                f"judge {self.model}: no API key; set OPENAI_API_KEY (or PAK3H_JUDGE_API_KEY), or PAK3H_JUDGE_BASE_URL "
                "for a server of your own, or PAK3H_JUDGE=none to judge later with `pak3h score`"
            )
        for address in (self.served.address, *self.served.others):
            if not re.match(r"https?://[^/]", address.url):
                raise BackendError(
                    f"judge {self.model}: the base URL {address.url.rpartition('@')[2]!r} must begin with http:// or "
                    "https:// and name a host, as http://127.0.0.1:8000/v1; mend PAK3H_JUDGE_BASE_URL"
                )
        fault = run_coroutine(lambda: self._preflight(example))
        if fault is not None:
            remedy = "; mend PAK3H_JUDGE_API_KEY (or OPENAI_API_KEY)" if fault.startswith(KEY_REFUSED) else ""
            raise BackendError(f"judge {self.model} at {self.url}: {fault}{remedy}")

    async def _preflight(self, example: Request) -> str | None:
        request = replace(example, params={**example.params, "max_tokens": 1})
        silent: Reply | None = None
        with quiet_http_logs():
            async with Line(self.served) as line:
                attempt = 0
                while True:
                    attempt += 1
                    outcome = await line.send(request, silent, harmless=True)
                    if isinstance(outcome, Reply):
                        self._known = True
                        if example.choices and request is not example:
                            self.served.dialect = replace(self.dialect, seek_form=True)
                            # one that answers in labels by itself need not be held to them, as long as it does
                            if outcome.text.strip() not in example.choices:
                                await line.find_form(example)
                        if self.dialect.form or _says_something(outcome, request):
                            return None
                        # one token may begin a thought: once more with those of a question, and then with room
                        if request is example and (silent is not None or not was_thinking(outcome)):
                            return (
                                unread(outcome)
                                if was_thinking(outcome)
                                else "it answers nothing to a harmless question"
                            )
                        silent = outcome if request is example else None
                        request, attempt = example, 0
                        continue
                    if outcome.fate in (Fate.STOP, Fate.GIVE_UP, Fate.REFUSED):
                        return outcome.reason + await line.offers(outcome)
                    if outcome.fate is Fate.RATE_LIMIT:
                        then = Patience(self._retry).after(outcome, attempt)
                        return then.reason if then.stop else None  # busy, but there, with this key and this model
                    if attempt >= _PREFLIGHT_ATTEMPTS or outcome.reason.startswith(TIMED_OUT):
                        return f"{outcome.reason}; check the base URL and that the server runs"
                    await asyncio.sleep(self._retry.delay_s(attempt, outcome))

    def find_form(self, example: Request) -> None:
        """Find out how the server can be held to the choices of requests like this one, where that is still to be."""

        async def find() -> None:
            async with Line(self.served) as line:
                await line.find_form(example)

        if self.dialect.seek_form:
            with quiet_http_logs():
                run_coroutine(find)

    def key_of(self, request: Request, *, any_server: bool = False) -> bytes:
        """Cache key of a question in this server's dialect; `any_server`: of an answer that came in a file."""
        return self._key_without(request, self.dialect.left_out(request), any_server=any_server)

    def _imported(self, request: Request) -> list[bytes]:
        """Keys of an answer that came in a file."""
        ways = dict.fromkeys((self.dialect.left_out(request), ()))
        return [self._key_without(request, left_out, any_server=True) for left_out in ways]

    def other_keys(self, request: Request) -> list[bytes]:
        """As `_imported`; and while nobody has asked what the server takes, of whichever way an answer was made."""
        if self._known:
            return self._imported(request)
        ways = dict.fromkeys(Dialect(refused=frozenset(refused)).left_out(request) for refused in _OFTEN_REFUSED)
        made = [
            self._key_without(request, left, any_server=imported) for left in ways if left for imported in (False, True)
        ]
        return self._imported(request) + made

    def _key_without(self, request: Request, left_out: tuple[str, ...], *, any_server: bool = False) -> bytes:
        """Key of a question without what the server does not take; with everything it is 0.1.0's."""
        return answer_key(
            {
                "kind": self.kind,
                "url": "" if any_server else self.url,
                "model": self.model,
                "messages": request.messages,
                "prompt": request.prompt,
                "params": dict(request.params),
                "version": request.version,
            }
            | ({"left_out": left_out} if left_out else {})
        )


def _says_something(reply: Reply, request: Request) -> bool:
    """Whether a judge has begun to answer; one that continues a prompt may do so in log-probabilities alone."""
    return bool(without_thinking(reply.text).strip() or (request.prompt is not None and reply.logprobs))
