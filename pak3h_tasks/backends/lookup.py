"""What is known already: the cache's answers to a judge's questions, and what asking the others would cost."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pak3h_tasks.backends.cache import AnswerCache
from pak3h_tasks.backends.protocol import Answer, Missing, Parse, Reply, Request, rough_tokens
from pak3h_tasks.text.escape import one_line
from pak3h_tasks.text.thinking import is_unfinished_thought, without_thinking

logger = logging.getLogger(__name__)

T = TypeVar("T")

KeyOf = Callable[[Request], bytes]

FIRST, FAILED = "first", "failed"
"""Marks of cache entries that a batch leaves: a reply that may be unreadable, and why there is none.

Both count as absent where there is no value in them. The first one saves the question's first time of asking.
"""

WAITS = "waits in a batch, which has been paid for; pak3h batch collect takes it, then pak3h score"

_CHUNK = 64


@dataclass(frozen=True)
class LookedUp(Generic[T]):
    """A question and what is known of it.

    Attributes:
        key: Its cache key.
        request: The question.
        answer: The answer the cache has; None: it has to be asked.
        left: Without an answer: what a batch has left of it, an unreadable reply or a reason.
    """

    key: bytes
    request: Request
    answer: Answer[T] | None
    left: Answer[T] | None = None


def looked_up(
    requests: Iterable[Request],
    key_of: KeyOf,
    parse: Parse[T],
    cache: AnswerCache | None,
    *,
    ask_again: bool = False,
    room: int = 0,
    others: Callable[[Request], Sequence[bytes]] = lambda _: (),
    waiting: frozenset[bytes] = frozenset(),
) -> Iterator[list[LookedUp[T]]]:
    """Chunks of questions with what the cache has; a cached reply that no longer parses counts as absent.

    Args:
        requests: Pulled as they are needed.
        key_of: Cache key of a request.
        parse: Makes a value of a reply; None: it makes no sense.
        cache: None: nothing is known.
        ask_again: What was refused, or was never readable, counts as absent, too.
        room: Tokens a judge that thinks may use now; a reply that was cut off with fewer of them counts as absent.
        others: Further keys under which a request's answer may be.
        waiting: Keys of questions that a batch is to answer: they are not to be asked.
    """
    iterator = iter(requests)
    while some := list(itertools.islice(iterator, _CHUNK)):
        keys = [(key_of(request), *others(request)) for request in some]
        found = cache.get_many([key for one in keys for key in one]) if cache is not None else {}
        chunk: list[LookedUp[T]] = []
        for (key, *more), request in zip(keys, some, strict=True):
            stored = [entry for entry in map(found.get, (key, *more)) if entry is not None]
            answers = (known(entry, request.read or parse, ask_again=ask_again, room=room) for entry in stored)
            answer = next((answer for answer in answers if answer is not None), None)
            left = None if answer is not None else next(filter(None, map(_left, stored)), None)
            if answer is None and not waiting.isdisjoint((key, *more)):
                answer = Answer(None, reason=WAITS)
            chunk.append(LookedUp(key, request, answer, left))
        yield chunk


def count_missing(
    chunks: Iterable[Sequence[LookedUp[Any]]], tokens_of: Callable[[str], float] = rough_tokens
) -> Missing:
    """What asking the questions that were looked up would still cost."""
    seen: set[bytes] = set()
    cached = characters = reply_tokens = 0
    tokens = 0.0
    for one in itertools.chain.from_iterable(chunks):
        if one.answer is not None or one.key in seen:
            cached += 1
            continue
        seen.add(one.key)
        text = one.request.text
        characters += len(text)
        tokens += tokens_of(text)
        reply_tokens += int(one.request.params.get("max_tokens", 0))
    return Missing(len(seen), cached, characters, round(tokens), reply_tokens)


def safely(parse: Parse[T], reply: Reply) -> T | None:
    """What the parser makes of it; a parser that trips over a reply has not understood it."""
    try:
        return parse(reply)
    except Exception:
        logger.debug("a verdict parser failed", exc_info=True)
        return None


def unread(reply: Reply) -> str:
    """Why a reply that makes no sense is no answer."""
    if was_thinking(reply):
        spent = reply.room or (reply.tokens[1] if reply.tokens else None)
        return (
            f"unparseable reply: {f'its {spent:,} tokens' if spent else 'its tokens'} were used up before it said "
            "anything; PAK3H_JUDGE_MAX_TOKENS gives a judge that thinks more of them"
        )
    return f"unparseable reply: {one_line(reply.text, 300)!r}"


def known(stored: Any, parse: Parse[T], *, ask_again: bool = False, room: int = 0) -> Answer[T] | None:
    """The answer that a cache entry is; None: it has to be asked (see `looked_up` for the arguments)."""
    if stored is None:
        return None
    if isinstance(stored, dict) and "refused" in stored:
        return None if ask_again else Answer(None, _reply(stored.get("before")), str(stored["refused"]), cached=True)
    reply = _reply(stored)
    if reply is None:
        return None
    parsed = safely(parse, reply)
    if parsed is None and (ask_again or not stored.get("unread") or (reply.room or room) < room):
        return None
    return Answer(parsed, reply, None if parsed is not None else unread(reply), cached=True)


def _left(stored: Any) -> Answer[Any] | None:
    if not isinstance(stored, dict):
        return None
    reply = _reply(stored) if stored.get(FIRST) else None
    if FAILED in stored:
        return Answer(None, reply, str(stored[FAILED]), cached=True)
    return None if reply is None else Answer(None, reply, unread(reply), cached=True)


def refused(reason: str, before: Reply | None) -> dict[str, Any]:
    """The cache entry of a question that was refused for good, with the unreadable reply that came before that."""
    return {"refused": reason} | ({} if before is None else {"before": before.to_json()})


def _reply(stored: Any) -> Reply | None:
    try:
        return Reply.from_json(stored)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        return None


def is_drawn(request: Request, left_out: Sequence[str]) -> bool:
    """Whether another reply may come of the same question, put without what is left out."""
    return request.params.get("temperature", 0) != 0 or "temperature" in left_out


def was_thinking(reply: Reply) -> bool:
    """Whether a reply was cut off when a thinking trace had taken of its room, or before there was any text.

    Example:
        >>> was_thinking(Reply("<think>Is it", finish="length")), was_thinking(Reply("It is not", finish="length"))
        (True, False)
    """
    if reply.finish != "length":
        return False
    said = without_thinking(reply.text).strip()
    return not said or said != reply.text.strip() or is_unfinished_thought(reply.text)
