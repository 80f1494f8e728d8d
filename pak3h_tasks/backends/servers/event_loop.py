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
    """The result of the coroutine; in a thread of its own when this thread's loop is running.

    An interrupt while waiting cancels the coroutine before it goes on to the caller.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
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
