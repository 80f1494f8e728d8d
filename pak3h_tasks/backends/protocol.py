"""What goes to whoever answers a judge's question and what comes back: requests, replies, answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a judge: either chat messages or the prompt of a plain completion.

    Attributes:
        messages: (role, content) pairs; empty for a completion.
        prompt: Text to be continued; None for a chat.
        params: Sampling parameters under OpenAI's names; share one mapping between requests to keep memory flat.
        labels: Continuations whose exact log-probability a local model gives back (servers ignore them).
        version: Version of the prompt template; part of the cache key.
        choices: The replies that are wanted; a server that can be held to them is. Not part of the cache key: the
            question stays the same, and the reply says how it came about.
        read: Makes a value of a reply to it, where the questions of a batch are not read alike; None: as the
            batch's parser says.
    """

    messages: tuple[tuple[str, str], ...] = ()
    prompt: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    version: str = ""
    choices: tuple[str, ...] = ()
    read: Callable[[Reply], Any] | None = field(default=None, compare=False, repr=False)

    @property
    def text(self) -> str:
        """All its text, for a cost estimate."""
        return (self.prompt or "") + "".join(content for _, content in self.messages)


class Position(NamedTuple):
    """One generated token and the most probable tokens in its place, as (token, natural log-probability)."""

    token: str
    top: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the judge said.

    Attributes:
        text: The raw reply; "" when the server sent none.
        logprobs: The first generated positions; None: the server gave none, or nonsense.
        model: Model name the server returned.
        fingerprint: Its system_fingerprint.
        finish: Its finish_reason.
        tokens: (prompt tokens, completion tokens) it counted.
        constrained: The form in which it was held to the request's choices (`servers.constrain`); `logprobs` is then
            the one position where the choice begins. None: a free reply.
        left_out: What the server did not take though an answer may depend on it: another question to the cache.
        room: Tokens it had, where it was cut off before it said anything.
    """

    text: str
    logprobs: tuple[Position, ...] | None = None
    model: str | None = None
    fingerprint: str | None = None
    finish: str | None = None
    tokens: tuple[int, int] | None = None
    constrained: str | None = None
    left_out: tuple[str, ...] = ()
    room: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Compact JSON form for the cache; fields that are None or empty are left out."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in values.items() if value is not None and (value or name != "left_out")}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reply:
        """Inverse of `to_json`.

        Raises:
            KeyError, TypeError, ValueError: `data` is not a reply.
        """
        logprobs, tokens, model = data.get("logprobs"), data.get("tokens"), data.get("model")
        return cls(
            text=str(data["text"]),
            logprobs=None
            if logprobs is None
            else tuple(Position(token, tuple((t, float(p)) for t, p in top)) for token, top in logprobs),
            model=name_without_folders(model) if isinstance(model, str) else None,
            fingerprint=data.get("fingerprint"),
            finish=data.get("finish"),
            tokens=None if tokens is None else (int(tokens[0]), int(tokens[1])),
            constrained=data.get("constrained"),
            left_out=tuple(map(str, data.get("left_out", ()))),
            room=data.get("room"),
        )


def name_without_folders(name: str) -> str:
    r"""A model's name without the folders of a path, for signatures: llama.cpp and vLLM call a model by its path.

    Example:
        >>> names = ("/home/me/models/SmolLM2.gguf", "C:\\models\\judge", "owner/name")
        >>> tuple(map(name_without_folders, names))
        ('SmolLM2.gguf', 'judge', 'owner/name')
    """
    parts = [part for part in re.split(r"[/\\]", name) if part]
    a_path = name.startswith(("/", "./", "../", "~", "file:")) or "\\" in name or len(parts) > 2
    return parts[-1] if parts and (a_path or name.lower().endswith(".gguf")) else name


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """The outcome of one request.

    Attributes:
        parsed: What the caller's parser made of the reply; None: unscored.
        reply: The last reply there was, kept even where it could not be parsed.
        reason: Why there is no parsed value.
        cached: Whether it came from the cache.
    """

    parsed: T | None
    reply: Reply | None = None
    reason: str | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """What a batch of requests would still cost.

    Attributes:
        calls: Distinct requests that are not in the cache.
        cached: Requests that are, repeats included.
        characters: Characters of prompt text in `calls`.
        tokens: Prompt tokens; roughly, 4 ASCII characters or 1.5 others (Urdu with a current tokenizer) are one.
        reply_tokens: The most that the replies may have.
    """

    calls: int = 0
    cached: int = 0
    characters: int = 0
    tokens: int = 0
    reply_tokens: int = 0

    def __add__(self, other: Missing) -> Missing:
        return Missing(
            self.calls + other.calls,
            self.cached + other.cached,
            self.characters + other.characters,
            self.tokens + other.tokens,
            self.reply_tokens + other.reply_tokens,
        )


def rough_tokens(text: str) -> float:
    """About how many tokens a text has, without a tokenizer (see `Missing`).

    Example:
        >>> rough_tokens("abcd"), rough_tokens("سوا")
        (1.0, 2.0)
    """
    others = 0 if text.isascii() else sum(not character.isascii() for character in text)
    return (len(text) - others) / 4 + others / 1.5


Parse = Callable[[Reply], "T | None"]


class Backend(Protocol):
    """Whoever answers: a server or a local model."""

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """Name and revision, as parts of a score's signature."""

    def preflight(self, example: Request) -> None:
        """Check, before anything is generated, that the judge can answer requests like this one.

        Raises:
            BackendError: It cannot; one line says why and what to do.
        """

    def ask(self, requests: Iterable[Request], parse: Parse[T], *, total: int | None = None) -> list[Answer[T]]:
        """Answers in the order of the requests; one that fails is an answer with a reason, not an exception."""

    def missing(self, requests: Iterable[Request], parse: Parse[T]) -> Missing:
        """What `ask` would still have to ask."""

    def release(self) -> None:
        """Give back memory held by a model."""
