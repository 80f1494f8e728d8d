"""Plain code, notebooks and interrupts."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from pak3h_tasks.backends.servers.event_loop import run_coroutine

NAME = contextvars.ContextVar("NAME", default="outside")


async def thread_and_name() -> tuple[int, str]:
    await asyncio.sleep(0)
    return threading.get_ident(), NAME.get()


@pytest.mark.parametrize("running", [False, True])
def test_it_runs_in_a_thread_with_this_context(running: bool) -> None:
    def plain() -> tuple[int, str]:
        NAME.set("notebook")
        return run_coroutine(thread_and_name)

    async def notebook() -> tuple[int, str]:
        return plain()

    thread, name = asyncio.run(notebook()) if running else contextvars.copy_context().run(plain)
    assert thread != threading.get_ident() and name == "notebook"


@pytest.mark.parametrize("running", [False, True])
def test_exceptions_come_through(running: bool) -> None:
    async def fail() -> None:
        raise LookupError("inside")

    async def notebook() -> None:
        run_coroutine(fail)

    with pytest.raises(LookupError, match="inside"):
        asyncio.run(notebook()) if running else run_coroutine(fail)


@pytest.mark.parametrize("running", [False, True])
def test_an_interrupt_while_waiting_cancels_the_work(running: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    started, ended = threading.Event(), threading.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            ended.set()
            raise

    def interrupted(self: object, timeout: float | None = None) -> None:
        if threading.current_thread() is threading.main_thread() and not ended.is_set() and started.wait(10):
            monkeypatch.undo()
            raise KeyboardInterrupt

    async def notebook() -> None:
        run_coroutine(work)

    monkeypatch.setattr("pak3h_tasks.backends.servers.event_loop.Future.result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(notebook()) if running else run_coroutine(work)
    assert ended.is_set()
