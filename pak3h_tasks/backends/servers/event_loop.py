"""Run a coroutine from plain code, also where an event loop already runs (notebooks)."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


def run_coroutine(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of the coroutine, run in a thread of its own.

    This thread may have a running loop, and is the one that signals reach: an interrupt while it waits cancels the
    coroutine before it goes on to the caller.
    """
    result: Future[T] = Future()
    running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()

    async def main() -> T:
        task = asyncio.ensure_future(make())
        running.set_result((asyncio.get_running_loop(), task))
        return await task

    def work() -> None:
        try:
            result.set_result(asyncio.run(main()))
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            result.set_exception(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(work,), name="pak3h-judge", daemon=True)
    thread.start()
    try:
        return result.result()
    except BaseException:
        if not result.done():
            loop, task = running.result()
            loop.call_soon_threadsafe(task.cancel)
        raise
    finally:
        thread.join()


class LoopThread:
    """An event loop in a thread of its own, for plain code that wants many requests under way while it goes on."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Cancel what is under way and end the thread."""

        async def cancel() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        self.submit(cancel()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
