"""An OpenAI-compatible server that misbehaves on request: real HTTP on 127.0.0.1, every request counted.

In a test, in its own thread:

    with JudgeServer(plan=scheduled({"429": 0.1, "hang": 0.05}, seed=1)) as server:
        ...  # server.base_url, server.asked, server.answered

Or on its own: `python tests/support/judge_server.py --port 8000 --latency 0.05 --faults 429=0.1,500=0.1`.
It is a bare asyncio protocol, so that the client is what a benchmark measures (about 10,000 requests/s on one core).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import math
import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

MODEL = "stub-judge"
FINGERPRINT = "fp_stub"


@dataclass(frozen=True)
class Fault:
    """What to do to one request instead of answering it well.

    Kinds, as transport: hang, reset, closed (no bytes), short (body shorter than announced), duplicate (the reply twice
    on the wire), slow. As status: 429, 500, 503, 400, content_filter, 401, unknown_model, quota, reject_logprobs,
    echo_key (the key in the error message). As a 200: html, truncated (JSON cut in the middle), null, empty, garbage,
    filtered (finish_reason), no_logprobs, wrong_logprobs (next to no mass on the labels), bad_logprobs (no numbers).
    """

    kind: str
    seconds: float = 0.0


Plan = Callable[[str, int], "Fault | None"]
Mode = Callable[[dict[str, Any]], "tuple[int, bytes, dict[str, str]] | None"]


def coin(prompt: str) -> str:
    """Yes or No, by the prompt's hash: the same for every run."""
    return "Yes" if hashlib.sha256(prompt.encode("utf-8", "replace")).digest()[0] % 2 else "No"


def fitting(prompt: str) -> str:
    """Yes or No, or to a pair of answers m or M, by the prompt's hash."""
    said = coin(prompt)
    return {"Yes": "m", "No": "M"}[said] if "<answer-M-" in prompt else said


def scheduled(shares: Mapping[str, float], *, seed: int = 0, attempts: int = 1, seconds: float = 0.02) -> Plan:
    """A plan that gives each prompt's first `attempts` requests a fault, by the prompt's hash, in these shares."""

    def plan(prompt: str, attempt: int) -> Fault | None:
        if attempt > attempts:
            return None
        draw = random.Random(f"{seed}:{attempt}:{prompt}").random()
        for kind, share in shares.items():
            draw -= share
            if draw < 0:
                return Fault(kind, seconds)
        return None

    return plan


