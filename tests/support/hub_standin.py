"""A stand-in for the Hugging Face hub on 127.0.0.1: serves one folder as the dataset repository owner/name."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def serve_hub(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the endpoint and the growing list of request paths."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            asked.append(path)
            parts = path.strip("/").split("/")
            if path.startswith("/datasets/owner/name/resolve/"):
                self.send_file(folder.joinpath(*parts[5:]))
            elif path.startswith("/api/datasets/owner/name/tree/"):
                files = sorted(file for file in folder.joinpath(*parts[6:]).rglob("*") if file.is_file())
                self.send_json([self.entry(file) for file in files])
            elif path.startswith("/api/datasets/owner/name"):
                siblings = [{"rfilename": self.entry(file)["path"]} for file in folder.rglob("*") if file.is_file()]
                self.send_json({"id": "owner/name", "sha": COMMIT, "private": False, "siblings": siblings, "tags": []})
            else:
                self.reply(404, b"", {"X-Error-Code": "RepoNotFound"})

        do_HEAD = do_GET

        def entry(self, file: Path) -> dict[str, object]:
            data = file.read_bytes()
            name = file.relative_to(folder).as_posix()
            return {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}

        def send_file(self, file: Path) -> None:
            if not file.is_file():
                return self.reply(404, b"", {"X-Error-Code": "EntryNotFound"})
            tag = hashlib.sha1(file.read_bytes()).hexdigest()
            return self.reply(200, file.read_bytes(), {"X-Repo-Commit": COMMIT, "ETag": f'"{tag}"'})

        def send_json(self, value: object) -> None:
            self.reply(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

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
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
