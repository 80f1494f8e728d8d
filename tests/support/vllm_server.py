"""A stand-in for vLLM's classification server: real HTTP on 127.0.0.1, its request checks, answers and error bodies.

After vLLM's entrypoints/pooling/classify/{protocol,serving,api_router}.py and entrypoints/serve/engine/protocol.py.
"""

from __future__ import annotations

import json
import math
import threading
from collections import deque
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pak3h_tasks.schema import HARM_CATEGORIES

Probabilities = Callable[[list[list[int]]], list[list[float]]]


class VLLMServer:
    """Use as a context manager; `url` is the server's root.

    Args:
        probabilities: Token-id rows -> probabilities.
        labels: id2label of the served model, in index order.
        model: Name the model is served under.
        max_model_len: Longest row it takes.
        activation: ``sigmoid`` (right), ``softmax`` (before vLLM read problem_type) or ``none`` (logits).
        tokenize: Text -> ids, for ``/tokenize``; None: no such route.
        reverse: Answer the entries of ``data`` last first (an order a client must not rely on).
    """

    def __init__(
        self,
        probabilities: Probabilities,
        *,
        labels: Sequence[str] = HARM_CATEGORIES,
        model: str = "beaver-dam",
        max_model_len: int = 2048,
        activation: str = "sigmoid",
        tokenize: Callable[[str], list[int]] | None = None,
        reverse: bool = False,
    ) -> None:
        self.probabilities, self.labels, self.model = probabilities, tuple(labels), model
        self.max_model_len, self.activation, self.tokenize, self.reverse = max_model_len, activation, tokenize, reverse
        self.faults: deque[Any] = deque()
        self.fault_for: Callable[[list[list[int]]], Any] = lambda rows: None
        self.rows_seen: list[tuple[int, ...]] = []
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> VLLMServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(server: VLLMServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            if self.path != "/v1/models":
                self._send(404, {"detail": "Not Found"})
                return
            card = {
                "id": server.model, "object": "model", "created": 1, "owned_by": "vllm", "root": server.model,
                "parent": None, "max_model_len": server.max_model_len, "permission": [],
            }  # fmt: skip
            self._send(200, {"object": "list", "data": [card]})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.path == "/tokenize" and server.tokenize is not None:
                ids = server.tokenize(json.loads(body)["prompt"])
                self._send(200, {"count": len(ids), "max_model_len": server.max_model_len, "tokens": ids})
            elif self.path == "/classify":
                self._classify(body)
            else:
                self._send(404, {"detail": "Not Found"})

        def _classify(self, body: bytes) -> None:
            try:
                request = json.loads(body)
                rows = request["input"]
                if not all(isinstance(token, int) for row in rows for token in row):
                    raise ValueError("input must be token ids here")
            except (ValueError, KeyError, TypeError) as error:
                self._error(400, f"1 validation error: {error}", "Bad Request")
                return
            with server.lock:
                server.requests.append({"rows": len(rows), "authorization": self.headers.get("Authorization")})
                fault = server.faults.popleft() if server.faults else server.fault_for(rows)
            if fault == "reset":
                self.close_connection = True
                self.connection.close()
                return
            if isinstance(fault, int):
                self._error(
                    fault, "EngineCore encountered an issue." if fault >= 500 else "no", "Internal Server Error"
                )
                return
            if isinstance(fault, str):
                self._send_bytes(200, fault.encode())
                return
            if request.get("model") not in (None, server.model):
                self._error(404, f"The model `{request['model']}` does not exist.", "NotFoundError", "model")
                return
            longest = max(map(len, rows))
            if longest > server.max_model_len:
                self._error(
                    400,
                    f"This model's maximum context length is {server.max_model_len} tokens. However, your request has "
                    f"{longest} input tokens. Please reduce the length of the input messages.",
                    "BadRequestError",
                )
                return
            values = [_activate(row, server.activation) for row in server.probabilities(rows)]
            if any(math.isnan(value) for row in values for value in row):
                # starlette's JSONResponse refuses NaN, so the whole request fails
                self._error(500, "Out of range float values are not JSON compliant", "InternalServerError")
                return
            with server.lock:
                server.rows_seen += [tuple(row) for row in rows]
            data = [
                {
                    "index": index,
                    "label": server.labels[row.index(max(row))],
                    "probs": row,
                    "num_classes": len(row),
                }
                for index, row in enumerate(values)
            ]
            tokens = sum(map(len, rows))
            self._send(
                200,
                {
                    "id": "classify-1",
                    "object": "list",
                    "created": 1,
                    "model": server.model,
                    "data": data[::-1] if server.reverse else data,
                    "usage": {
                        "prompt_tokens": tokens,
                        "total_tokens": tokens,
                        "completion_tokens": 0,
                        "prompt_tokens_details": None,
                    },
                },
            )

        def _error(self, status: int, message: str, kind: str, param: str | None = None) -> None:
            self._send(status, {"error": {"message": message, "type": kind, "param": param, "code": status}})

        def _send(self, status: int, body: dict[str, Any]) -> None:
            self._send_bytes(status, json.dumps(body).encode())

        def _send_bytes(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _activate(probabilities: Sequence[float], activation: str) -> list[float]:
    if activation == "sigmoid":
        return list(probabilities)
    logits = [math.log(value / (1 - value)) for value in probabilities]
    if activation == "none":
        return logits
    top = max(logits)
    exponentials = [math.exp(logit - top) for logit in logits]
    return [value / sum(exponentials) for value in exponentials]
