"""One shared AsyncOpenAI client whose errors are values without secrets.

The openai package is the client, but replies are taken as plain HTTP: building its pydantic objects costs half a
millisecond a call and refuses replies that servers really send. openai 2 and older stand on httpx, 3 and newer on
httpx2; both parse HTTP with h11, which takes a reply that was delivered twice for the answer to the *next* request on
that connection (reproduced with openai 3.57: wrong verdicts, no error). aiohttp closes such a connection, so its
transport is used where the package is there (the extra `openai[aiohttp]`); without it, no connection is used twice.

Redirects to another server are refused: the questions were not meant for it. A reply is cut off at a few megabytes,
packed and unpacked.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import sys
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urljoin

from pak3h_tasks.backends.servers.address import Address, same_server, shown_url
from pak3h_tasks.backends.servers.failures import Failure, Fate, as_reason, of_status, without_key
from pak3h_tasks.backends.servers.wire import text_of
from pak3h_tasks.errors import BackendError

MOST_CONNECTIONS = 1000  # openai's own connection limit
TIMED_OUT = "timed out"
MOST_BYTES = 4 * 2**20
"""A judge's reply is a few hundred bytes, the largest one (200 log-probabilities at 64 tokens) under one megabyte."""

_NO_KEY = "not-needed"
_MOST_REDIRECTS = 3


T = TypeVar("T")


class TooLargeError(Exception):
    """A reply over its limit."""


class UnknownEncodingError(Exception):
    """A reply that is packed in a way nobody asked for."""


def checked_key(api_key: str | None) -> str | None:
    """The key without surrounding space; None when there is none.

    Raises:
        BackendError: It cannot be sent in a header (the text of such a key must not reach an HTTP library's error).
    """
    key = (api_key or "").strip()
    if not all(" " < character < "\x7f" for character in key):
        raise BackendError(
            "the judge's API key holds a space, a line break or a non-ASCII character; check PAK3H_JUDGE_API_KEY"
        )
    return key or None


class OpenAIClient:
    """AsyncOpenAI (at Azure's classic interface, AsyncAzureOpenAI) without its own retries; `close` it when done.

    Args:
        address: The server.
        api_key: Its key, from `checked_key`.
        timeout_s: Seconds until a request counts as failed, first byte to last.
        most_bytes: Size at which a reply is cut off.
    """

    def __init__(
        self, address: Address, api_key: str | None, timeout_s: float, *, most_bytes: int = MOST_BYTES
    ) -> None:
        import openai

        self._openai: Any = openai
        self._address, self._key, self._timeout_s = address, api_key, timeout_s
        http_client, headers = _transport(openai, functools.partial(_limit, most_bytes=most_bytes))
        self._response = _response_type(http_client)
        headers |= {"accept-encoding": "gzip, deflate"} | ({"authorization": address.basic} if address.basic else {})
        settings: dict[str, Any] = {
            "api_key": api_key or _NO_KEY,
            "max_retries": 0,
            "timeout": timeout_s,
            "http_client": http_client,
            "default_headers": headers,
        }
        if address.deployment is not None:
            version = address.query["api-version"]
            self._client: Any = openai.AsyncAzureOpenAI(
                base_url=address.url, api_version=version, default_query=address.query, **settings
            )
        else:
            self._client = openai.AsyncOpenAI(base_url=address.url, default_query=address.query, **settings)

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()

    async def post(self, path: str, body: dict[str, Any], *, quotable: bool = True) -> str | Failure:
        """Text of a 200, or what went wrong.

        Args:
            path: Below the base URL.
            body: What is sent.
            quotable: Whether it holds somebody else's text, whose words in an error mean nothing.
        """
        return await self._caught(
            self._followed(
                lambda to: self._client.post(to, cast_to=self._response, body=body), path, body if quotable else {}
            )
        )

    async def get(self, path: str) -> str | Failure:
        """Text of a 200, or what went wrong."""
        return await self._caught(self._followed(lambda to: self._client.get(to, cast_to=self._response), path, {}))

    async def call(self, work: Callable[[Any], Awaitable[T]], *, timeout_s: float | None = None) -> T | Failure:
        """What something of the openai package's own client gives (files, batches), or what went wrong."""
        seconds = self._timeout_s if timeout_s is None else timeout_s

        async def done() -> T | Failure:
            try:
                return await work(self._client.with_options(timeout=seconds))
            except self._openai.APIStatusError as error:
                await error.response.aread()  # of a streamed one
                return self._refusal(error, {})

        return await self._caught(done(), seconds)

    async def _caught(self, work: Awaitable[T | Failure], timeout_s: float | None = None) -> T | Failure:
        seconds = self._timeout_s if timeout_s is None else timeout_s
        try:
            return await asyncio.wait_for(work, seconds)
        except (asyncio.TimeoutError, self._openai.APITimeoutError, self._openai.APIConnectionError) as error:
            return self._connection_fault(error, seconds)
        except (TooLargeError, UnknownEncodingError) as error:
            return Failure(Fate.GIVE_UP, str(error))
        except UnicodeError:
            return Failure(Fate.GIVE_UP, "the text cannot be written as UTF-8")
        except Exception as error:  # noqa: BLE001 - what HTTP libraries raise is not a closed set
            return Failure(Fate.RETRY, self._hidden(as_reason(f"{type(error).__name__}: {error}", self._key)))

    async def _followed(
        self, call: Callable[[str], Awaitable[Any]], path: str, body: Mapping[str, Any]
    ) -> str | Failure:
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                response = await call(path)
                return without_key(response.content.decode("utf-8", "replace"), self._key)
            except self._openai.APIStatusError as error:
                location = error.response.headers.get("location")
                if not 300 <= error.status_code < 400 or not location:
                    return self._refusal(error, body)
                asked = str(error.response.request.url)
                path = urljoin(asked, location)
                if not same_server(asked, path):
                    return Failure(
                        Fate.STOP,
                        f"it sends requests on to another server, {self._hidden(as_reason(shown_url(path)))}: refused; "
                        "if that is yours, make it the base URL",
                        status=error.status_code,
                    )
        return Failure(Fate.STOP, "it sends requests round in a circle", status=310)

    def _refusal(self, error: Any, body: Mapping[str, Any]) -> Failure:
        text = self._hidden(error.response.text)
        try:
            decoded = json.loads(text)
        except (ValueError, RecursionError):
            decoded = text
        headers = {name.lower(): value for name, value in error.response.headers.items()}
        return of_status(error.status_code, headers, decoded, self._key, sent=text_of(body))

    def _hidden(self, text: str) -> str:
        """An error's text without key and credentials; short ones count here, since no verdict is read from it."""
        for secret in (self._key if self._key and len(self._key) >= 8 else None, *self._address.secrets):
            text = text.replace(secret, "[key]") if secret and len(secret) >= 4 else text
        return text

    def _connection_fault(self, error: BaseException, timeout_s: float) -> Failure:
        root = error
        while root.__cause__ is not None:
            root = root.__cause__
        if isinstance(root, TooLargeError | UnknownEncodingError):
            return Failure(Fate.GIVE_UP, str(root))
        # The outermost and the innermost exception are right; what openai makes of aiohttp's in between is not.
        if any(isinstance(one, (TimeoutError, asyncio.TimeoutError)) for one in (error, root)):
            return Failure(Fate.RETRY, f"{TIMED_OUT} after {timeout_s:g} s")
        fault = as_reason(f"connection failed ({type(root).__name__}: {root})", self._key)
        return Failure(Fate.RETRY, self._hidden(fault))


