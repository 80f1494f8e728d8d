"""A stand-in for the Hugging Face hub on 127.0.0.1 that takes commits to one repository: owner/name."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """What it holds and was asked. `status`: answer to a commit, where it is not taken."""

    endpoint: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    commits: list[dict[str, bytes]] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    status: int = 200
    card_status: int = 200


@contextmanager
def serve_hub_writer(kind: str = "models") -> Iterator[Hub]:
    """Serve a hub of one repository; `kind`: models or datasets."""
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.asked()
            web = "" if kind == "models" else "/datasets"
            if path.startswith(f"/api/{kind}/owner/name"):
                self.say(200, {"id": "owner/name", "sha": COMMIT, "private": False, "siblings": [], "tags": []})
            elif path.startswith(f"{web}/owner/name/resolve/{COMMIT}/"):
                name = path.rpartition(f"/resolve/{COMMIT}/")[2]
                if hub.card_status != 200:
                    self.reply(hub.card_status, b"", {})
                elif name in hub.files:
                    self.reply(200, hub.files[name], {"X-Repo-Commit": COMMIT, "ETag": '"0"'})
                else:
                    self.reply(404, b"", {"X-Error-Code": "EntryNotFound"})
            else:
                self.reply(404, b"", {"X-Error-Code": "RepoNotFound"})

        do_HEAD = do_GET

        def do_POST(self) -> None:
            path, body = self.asked(), self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if "/preupload/" in path:
                files = [
                    {"path": one["path"], "uploadMode": "regular", "shouldIgnore": False}
                    for one in json.loads(body)["files"]
                ]
                self.say(200, {"files": files})
            elif "/commit/" in path and hub.status != 200:
                self.say(hub.status, {"error": "no"})
            elif "/commit/" in path:
                entries = [json.loads(line) for line in body.splitlines()]
                hub.parents.append(entries[0]["value"].get("parentCommit"))
                files = [one["value"] for one in entries if one["key"] == "file"]
                hub.commits.append({one["path"]: base64.b64decode(one["content"]) for one in files})
                hub.files |= hub.commits[-1]
                self.say(200, {"commitUrl": f"{hub.endpoint}/owner/name/commit/{COMMIT}", "commitOid": COMMIT})
            else:
                self.say(200, {})

        def asked(self) -> str:
            if "Authorization" in self.headers:  # the client asks for a list of its own without one
                hub.tokens.add(self.headers["Authorization"])
            return unquote(urlsplit(self.path).path)

        def say(self, status: int, value: object) -> None:
            self.reply(status, json.dumps(value).encode(), {"Content-Type": "application/json"})

        def reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
