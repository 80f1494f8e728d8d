"""The engine's own promise: it always ends, also where a cancellation gets lost on the way."""

import asyncio

import pytest

from pak3h_tasks.backends.cache import answer_key
from pak3h_tasks.backends.protocol import Reply, Request
from pak3h_tasks.backends.servers.retry import RetryPolicy
from pak3h_tasks.backends.servers.runner import Asker
from pak3h_tasks.progress import Progress


def test_a_lost_cancellation_leaves_no_worker_waiting_for_ever():
    async def send(request, unparsed):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:  # what asyncio.wait_for before Python 3.12 does when the result comes with it
            return Reply("Yes")
        return Reply("No")

    def requests():
        yield from (
            Request(prompt=str(number)) for number in range(64)
        )  # one chunk: all of them are under way when the next one fails
        raise RuntimeError("broken rows")

    async def ask():
        with Progress("judge", None, False) as progress:
            asker = Asker(
                "judge", "test", send, lambda request: answer_key({"prompt": request.prompt}), lambda reply: reply.text,
                cache=None, concurrency=64, retry=RetryPolicy(), progress=progress,
            )  # fmt: skip
            await asker.run(requests())

    async def bounded():
        task = asyncio.ensure_future(ask())
        done, _ = await asyncio.wait({task}, timeout=20)
        if not done:
            task.cancel()
            pytest.fail("a worker waits for ever")
        return task.exception()

    error = asyncio.run(bounded())
    assert isinstance(error, RuntimeError) and "broken rows" in str(error)