def _transport(openai: Any, limit: Callable[[Any], Awaitable[None]]) -> tuple[Any, dict[str, str]]:
    try:
        return openai.DefaultAioHttpClient(follow_redirects=False, event_hooks={"response": [limit]}), {}
    except (AttributeError, RuntimeError, ImportError):
        client = openai.DefaultAsyncHttpxClient(follow_redirects=False, event_hooks={"response": [limit]})
        return client, {"connection": "close"}


def _response_type(http_client: Any) -> Any:
    """Response class of whichever library (httpx, httpx2) this version of openai stands on."""
    base = next(cls for cls in type(http_client).__mro__ if cls.__name__ == "AsyncClient")
    return sys.modules[base.__module__.partition(".")[0]].Response


async def _limit(response: Any, most_bytes: int) -> None:
    """Hook of the HTTP library, called before a reply's body is read: unpack it here, as far as the limit."""
    encoding = response.headers.pop("content-encoding", "identity").strip().lower()
    library = sys.modules[type(response).__module__.partition(".")[0]]
    response.stream = _limited_stream(library.AsyncByteStream)(response.stream, encoding, most_bytes)


@functools.cache
def _limited_stream(base: type) -> Any:
    return type("LimitedStream", (_Limited, base), {})


class _Limited:
    """A reply's bytes, unpacked, at most so many of them."""

    def __init__(self, packed: Any, encoding: str, most_bytes: int) -> None:
        self._packed, self._encoding, self._most_bytes = packed, encoding, most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        unpack = _unpacker(self._encoding, self._most_bytes)
        packed = unpacked = 0
        async for chunk in self._packed:
            data = unpack(chunk)
            packed, unpacked = packed + len(chunk), unpacked + len(data)
            if max(packed, unpacked) > self._most_bytes:
                raise TooLargeError(f"the reply is larger than {self._most_bytes // 2**20} MB")
            yield data

    async def aclose(self) -> None:
        await self._packed.aclose()


def _unpacker(encoding: str, most_bytes: int) -> Callable[[bytes], bytes]:
    if encoding in ("", "identity"):
        return lambda chunk: chunk
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise UnknownEncodingError(f"the reply is packed as {as_reason(encoding)!r}, which was not asked for")
    inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # gzip or zlib, by its first bytes
    return lambda chunk: inflate.decompress(chunk, most_bytes + 1)


@contextmanager
def quiet_http_logs() -> Iterator[None]:
    """Keep the HTTP libraries from writing one INFO line a request, where lm-eval has switched INFO on."""
    loggers = [logging.getLogger(name) for name in ("httpx", "httpx2", "openai")]
    before = [one.level for one in loggers]
    for one in loggers:
        if one.getEffectiveLevel() == logging.INFO:
            one.setLevel(logging.WARNING)
    try:
        yield
    finally:
        for one, level in zip(loggers, before, strict=True):
            one.setLevel(level)
