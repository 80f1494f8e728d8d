"""What a failed request means: try again, give up on this item, or stop asking altogether.

Status, error type and code decide first. Providers agree on little else, so the message counts as well, but without the
words of the request: an error that quotes the prompt ("The model ... does not exist") says nothing about the server.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

from pak3h_tasks.text.escape import one_line


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
        parameter: The request parameter the server will not take, where it says so; ``system`` is that role.
        said: Its message in lower case, without words of the request.
    """

    fate: Fate
    reason: str
    retry_after_s: float | None = None
    status: int | None = None
    parameter: str | None = None
    said: str = ""


_UNKNOWN_MODEL = re.compile(
    r"model_not_found|(?:unknown|invalid|no such) model\b|not a valid model"
    r"|\bmodel\b[^.]{0,120}?\b(?:not found|does not exist|doesn't exist)"
)
_FILTERED = re.compile(
    r"content.?filter|content.?policy|content management policy|responsible.?ai|safety (?:system|filter)|flagged"
    r"|moderation|content exists risk|data_?inspection|inappropriate content|guardrail|敏感内容"  # DeepSeek, Qwen, GLM
)
KEY_REFUSED = "the server refuses the key"
_QUOTA = re.compile(r"insufficient_quota|billing_hard_limit|insufficient.balance")
# OpenAI's words where a gateway has dropped its code; the limits of a minute or a day say so, or how long to wait.
_NO_MONEY = re.compile(r"plan and billing|insufficient.(?:quota|balance|credits?|funds)|billing.hard.limit")
_PER_TIME = re.compile(r"(?:per|a)[ _-]?(?:second|minute|hour|day)|\b[rt]p[smd]\b")
_KEY = re.compile(r"api_key_invalid|invalid_api_key|api.?key (?:is )?(?:not valid|invalid)|invalid api.?key")
_PARAMETERS = (
    "top_logprobs",
    "logprobs",
    "max_completion_tokens",
    "max_output_tokens",
    "max_tokens",
    "temperature",
    "stop",
    "seed",
)
_NO_SYSTEM = re.compile(
    r"(?:system|developer)['\"`]?,? (?:role|message|prompt|instruction)s?.{0,60}\bnot\b"
    r"|(?:not|n't|unsupported|invalid).{0,40}\b(?:system|developer)\b.{0,5} (?:role|message|prompt|instruction)"
    r"|roles? must alternate|only user(?:,| and) .{0,20}roles"
)
_TOO_LONG = re.compile(r"too (?:large|long)|context.?(?:length|window|size)|\bgot -\d")
_WAIT = re.compile(
    r"(?:retry|again|wait)(?: in| after| for)? (?:(\d+)\s*h(?:ours?)?)?\s*(?:(\d+)\s*m(?!s)(?:in(?:ute)?s?)?)?"
    r"\s*(?:(\d+(?:\.\d+)?)\s*(ms|s))?"
)
# Words that say nothing by themselves; a prompt holds most of them, and "not" is needed.
_SMALL_WORDS = frozenset(
    "a an and are be do does for in is it must no not of on only or the this to with you your".split()  # noqa: SIM905
)
_LONGEST_REASON = 300


def as_reason(text: object, secret: str | None = None) -> str:
    r"""Text on one line, shortened, without the key.

    Example:
        >>> as_reason("bad key:\n sk-secret-1", "sk-secret-1")
        'bad key: [key]'
    """
    return one_line(without_key(str(text)[:4000], secret), _LONGEST_REASON)


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


def wait_in_words_s(text: str) -> float | None:
    """Seconds from a message's "retry in 1m2.5s" or "wait 2 minutes"; None: not said.

    Example:
        >>> wait_in_words_s("Please retry in 11.6s."), wait_in_words_s("try again in 1h2m"), wait_in_words_s("later")
        (11.6, 3720.0, None)
    """
    for hours, minutes, seconds, unit in _WAIT.findall(text.lower()):
        if hours or minutes or seconds:
            return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds or 0) / (1000 if unit == "ms" else 1)
    return None