@dataclass
class JudgeServer:
    """The server; as a context manager it runs in a thread of its own.

    Attributes:
        answer: Text of the reply to a prompt (the last message, or the completion prompt).
        refuse: An error object, to answer 400 with, or None, by the request body.
        edit: Changes a good reply, given the request body.
        mode: How a provider departs from this: status, body and headers for a request body, or None (`providers`).
        root: Path of the API.
        plan: Fault for (prompt, number of the request for it, from 1); None: answer well.
        latency_s: Seconds every reply takes.
        p_yes: Probability the logprobs give to the answered label.
        logprobs: Whether the server gives logprobs.
        reject: Whether one that does not answers 400 when it is asked for them.
        api_key: Key it wants; None: any.
        models: Names in GET /v1/models; None: the route does not exist.
        asked: Requests that came in, by prompt.
        answered: Complete good replies sent, by prompt.
        bodies: Request bodies, where `record` is set.
        heads: Their headers, and the query under "?".
    """

    answer: Callable[[str], str] = coin
    plan: Plan | None = None
    refuse: Callable[[dict[str, Any]], dict[str, Any] | None] | None = None
    edit: Callable[[dict[str, Any], dict[str, Any]], None] | None = None
    mode: Mode | None = None
    root: str = "/v1"
    latency_s: float = 0.0
    p_yes: float = 0.9
    logprobs: bool = True
    reject: bool = False
    api_key: str | None = None
    models: tuple[str, ...] | None = (MODEL,)
    record: bool = False
    port: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    connections: int = 0
    replies: int = 0

    _loop: asyncio.AbstractEventLoop | None = None
    _thread: threading.Thread | None = None

    @property
    def base_url(self) -> str:
        """What to give an OpenAI client."""
        return f"http://127.0.0.1:{self.port}{self.root}"

    async def serve(self, started: Callable[[], None] = lambda: None) -> None:
        """Serve until cancelled."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Connection(self, loop), "127.0.0.1", self.port, backlog=4096)
        self.port = server.sockets[0].getsockname()[1]
        started()
        try:
            await asyncio.Event().wait()
        finally:
            server.close()

    def __enter__(self) -> JudgeServer:
        ready = threading.Event()

        def run() -> None:
            self._loop = asyncio.new_event_loop()
            self._task = self._loop.create_task(self.serve(ready.set))
            with contextlib.suppress(asyncio.CancelledError):
                self._loop.run_until_complete(self._task)
            self._loop.run_until_complete(asyncio.sleep(0))
            self._loop.close()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        assert ready.wait(10), "the judge server did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop and self._thread
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(10)

    def reply(self, path: str, body: dict[str, Any], fault: Fault | None) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and extra headers of one reply."""
        kind = fault.kind if fault else "ok"
        if kind in _ERRORS:
            status, error = _ERRORS[kind]
            headers = (
                {"retry-after": f"{fault.seconds:g}"} if kind in ("429", "503") and fault and fault.seconds else {}
            )
            return status, json.dumps({"error": error}).encode(), headers
        if self.mode is not None and (said := self.mode(body)) is not None:
            return said
        if kind == "html":
            return 200, b"<html><body>It works!</body></html>", {}
        wants = bool(body.get("logprobs"))
        if wants and (kind == "reject_logprobs" or (self.reject and not self.logprobs)):
            error = {"message": "logprobs are not supported", "type": "invalid_request_error", "param": "logprobs"}
            return 400, json.dumps({"error": error}).encode(), {}
        if self.refuse is not None and (error := self.refuse(body)) is not None:
            return 400, json.dumps({"error": error}).encode(), {}
        prompt = prompt_of(body)
        text: str | None = self.answer(prompt)
        if kind in ("null", "empty", "garbage", "filtered"):
            text = {"null": None, "empty": "", "garbage": "Could you rephrase that?", "filtered": ""}[kind]
        chat = path.endswith("/chat/completions")
        logprobs = None
        if wants and self.logprobs and kind != "no_logprobs" and text:
            logprobs = _logprobs(text, chat, kind, self.p_yes, body)
        reply = _chat(text, logprobs) if chat else _completion(text, logprobs)
        if kind == "filtered":
            reply["choices"][0]["finish_reason"] = "content_filter"
        self.replies += 1
        reply |= {"id": f"stub-{self.replies}", "model": f"{body.get('model')}-2026", "system_fingerprint": FINGERPRINT}
        if self.edit is not None:
            self.edit(body, reply)
        data = json.dumps(reply).encode()
        return 200, data[: len(data) // 2] if kind == "truncated" else data, {}


_NO_ANSWER = ("truncated", "short", "html", "null", "empty", "garbage", "filtered")

_ERRORS: dict[str, tuple[int, dict[str, Any]]] = {
    "429": (429, {"message": "Rate limit reached for requests", "type": "requests", "code": "rate_limit_exceeded"}),
    "500": (500, {"message": "The server had an error", "type": "server_error", "code": None}),
    "503": (503, {"message": "Loading model", "type": "unavailable_error", "code": 503}),
    "400": (400, {"message": "This model's maximum context length is 4096 tokens", "type": "invalid_request_error"}),
    "content_filter": (400, {"message": "The prompt was filtered", "code": "content_filter", "type": None}),
    "401": (401, {"message": "Incorrect API key provided", "type": "invalid_request_error", "code": "invalid_api_key"}),
    "unknown_model": (404, {"message": "The model does not exist", "type": "NotFoundError", "code": "model_not_found"}),
    "quota": (
        429,
        {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"},
    ),
}


def prompt_of(body: Mapping[str, Any]) -> str:
    """The text a request is counted under: its last message, or its completion prompt."""
    messages = body.get("messages")
    return str(messages[-1]["content"] if messages else body.get("prompt"))


def _logprobs(text: str, chat: bool, kind: str, p: float, body: Mapping[str, Any]) -> dict[str, Any]:
    other = {"yes": "no", "no": "yes", "Yes": "No", "No": "Yes", " yes": " no", " no": " yes", "m": "M", "M": "m"}.get(
        text, "?"
    )
    top = {text: math.log(p), other: math.log(1 - p) - 0.01, "The": -12.0}
    if kind == "wrong_logprobs":  # the labels hold next to nothing
        top = {"The": -0.001, text: -20.0, other: -21.0}
    rows: list[Any] = [{"token": token, "logprob": value} for token, value in top.items()]
    if kind == "bad_logprobs":  # a server with broken numbers
        rows = [{"token": text, "logprob": None}, {"token": 3}, "x"]
    if chat:
        return {"content": [{"token": text, "logprob": -0.1, "top_logprobs": rows[: body.get("top_logprobs", 0) or 0]}]}
    return {"tokens": [text], "token_logprobs": [-0.1], "top_logprobs": [top]}


def _chat(text: str | None, logprobs: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "logprobs": logprobs, "finish_reason": "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101}
    return {"object": "chat.completion", "created": 0, "choices": [choice], "usage": usage}


def _completion(text: str | None, logprobs: Any) -> dict[str, Any]:
    choice = {"index": 0, "text": text, "logprobs": logprobs, "finish_reason": "length"}
    usage = {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101}
    return {"object": "text_completion", "created": 0, "choices": [choice], "usage": usage}


class _Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, Content-Length bodies only: all an OpenAI client sends."""

    def __init__(self, server: JudgeServer, loop: asyncio.AbstractEventLoop) -> None:
        self.server, self.loop, self.buffer = server, loop, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.connections += 1

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].decode("latin-1")
            lines = head.split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            size = int(headers.get("content-length", 0))
            if len(self.buffer) < end + 4 + size:
                return
            body = self.buffer[end + 4 : end + 4 + size]
            self.buffer = self.buffer[end + 4 + size :]
            method, path, _ = lines[0].split(" ", 2)
            self.handle(method, path, headers, body)

    def handle(self, method: str, path: str, headers: Mapping[str, str], raw: bytes) -> None:
        server = self.server
        if server.api_key is not None and headers.get("authorization") != f"Bearer {server.api_key}":
            return self.send(401, json.dumps({"error": _ERRORS["401"][1]}).encode())
        if method == "GET":
            return self.send(*self.get(path))
        path, _, query = path.partition("?")
        if path not in (f"{server.root}/chat/completions", f"{server.root}/completions"):
            return self.send(404, b'{"detail":"Not Found"}')
        body = json.loads(raw)
        prompt = prompt_of(body)
        server.asked[prompt] += 1
        server.in_flight += 1
        server.most_in_flight = max(server.most_in_flight, server.in_flight)
        if server.record:
            server.bodies.append({"path": path, **body})
            server.heads.append({**headers, "?": query})
        fault = server.plan(prompt, server.asked[prompt]) if server.plan else None
        delay = server.latency_s + (fault.seconds if fault and fault.kind == "slow" else 0.0)
        act = (path, body, prompt, fault, headers.get("authorization", ""))
        if delay:
            self.loop.call_later(delay, self.act, *act)
            return None
        return self.act(*act)

    def get(self, path: str) -> tuple[int, bytes]:
        if path == "/stats":
            counts = {"asked": self.server.asked, "answered": self.server.answered}
            most = {"most_in_flight": self.server.most_in_flight, "connections": self.server.connections}
            return 200, json.dumps({**counts, **most}).encode()
        if path.endswith("/models") and self.server.models is not None:
            return 200, json.dumps({"object": "list", "data": [{"id": name} for name in self.server.models]}).encode()
        return 404, b'{"detail":"Not Found"}'

    def act(self, path: str, body: dict[str, Any], prompt: str, fault: Fault | None, key: str) -> None:
        server = self.server
        server.in_flight -= 1
        kind = fault.kind if fault else "ok"
        if kind == "hang":
            return None  # nothing ever comes; the client has to lose patience
        if kind in ("reset", "closed"):
            return self.transport.abort() if kind == "reset" else self.transport.close()
        if kind == "echo_key":
            error = {"message": f"Invalid credentials: {key}", "code": "server_error"}
            return self.send(500, json.dumps({"error": error}).encode())
        if server.models is not None and body.get("model") not in server.models:
            fault = Fault("unknown_model")
        status, data, headers = server.reply(path, body, fault)
        if status == 200 and kind not in _NO_ANSWER:
            server.answered[prompt] += 1
        if kind == "short":
            self.send(status, data, headers, length=len(data) + 40)
            return self.transport.close()
        return self.send(status, data, headers, times=2 if kind == "duplicate" else 1)

    def send(
        self,
        status: int,
        data: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        length: int | None = None,
        times: int = 1,
    ) -> None:
        if self.transport.is_closing():
            return
        extra = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        size = len(data) if length is None else length
        head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n{extra}\r\n"
        self.transport.write((head.encode() + data) * times)


def main() -> None:
    """Serve until killed; the first line of stdout is the base URL."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds a reply takes")
    parser.add_argument("--models", default=MODEL, help="comma-separated names; empty: any name")
    parser.add_argument("--faults", default="", help="kind=share,kind=share for the first request of a prompt")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--api-key", help="key it wants (default: any)")
    parser.add_argument("--answer", help="always this text (default: what fits, by the prompt's hash)")
    args = parser.parse_args()
    shares = {kind: float(share) for kind, share in (part.split("=") for part in args.faults.split(",") if part)}
    server = JudgeServer(
        answer=fitting,
        plan=scheduled(shares, seed=args.seed) if shares else None,
        latency_s=args.latency,
        models=tuple(args.models.split(",")) if args.models else None,
        api_key=args.api_key,
        port=args.port,
    )
    if args.answer is not None:
        server.answer = lambda _prompt: args.answer
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.serve(lambda: print(server.base_url, flush=True)))


if __name__ == "__main__":
    main()
