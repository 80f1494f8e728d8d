"""Ask many questions at once and lose nothing: bounded concurrency, retries, one cache entry per answer, early stop.

What is in the cache is not asked: answers, questions that the judge refused for good, and, at temperature 0, replies
that could not be read (the last two are asked again on demand). What another run on the same cache is asking is waited
for.

The engine knows no protocol: it is given a `send` that turns a request into a reply or a failure. Requests are pulled
from their iterable as they are needed and at most a few per worker are held, so memory does not grow with the batch.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from pak3h_tasks.backends.cache import CLAIM_LASTS_S, AnswerCache
from pak3h_tasks.backends.lookup import (
    KeyOf,
    LookedUp,
    is_drawn,
    known,
    looked_up,
    refused,
    safely,
    unread,
    was_thinking,
)
from pak3h_tasks.backends.protocol import Answer, Parse, Reply, Request
from pak3h_tasks.backends.servers.failures import Failure, Fate
from pak3h_tasks.backends.servers.retry import Patience, RetryPolicy
from pak3h_tasks.progress import Progress

logger = logging.getLogger(__name__)

T = TypeVar("T")

# The second argument is the unparseable reply that makes this the second time of asking, else None.
Send = Callable[[Request, "Reply | None"], Awaitable["Reply | Failure"]]
Waiting = dict[bytes, "tuple[int, Request, Reply | None]"]
Queue = asyncio.Queue["tuple[int, bytes, Request, Reply | None] | None"]

_GRACE_S = 5.0
_LOOK_AGAIN_S = 0.3


class Asker(Generic[T]):
    """One batch of questions to one judge.

    Args:
        name: Judge, for log lines.
        kind: Backend kind, for the cache's books.
        send: Asks once.
        key_of: Cache key of a request.
        parse: Makes a value of a reply; None: it makes no sense, ask once more.
        can_hold: Says whether replies can be held to a request's choices; a reply whose log-probabilities do not
            decide is then asked for once more.
        key_of_answer: Key under which a reply is kept; None: the request's.
        other_keys: Further keys under which a request's answer may be.
        waiting: Keys of questions that are not asked, since a batch is to answer them.
        cache: Where answers are kept; None: nowhere.
        ask_again: Ask once more what was refused or could not be read.
        room: Tokens a judge that thinks may use; a reply that was cut off with fewer of them is asked for again.
        concurrency: Requests in flight, at most.
        retry: Patience.
        progress: The bar.
    """

    def __init__(
        self,
        name: str,
        kind: str,
        send: Send,
        key_of: KeyOf,
        parse: Parse[T],
        *,
        can_hold: Callable[[Request], Awaitable[bool]] | None = None,
        key_of_answer: Callable[[Request, Reply], bytes] | None = None,
        other_keys: Callable[[Request], Sequence[bytes]] = lambda _: (),
        waiting: frozenset[bytes] = frozenset(),
        cache: AnswerCache | None,
        ask_again: bool = False,
        room: int = 0,
        concurrency: int,
        retry: RetryPolicy,
        progress: Progress,
    ) -> None:
        self.stopped_because: str | None = None
        self.reasons: Counter[str] = Counter()
        self._name, self._kind = name, kind
        self._send, self._key_of, self._parse = send, key_of, parse
        self._can_hold = can_hold
        self._key_of_answer, self._other_keys, self._waiting = key_of_answer, other_keys, waiting
        self._cache, self._ask_again, self._room = cache, ask_again, room
        self._concurrency, self._retry, self._progress = concurrency, retry, progress
        self._answers: list[Answer[T] | None] = []
        self._judged = self._streak = 0
        self._closing = False

    async def run(self, requests: Iterable[Request]) -> list[Answer[T]]:
        """Answers in the order of the requests."""
        self._stop = asyncio.Event()
        self._patience = Patience(self._retry)
        self._busy: set[asyncio.Task[Any] | None] = set()
        queue: Queue = asyncio.Queue(self._concurrency)
        workers = [asyncio.create_task(self._work(queue)) for _ in range(self._concurrency)]
        renewing = asyncio.create_task(self._renew_claims())
        try:
            repeats = await self._fill(queue, requests)
            for _ in workers:
                await queue.put(None)
            await asyncio.gather(*workers)
        finally:
            self._closing = True
            for task in (renewing, *workers):
                task.cancel()
            await asyncio.gather(renewing, *workers, return_exceptions=True)
            if self._cache is not None:
                self._cache.give_up()
        for index, first in repeats.items():
            self._settle(index, self._answers[first])
        return [
            answer if answer is not None else Answer(None, reason="internal error: not asked")
            for answer in self._answers
        ]

    async def _fill(self, queue: Queue, requests: Iterable[Request]) -> dict[int, int]:
        """Put what has to be asked into the queue; returns index -> index of the same request earlier on."""
        first_index: dict[bytes, int] = {}
        repeats: dict[int, int] = {}
        elsewhere: Waiting = {}
        for chunk in self._looked_up(requests):
            new: Waiting = {}
            for one in chunk:
                index = len(self._answers)
                self._answers.append(one.answer)
                if one.answer is not None:
                    self._settle(index, one.answer)
                elif one.key in first_index:
                    repeats[index] = first_index[one.key]
                else:
                    first_index[one.key] = index
                    new[one.key] = (index, one.request, None if one.left is None else one.left.reply)
            elsewhere |= await self._claim(queue, new)
            await asyncio.sleep(0)
        while elsewhere:
            await self._sleep(_LOOK_AGAIN_S)
            elsewhere = await self._claim(queue, elsewhere)
        return repeats

    def _looked_up(self, requests: Iterable[Request]) -> Iterator[list[LookedUp[T]]]:
        return looked_up(
            requests,
            self._key_of,
            self._parse,
            self._cache,
            ask_again=self._ask_again,
            room=self._room,
            others=self._other_keys,
            waiting=self._waiting,
        )

    async def _claim(self, queue: Queue, wanted: Waiting) -> Waiting:
        """Settle what another run has answered, queue what is ours to ask; returns what another run is asking."""
        ours: set[bytes] = set(wanted)
        found: dict[bytes, Any] = {}
        if self._cache is not None and wanted and self.stopped_because is None:
            ours, found = self._cache.claim(list(wanted))
        others: Waiting = {}
        for key, (index, request, unparsed) in wanted.items():
            parse = request.read or self._parse
            answer = known(found.get(key), parse, ask_again=self._ask_again, room=self._room)
            if answer is not None:
                self._settle(index, answer)
            elif key in ours:
                await queue.put((index, key, request, unparsed))
            else:
                others[key] = (index, request, unparsed)
        return others

    async def _renew_claims(self) -> None:
        while self._cache is not None:
            await asyncio.sleep(CLAIM_LASTS_S / 4)
            self._cache.renew()

    async def _work(self, queue: Queue) -> None:
        me = asyncio.current_task()
        # A cancellation can get lost: asyncio.wait_for in Python before 3.12 drops one that comes with the result. A
        # worker that then went on to the queue, which nobody fills any more, would wait there for ever.
        while not self._closing and (item := await queue.get()) is not None:
            index, key, request, unparsed = item
            self._busy.add(me)
            try:
                answer = await self._judge(key, request, unparsed)
            except asyncio.CancelledError:
                if self.stopped_because is None or self._closing:
                    raise
                answer = Answer(None, reason=self.stopped_because)
            except Exception as error:
                # Whatever it is, one item must not take the others with it.
                logger.debug("judging one item failed", exc_info=True)
                answer = self._failed(f"internal error: {type(error).__name__}", None, transport=False)
            finally:
                self._busy.discard(me)
            if self._cache is not None and (answer.parsed is None or (answer.reply and answer.reply.left_out)):
                self._cache.give_up([key])
            self._settle(index, answer)

    async def _judge(self, key: bytes, request: Request, unparsed: Reply | None) -> Answer[T]:
        tries = 0
        while True:
            await self._wait_for_the_rate_limit()
            if self.stopped_because is not None:
                return Answer(None, unparsed, self.stopped_because)
            outcome = await self._send(request, unparsed)
            if isinstance(outcome, Reply):
                parsed = safely(request.read or self._parse, outcome)
                if parsed is not None:
                    self._keep(self._stored_under(key, request, outcome), outcome.to_json())
                    self._judged += 1
                    self._streak = 0
                    self._patience.succeeded()
                    return await self._held(key, request, Answer(parsed, outcome), first=unparsed is None)
                if unparsed is not None:
                    if was_thinking(outcome) or not is_drawn(
                        request, outcome.left_out
                    ):  # else the next may be readable
                        stored = {**outcome.to_json(), "unread": True}
                        self._keep(self._stored_under(key, request, outcome), stored)
                    return self._failed(unread(outcome), outcome, transport=False)
                unparsed = outcome
                continue
            if outcome.fate is Fate.REFUSED:
                self._keep(key, refused(outcome.reason, unparsed))
                return Answer(None, unparsed, outcome.reason)
            tries += 1
            then = self._patience.after(outcome, tries)
            if then.delay_s is None:
                if then.stop:
                    self.stop(then.reason)
                    return Answer(None, unparsed, self.stopped_because)
                return self._failed(then.reason, unparsed, transport=then.transport)
            await self._sleep(then.delay_s)

    async def _held(self, key: bytes, request: Request, answer: Answer[T], *, first: bool) -> Answer[T]:
        """The answer held to the request's choices where a free reply's log-probabilities do not decide, else as it is.

        That is tried once: what there is already is an answer, and kept.
        """
        reply, parse = answer.reply, request.read or self._parse
        if not first or reply is None or reply.constrained or not reply.logprobs or self.stopped_because is not None:
            return answer
        decided = safely(parse, replace(reply, logprobs=None)) != answer.parsed  # else they made no difference
        if decided or self._can_hold is None or not await self._can_hold(request):
            return answer
        held = await self._send(request, reply)
        if not isinstance(held, Reply) or not held.constrained or (parsed := safely(parse, held)) is None:
            return answer
        self._keep(self._stored_under(key, request, held), held.to_json())
        return Answer(parsed, held)

    async def _wait_for_the_rate_limit(self) -> None:
        while (wait := self._patience.pause_s()) > 0 and self.stopped_because is None:
            await self._sleep(wait)

    async def _sleep(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except asyncio.TimeoutError:
            return

    def stop(self, reason: str) -> None:
        """Ask nothing more; what is under way gets a few seconds to end well."""
        if self.stopped_because is not None:
            return
        self.stopped_because = f"stopped: {reason}"
        logger.error("judge %s: %s; answers so far are kept, the rest stays unscored", self._name, reason)
        self._stop.set()

        def cut_off() -> None:
            for task in self._busy:
                if task is not None:
                    task.cancel()

        asyncio.get_running_loop().call_later(_GRACE_S, cut_off)

    def _failed(self, reason: str, reply: Reply | None, *, transport: bool) -> Answer[T]:
        # Later on, a filtered or odd item says nothing about its neighbours; before the first success it does.
        self._streak += transport or self._judged == 0
        if self._streak >= self._retry.failures_to_stop:
            which = "first" if self._judged == 0 else "last"
            self.stop(f"the {which} {self._streak} replies all failed (last: {reason})")
        return Answer(None, reply, reason)

    def _stored_under(self, key: bytes, request: Request, reply: Reply) -> bytes:
        # what was left out when the key was made is left out of the reply, too
        return self._key_of_answer(request, reply) if self._key_of_answer and reply.left_out else key

    def _keep(self, key: bytes, stored: dict[str, Any]) -> None:
        if self._cache is not None:
            self._cache.put(key, stored, kind=self._kind, model=self._name)

    def _settle(self, index: int, answer: Answer[T] | None) -> None:
        self._answers[index] = answer
        if answer is not None:
            if answer.reason is not None:
                self.reasons[answer.reason] += 1
            # an earlier run's answers speak for the judge, too: what is left may be the items it always fails
            self._judged += answer.cached and answer.parsed is not None
            self._progress.add(cached=answer.cached, failed=answer.reason is not None)