def of_status(status: int, headers: Mapping[str, str], body: Any, secret: str | None, *, sent: str = "") -> Failure:
    """What an error reply means.

    Args:
        status: HTTP status, 400 or more.
        headers: Lower-case names.
        body: Decoded JSON, or the text.
        secret: The key, kept out of the reason.
        sent: The request's own text, of which the message may quote parts.
    """
    fields = _fields(body)
    message = as_reason(_message(fields) or "no message", secret)
    said = _own_words(message, sent)
    codes = " ".join(_codes(fields)).lower()
    reason = f"HTTP {status}: {message}"
    wait = retry_after_s(headers)

    def failure(fate: Fate, because: str = "", *, wait: float | None = None, parameter: str | None = None) -> Failure:
        return Failure(fate, f"{because} ({reason})" if because else reason, wait, status, parameter, said)

    flagged = isinstance(metadata := fields.get("metadata"), Mapping) and {"reasons", "flagged_input"} & set(metadata)
    if status < 500 and status != 429 and (_FILTERED.search(codes) or flagged):
        return failure(Fate.REFUSED, "content filter")
    if status == 401:
        return failure(Fate.STOP, KEY_REFUSED)
    if wait is None and status in (402, 429):
        wait = _wait_in_body(fields, message)
    no_money = _QUOTA.search(codes) or (status == 429 and _NO_MONEY.search(said) and not _PER_TIME.search(said))
    if status == 402 or (no_money and wait is None):
        return failure(Fate.STOP, "the account has no quota left")
    if status == 429:
        return failure(Fate.RATE_LIMIT, wait=wait)
    parameter = _parameter(fields, codes, said)
    if status in (408, 409, 425) or status >= 500:
        # llama.cpp gives a chat template's complaint about roles as 500, and an unimplemented parameter as 501
        known = parameter if parameter == "system" or status == 501 else None
        return failure(Fate.RETRY if status != 501 else Fate.GIVE_UP, wait=wait, parameter=known)
    if _UNKNOWN_MODEL.search(codes) or (_UNKNOWN_MODEL.search(said) and parameter in (None, "model")):
        return failure(Fate.STOP, "the server does not know the model")
    if _KEY.search(codes) or _KEY.search(said):
        return failure(Fate.STOP, KEY_REFUSED)
    if parameter is not None:
        return failure(Fate.GIVE_UP, parameter=parameter)
    if _FILTERED.search(said):
        return failure(Fate.REFUSED, "content filter")
    if status == 403:
        return failure(Fate.STOP, KEY_REFUSED)
    if status in (404, 405):
        return failure(Fate.STOP, "no such address on the server; mend the base URL, which mostly ends in /v1")
    return failure(Fate.GIVE_UP)


def _fields(body: Any) -> Mapping[str, Any]:
    if isinstance(body, list) and body and isinstance(body[0], Mapping):
        body = body[0]  # Gemini's
    error = body.get("error", body) if isinstance(body, Mapping) else body
    if isinstance(error, Mapping):
        inner = error.get("message")
        return {**error, **inner, "message": inner.get("message")} if isinstance(inner, Mapping) else error
    return {"message": error}


def _message(fields: Mapping[str, Any]) -> str:
    """What an error says; a validation error's `input` is the request itself and is left out."""
    message, detail = fields.get("message"), fields.get("detail")
    if not message and isinstance(detail, list):
        faults = [fault for fault in detail if isinstance(fault, Mapping)]
        message = "; ".join(f"{'.'.join(map(str, _loc(fault)))}: {fault.get('msg')}" for fault in faults)
    text = str(message or detail or fields.get("error") or "")
    if not text and fields:
        text = json.dumps(dict(fields), ensure_ascii=False, default=str)
    metadata = fields.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, Mapping) else None
    if raw:  # OpenRouter: what the provider behind it said
        text = f"{text}: {raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)}"
    return page_title(text)


def page_title(text: str) -> str:
    """A web page's title and first words instead of its markup."""
    if not re.match(r"\s*<(?:!doctype|html|head)", text[:200], re.I):
        return text
    text = re.sub(r"(?is)<(script|style)\b.*?</\1>", " ", text[:20000])
    return f"a web page: {' '.join(re.sub(r'<[^>]*>?', ' ', text).split())[:120]}"


def _codes(fields: Mapping[str, Any]) -> Iterator[str]:
    """What an error is called, by its fields and those inside."""
    for name in ("code", "type", "status", "reason"):
        if isinstance(value := fields.get(name), str | int):
            yield str(value)
    inner = fields.get("innererror")
    details = fields.get("details")
    for part in (inner, *(details if isinstance(details, list) else ())):
        if isinstance(part, Mapping):
            yield from _codes(part)


def _loc(fault: Mapping[str, Any]) -> list[Any]:
    loc = fault.get("loc")
    return [part for part in loc if part != "body"] if isinstance(loc, list) else []


def _wait_in_body(fields: Mapping[str, Any], message: str) -> float | None:
    details = fields.get("details")
    for part in details if isinstance(details, list) else ():
        if isinstance(part, Mapping) and isinstance(delay := part.get("retryDelay"), str):
            return wait_in_words_s(f"retry in {delay}")
    return wait_in_words_s(message)


def _own_words(message: str, sent: str) -> str:
    """A message in lower case without those words that the request holds too, except the very small ones."""
    quoted = set(re.findall(r"\w+", sent.lower())) - _SMALL_WORDS
    return re.sub(r"\w+", lambda found: "…" if found[0] in quoted else found[0], message.lower())


def _parameter(fields: Mapping[str, Any], codes: str, said: str) -> str | None:
    if _TOO_LONG.search(said) and "unsupported" not in codes:
        return None
    faults = detail if isinstance(detail := fields.get("detail"), list) else ()
    located = [part for fault in faults if isinstance(fault, Mapping) for part in _loc(fault)[:1]]
    named = [str(fields.get("param") or ""), *map(str, located)]
    for name in _PARAMETERS:
        if name in named:
            return name
    if _NO_SYSTEM.search(said):
        return "system"
    if re.search(r"(?:support|handle).{0,30}requested parameters", said):
        return "logprobs"  # OpenRouter does not say which; of ours, it is the one that providers lack
    plain = ("stop", "seed")  # words of everyday language count in quotes only
    return next((n for n in _PARAMETERS if re.search(rf"['\"`]{n}['\"`]" if n in plain else rf"\b{n}\b", said)), None)
