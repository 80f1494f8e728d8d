"""Chromium for tests of the pages, driven by Playwright, and a server that hears whatever a page would fetch."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser with a profile of its own; skips without one, but fails in CI: there it must be had."""
    from playwright.sync_api import Error, sync_playwright

    path = next(filter(None, map(shutil.which, _NAMES)), None)
    with sync_playwright() as playwright:
        try:  # off the PATH: where Chrome's installer puts it on macOS and Windows
            place = {"executable_path": path} if path else {"channel": "chrome"}
            browser = playwright.chromium.launch(args=list(_FLAGS), **place)
        except Error:
            if path:
                raise
            reason = "no chromium here: bash utils/install_browser (as root), or install Chromium or Chrome"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A page and everything that happened on it."""

    page: Any
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@contextmanager
def visit(browser: Any, path: Path, fragment: str = "", **context: Any) -> Iterator[Visit]:
    """Open a file as a double-click does, and listen to requests, dialogs, errors and policy reports."""
    opened = browser.new_context(**context)
    seen = Visit(opened.new_page())
    seen.page.set_default_timeout(10_000)
    seen.page.on("request", lambda request: seen.requests.append(request.url))
    seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    seen.page.on("console", lambda message: seen.complaints.append(f"{message.type}: {message.text}"))

    def note(dialog: Any) -> None:
        seen.dialogs.append(dialog.message)
        dialog.dismiss()

    seen.page.on("dialog", note)
    try:
        seen.page.goto(path.as_uri() + fragment)
        yield seen
    finally:
        opened.close()


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """A server's address, and the paths that were asked of it."""
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", heard
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
