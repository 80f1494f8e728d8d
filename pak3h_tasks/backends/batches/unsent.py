"""The judge's backend that asks nobody: answers come from the cache, what it lacks is noted down for a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from pak3h_tasks.backends.lookup import LookedUp, count_missing
from pak3h_tasks.backends.protocol import Answer, Missing, Parse, Request, rough_tokens
from pak3h_tasks.backends.servers.chat import OpenAIChat

T = TypeVar("T")

Note = Callable[[OpenAIChat, LookedUp[Any]], None]

NOT_ASKED = "not asked yet; no batch has brought an answer"


class Unsent:
    """A served judge without its server, so that questions, keys, orders and prompts are those of online judging.

    Args:
        judge: The judge.
        note: Called by `missing` with the judge and each question that the cache has no answer to.
        tokens_of: Counts a text's tokens.
    """

    def __init__(
        self,
        judge: OpenAIChat,
        note: Note | None = None,
        tokens_of: Callable[[str], float] = rough_tokens,
    ) -> None:
        self.judge = judge
        self._note, self._tokens_of = note, tokens_of

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """As `Backend`."""
        return self.judge.signature

    def preflight(self, example: Request) -> None:
        """As `Backend`: what the server takes is found out, since a batch cannot learn it on the way."""
        self.judge.preflight(example)

    def ask(self, requests: Iterable[Request], parse: Parse[T], *, total: int | None = None) -> list[Answer[T]]:  # noqa: ARG002
        """The cache's answers; of the others, what a batch has left."""
        not_asked: Answer[T] = Answer(None, reason=NOT_ASKED)
        return [one.answer or one.left or not_asked for chunk in self.judge.look_up(requests, parse) for one in chunk]

    def missing(self, requests: Iterable[Request], parse: Parse[T]) -> Missing:
        """What would still have to be asked; each such question is noted."""
        return count_missing(self._noted(requests, parse), self._tokens_of)

    def release(self) -> None:
        """Nothing is held."""

    def _noted(self, requests: Iterable[Request], parse: Parse[T]) -> Iterator[list[LookedUp[T]]]:
        for chunk in self.judge.look_up(requests, parse):
            if self._note is not None:
                for one in chunk:
                    if one.answer is None:
                        self._note(self.judge, one)
            yield chunk
