"""One shared AsyncOpenAI client whose errors are values without secrets.

The openai package is the client, but replies are taken as plain HTTP: building its pydantic objects costs half a
millisecond a call and refuses replies that servers really send. openai 2 and older stand on httpx, 3 and newer on
httpx2; both parse HTTP with h11, which takes a reply that was delivered twice for the answer to the *next* request on
that connection (reproduced with openai 3.57: wrong verdicts, no error). aiohttp closes such a connection, so its
transport is used where the package is there (the extra `openai[aiohttp]`); without it, no connection is used twice.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pak3h_tasks.backends.servers.failures import Failure, Fate, of_status, one_line, without_key
from pak3h_tasks.errors import BackendError

OPENAI_URL = "https://api.openai.com/v1"
MOST_CONNECTIONS = 1000  # openai's own connection limit
TIMED_OUT = "timed out"
_NO_KEY = "not-needed"


def shown_url(base_url: str | None) -> str:
    """A base URL without user name, password and query, for logs and cache keys.

    Example:
        >>> shown_url("http://me:secret@127.0.0.1:8000/v1/?token=secret")
        'http://127.0.0.1:8000/v1'
    """
    parts = urlsplit(base_url or OPENAI_URL)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))


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
    """AsyncOpenAI without its own retries; `close` it when done.

    Args:
        base_url: The server; None: OpenAI.
        api_key: Its key, from `checked_key`.
        timeout_s: Seconds until a request counts as failed, first byte to last.
    """

    def __init__(self, base_url: str | None, api_key: str | None, timeout_s: float) -> None:
        import openai

        self._openai: Any = openai
        self._key, self._timeout_s = api_key, timeout_s
        http_client, headers = _transport(openai)
        self._response = _response_type(http_client)
        self._client: Any = openai.AsyncOpenAI(
            api_key=api_key or _NO_KEY,
            base_url=base_url or OPENAI_URL,
            max_retries=0,
            timeout=timeout_s,
            http_client=http_client,
            default_headers=headers,
        )

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()

    async def post(self, path: str, body: dict[str, Any]) -> str | Failure:
        """Text of a 200, or what went wrong."""
        return await self._caught(self._client.post(path, cast_to=self._response, body=body))

    async def get(self, path: str) -> str | Failure:
        """Text of a 200, or what went wrong."""
        return await self._caught(self._client.get(path, cast_to=self._response))

    async def _caught(self, call: Any) -> str | Failure:
        try:
            response = await asyncio.wait_for(call, self._timeout_s)
            return without_key(response.content.decode("utf-8", "replace"), self._key)
        except (asyncio.TimeoutError, self._openai.APITimeoutError, self._openai.APIConnectionError) as error:
            return Failure(Fate.RETRY, self._connection_fault(error))
        except self._openai.APIStatusError as error:
            headers = {name.lower(): value for name, value in error.response.headers.items()}
            body = error.body if error.body is not None else error.response.text
            return of_status(error.status_code, headers, body, self._key)
        except UnicodeError:
            return Failure(Fate.GIVE_UP, "the text cannot be written as UTF-8")
        except Exception as error:  # noqa: BLE001 - what HTTP libraries raise is not a closed set
            return Failure(Fate.RETRY, one_line(f"{type(error).__name__}: {error}", self._key))

    def _connection_fault(self, error: BaseException) -> str:
        root = error
        while root.__cause__ is not None:
            root = root.__cause__
        # The outermost and the innermost exception are right; what openai makes of aiohttp's in between is not.
        if any(isinstance(one, (TimeoutError, asyncio.TimeoutError)) for one in (error, root)):
            return f"{TIMED_OUT} after {self._timeout_s:g} s"
        return one_line(f"connection failed ({type(root).__name__}: {root})", self._key)


def _transport(openai: Any) -> tuple[Any, dict[str, str]]:
    try:
        return openai.DefaultAioHttpClient(), {}
    except (AttributeError, RuntimeError, ImportError):
        return openai.DefaultAsyncHttpxClient(), {"connection": "close"}


def _response_type(http_client: Any) -> Any:
    """Response class of whichever library (httpx, httpx2) this version of openai stands on."""
    base = next(cls for cls in type(http_client).__mro__ if cls.__name__ == "AsyncClient")
    return sys.modules[base.__module__.partition(".")[0]].Response


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
