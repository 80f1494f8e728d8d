"""OpenAI's files and batches on 127.0.0.1, with what goes wrong there; lines are answered by a `JudgeServer`.

Only the protocol is here: `JudgeServer.reply` says what a question's reply is, online (`/chat/completions`) and in a
batch alike, so that both can be compared.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from support.judge_server import JudgeServer, prompt_of


class BatchServer:
    """Use as a context manager.

    Args:
        judge: Answers the questions; it need not be started.

    Attributes:
        mode: What happens to the next batches: "" (all is well, out of order), ``missing`` (every third line is),
            ``line_errors`` (every third fails), ``expired`` (half), ``cancelled`` (half), ``invalid`` (fails
            validation), ``stranger`` (the output of somebody else's batch), ``duplicates`` (every line twice).
        polls: How often a batch is still running when it is looked at.
        cut_uploads: So many uploads are cut off: the file is not kept.
        lost_replies: So many successful POSTs whose reply is lost on the way: the connection closes.
        lists: Whether files and batches can be listed.
        paid: How often each question (its last message) was answered in a batch.
        online: How often each was answered online.
    """

    def __init__(self, judge: JudgeServer | None = None, *, key: str | None = None) -> None:
        self.judge = judge or JudgeServer(models=None)
        self.key = key
        self.mode, self.polls, self.cut_uploads, self.lost_replies, self.lists = "", 0, 0, 0, True
        self.files: dict[str, dict[str, Any]] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.paid: Counter[str] = Counter()
        self.online: Counter[str] = Counter()
        self.uploads = 0
        self.paths: list[str] = []
        self.hold: Callable[[str], None] = lambda path: None
        self.lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> BatchServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def add_file(self, name: str, data: bytes, purpose: str = "batch") -> dict[str, Any]:
        file = {"id": f"file-{len(self.files) + 1}", "object": "file", "bytes": len(data), "filename": name,
                "purpose": purpose, "created_at": int(time.time()), "status": "processed"}  # fmt: skip
        self.files[file["id"]] = {**file, "data": data}
        return file

    def create(self, asked: dict[str, Any]) -> dict[str, Any]:
        batch = {
            "id": f"batch-{len(self.batches) + 1}", "object": "batch", "status": "validating", "errors": None,
            "created_at": int(time.time()), "output_file_id": None, "error_file_id": None, "mode": self.mode,
            "left": self.polls, **asked,
        }  # fmt: skip
        rows = [json.loads(line) for line in self.files[asked["input_file_id"]]["data"].split(b"\n") if line]
        batch["request_counts"] = {"total": len(rows), "completed": 0, "failed": 0}
        names = [row["custom_id"] for row in rows]
        assert len(set(names)) == len(names) and {row["url"] for row in rows} == {asked["endpoint"]}
        assert len({row["body"]["model"] for row in rows}) == 1
        self.batches[batch["id"]] = batch
        return batch

    def look(self, batch: dict[str, Any]) -> dict[str, Any]:
        """A batch as it is now; it ends when it has been looked at often enough."""
        if batch["status"] in ("validating", "in_progress", "cancelling"):
            if batch["left"] > 0 and batch["status"] != "cancelling":
                batch["left"] -= 1
                batch["status"] = "in_progress"
                batch["request_counts"]["completed"] = batch["request_counts"]["total"] // 2
            else:
                self._finish(batch)
        return {name: value for name, value in batch.items() if name not in ("mode", "left")}

    def _finish(self, batch: dict[str, Any]) -> None:
        mode = "cancelled" if batch["status"] == "cancelling" else batch["mode"]
        if mode == "invalid":
            fault = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached", "line": None}
            batch |= {"status": "failed", "errors": {"object": "list", "data": [fault]}}
            return
        rows = [json.loads(line) for line in self.files[batch["input_file_id"]]["data"].split(b"\n") if line]
        good, bad = [], []
        for number, row in enumerate(rows):
            if mode == "missing" and number % 3 == 0:
                continue
            if mode in ("expired", "cancelled") and number >= len(rows) // 2:
                message = "This request could not be executed before the completion window expired."
                if mode == "expired":
                    bad.append({"id": "x", "custom_id": row["custom_id"], "response": None,
                                "error": {"code": "batch_expired", "message": message}})  # fmt: skip
                continue
            status, data, _ = self.judge.reply(row["url"], row["body"], None)
            if mode == "line_errors" and number % 3 == 0:
                status, data = 500, b'{"error": {"message": "The server had an error"}}'
            self.paid[prompt_of(row["body"])] += status == 200
            response = {"status_code": status, "request_id": f"r{number}", "body": json.loads(data)}
            line = {"id": f"l{number}", "custom_id": row["custom_id"], "response": response, "error": None}
            (good if status == 200 else bad).append(line)
        random.Random(0).shuffle(good)
        if mode == "stranger":
            for line in good:
                line["custom_id"] = "request-" + line["id"]
        if mode == "duplicates":
            good += good
        for lines, kind in ((good, "output_file_id"), (bad, "error_file_id")):
            if lines:
                text = "".join(json.dumps(line) + "\n" for line in lines)
                batch[kind] = self.add_file(f"{batch['id']}_{kind}.jsonl", text.encode(), "batch_output")["id"]
        batch["request_counts"] |= {"completed": len(good), "failed": len(bad)}
        batch["status"] = mode if mode in ("expired", "cancelled") else "completed"


def _handler(server: BatchServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            pass

        def say(self, body: Any, status: int = 200) -> None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def hang_up(self) -> None:
            self.close_connection = True
            self.connection.close()

        def allowed(self) -> bool:
            given = {self.headers.get("authorization"), self.headers.get("api-key")}
            if server.key is None or given & {f"Bearer {server.key}", server.key}:
                return True
            self.say({"error": {"message": f"Incorrect API key provided: {given}", "code": "invalid_api_key"}}, 401)
            return False

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            path = parts.path.partition("/v1")[2] or parts.path.partition("/openai")[2]
            server.paths.append(f"GET {self.path}")
            server.hold(f"GET {path}")
            if not self.allowed():
                return None
            query = parse_qs(parts.query)
            words = path.strip("/").split("/")
            with server.lock:
                if path in ("/files", "/batches"):
                    if not server.lists:
                        return self.say({"error": {"message": "Not Found"}}, 404)
                    entries = list((server.files if path == "/files" else server.batches).values())[::-1]
                    if "after" in query:
                        names = [entry["id"] for entry in entries]
                        entries = entries[names.index(query["after"][0]) + 1 :]
                    some = entries[: int(query.get("limit", ["20"])[0])]
                    data = [{k: v for k, v in entry.items() if k not in ("data", "mode", "left")} for entry in some]
                    return self.say({"object": "list", "data": data, "has_more": len(some) < len(entries)})
                if words[0] == "batches" and words[1] in server.batches:
                    return self.say(server.look(server.batches[words[1]]))
                if words[0] == "files" and words[1] in server.files:
                    return self.say(server.files[words[1]]["data"])
            return self.say({"error": {"message": f"No such object: {words[-1]}"}}, 404)

        def do_POST(self) -> None:
            parts = urlsplit(self.path)
            path = parts.path.partition("/v1")[2] or parts.path.partition("/openai")[2]
            raw = self._body()
            server.paths.append(f"POST {self.path}")
            server.hold(f"POST {path}")
            if not self.allowed():
                return None
            with server.lock:
                if path == "/files":
                    server.uploads += 1
                    if server.cut_uploads > 0:
                        server.cut_uploads -= 1
                        return self.hang_up()
                    said: Any = self._upload(raw)
                elif path == "/batches":
                    said = server.create(json.loads(raw))
                    said = {name: value for name, value in said.items() if name not in ("mode", "left")}
                elif path.endswith("/cancel"):
                    batch = server.batches[path.split("/")[2]]
                    batch["status"] = (
                        "cancelling" if batch["status"] in ("validating", "in_progress") else batch["status"]
                    )
                    said = {name: value for name, value in batch.items() if name not in ("mode", "left")}
                else:
                    body = json.loads(raw)
                    status, data, _ = server.judge.reply(parts.path, body, None)
                    server.online[prompt_of(body)] += 1
                    return self.say(data, status)
                if server.lost_replies > 0:
                    server.lost_replies -= 1
                    return self.hang_up()
            server.hold(f"DONE {path}")
            return self.say(said)

        def _body(self) -> bytes:
            if (size := self.headers.get("content-length")) is not None:
                return self.rfile.read(int(size))
            found = b""  # chunked
            while size := int(self.rfile.readline(), 16):
                found += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return found

        def _upload(self, raw: bytes) -> dict[str, Any]:
            head = f"content-type: {self.headers['content-type']}\r\n\r\n".encode()
            message = BytesParser().parsebytes(head + raw)
            (part,) = (one for one in message.get_payload() if one.get_filename())
            return server.add_file(part.get_filename(), part.get_payload(decode=True))

    return Handler
