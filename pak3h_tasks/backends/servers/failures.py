"""What a failed request means: try again, give up on this item, or stop asking altogether.

Providers differ in status codes and agree on little else, so the error's `code`, `type` and message count as well.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any


class Fate(Enum):
    """What to do after a failure."""

    RETRY = "retry"
    RATE_LIMIT = "rate limit"  # retry as well, but all requests wait, and longer
    GIVE_UP = "give up"
    REFUSED = "refused"  # this item, whenever it is asked: says nothing about the others, and is kept like an answer
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed request.

    Attributes:
        fate: What to do.
        reason: One line without secrets.
        retry_after_s: Seconds the server asked to wait.
        status: HTTP status; None: no whole reply came.
        parameter: The request parameter the server will not take, where it says so.
    """

    fate: Fate
    reason: str
    retry_after_s: float | None = None
    status: int | None = None
    parameter: str | None = None


_UNKNOWN_MODEL = re.compile(
    r"model_not_found|(?:unknown|invalid|no such) model\b|not a valid model"
    r"|\bmodel\b[^.]{0,120}?\b(?:not found|does not exist|doesn't exist)",
    re.I,
)
_FILTERED = re.compile(
    r"content.?filter|content management policy|responsible.?ai|safety (?:system|filter)|flagged|moderation", re.I
)
_QUOTA = re.compile(r"insufficient_quota|billing_hard_limit|exceeded your current quota|insufficient balance", re.I)
_PARAMETERS = ("top_logprobs", "logprobs", "max_tokens", "temperature")
_LONGEST_REASON = 300


def one_line(text: object, secret: str | None = None) -> str:
    r"""Text on one line, shortened, without the key.

    Example:
        >>> one_line("bad key:\n sk-secret-1", "sk-secret-1")
        'bad key: [key]'
    """
    visible = "".join(c if c.isprintable() else " " for c in without_key(str(text), secret)[:2000])
    line = " ".join(visible.split())
    return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 3] + "..."


def without_key(text: str, key: str | None) -> str:
    """Text in which the key is written ``[key]``; placeholders under 8 characters ("EMPTY") are no secrets."""
    return text.replace(key, "[key]") if key and len(key) >= 8 else text


def retry_after_s(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Seconds to wait, from ``retry-after-ms`` or ``retry-after`` (seconds or an HTTP date); None: not said.

    Example:
        >>> retry_after_s({"retry-after": "1.5"}), retry_after_s({"retry-after": "soon"})
        (1.5, None)
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) * unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(text).timestamp() - (time.time() if now is None else now)
            except (ValueError, TypeError, OverflowError):
                continue
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def of_status(status: int, headers: Mapping[str, str], body: Any, secret: str | None) -> Failure:
    """What an error reply means.

    Args:
        status: HTTP status, 400 or more.
        headers: Lower-case names.
        body: Decoded JSON, or the text.
        secret: The key, kept out of the reason.
    """
    error = body.get("error", body) if isinstance(body, Mapping) else body
    fields: Mapping[str, Any] = error if isinstance(error, Mapping) else {"message": error}
    message = one_line(fields.get("message") or fields.get("detail") or error or "no message", secret)
    everything = f"{fields.get('code')} {fields.get('type')} {message}"
    reason = f"HTTP {status}: {message}"
    wait = retry_after_s(headers)
    if status in (401, 403) and not _FILTERED.search(everything):
        return Failure(Fate.STOP, f"the server refuses the key ({reason})", status=status)
    if _QUOTA.search(everything) or status == 402:
        return Failure(Fate.STOP, f"the account has no quota left ({reason})", status=status)
    if status == 429:
        return Failure(Fate.RATE_LIMIT, reason, wait, status)
    if status in (408, 409, 425) or status >= 500:
        return Failure(Fate.RETRY, reason, wait, status)
    if _UNKNOWN_MODEL.search(everything):
        return Failure(Fate.STOP, f"the server does not know the model ({reason})", status=status)
    if status in (404, 405):
        return Failure(
            Fate.STOP, f"no such address on the server; a base URL mostly ends in /v1 ({reason})", status=status
        )
    if _FILTERED.search(everything):
        return Failure(Fate.REFUSED, f"content filter ({reason})", status=status)
    return Failure(Fate.GIVE_UP, reason, status=status, parameter=_parameter(fields, message))


def _parameter(fields: Mapping[str, Any], message: str) -> str | None:
    named = str(fields.get("param") or "")
    return next((name for name in _PARAMETERS if named == name or re.search(rf"\b{name}\b", message)), None)
