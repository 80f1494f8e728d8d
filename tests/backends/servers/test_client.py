"""What a server can do to its client: send it elsewhere, send too much, echo what is secret."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from pak3h_tasks.backends.servers.address import Address, same_server, shown_url
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.backends.servers.client import MOST_BYTES
from pak3h_tasks.errors import BackendError
from support.judge_server import MODEL, JudgeServer
from support.questions import question, quick, yes_or_no

REPLY = json.dumps({"choices": [{"finish_reason": "stop", "message": {"content": "Yes"}}]}).encode()


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer(record=True) as running:
        yield running


@pytest.fixture(params=["aiohttp", "httpx"])
def transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    import openai

    def missing(**_: Any) -> None:
        raise RuntimeError

    if request.param == "httpx":
        monkeypatch.setattr(openai, "DefaultAioHttpClient", missing)


pytestmark = pytest.mark.usefixtures("transport")


def at(url: str, **settings: Any) -> OpenAIChat:
    return OpenAIChat(MODEL, base_url=url, **{"retry": quick(), **settings})


def ask(url: str, **settings: Any) -> Any:
    return at(url, **settings).ask([question(1)], yes_or_no)[0]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_to_another_server_is_refused_and_said(server: JudgeServer, status: int) -> None:
    with JudgeServer() as other:
        server.mode = lambda body: (status, b"", {"location": f"{other.base_url}/chat/completions?token=abcdefgh"})
        answer = ask(server.base_url)
        assert answer.parsed is None and "sends requests on to another server" in str(answer.reason)
        assert other.base_url in str(answer.reason) and "abcdefgh" not in str(answer.reason)
        with pytest.raises(BackendError, match="another server"):
            at(server.base_url).preflight(question(1))
        assert not other.asked and not other.connections


@pytest.mark.parametrize("status", [301, 307, 308])
@pytest.mark.parametrize("absolute", [False, True])
def test_a_redirect_on_the_same_server_is_followed_with_the_question(
    server: JudgeServer, status: int, absolute: bool
) -> None:
    server.mode = lambda body: (200, REPLY, {}) if len(server.bodies) % 2 == 0 else (
        status, b"", {"location": (server.base_url if absolute else server.root) + "/chat/completions"}
    )  # fmt: skip
    assert ask(server.base_url).parsed is True
    assert server.bodies[0] == server.bodies[1]


def test_a_redirect_in_a_circle_ends(server: JudgeServer) -> None:
    server.mode = lambda body: (307, b"", {"location": "/v1/chat/completions"})
    assert "in a circle" in str(ask(server.base_url).reason)


def test_one_server() -> None:
    assert same_server("http://a/v1", "http://a:80/x") and same_server("http://a/", "https://a/")
    assert not same_server("https://a/", "http://a/") and not same_server("http://a/", "http://b/")
    assert not same_server("http://a:8000/", "http://a:8001/") and not same_server("http://a/", "http://a:no/")


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_a_packed_reply_is_read(server: JudgeServer, pack: Any) -> None:
    encoding = "gzip" if pack is gzip.compress else "deflate"
    server.mode = lambda body: (200, pack(REPLY), {"content-encoding": encoding})
    assert ask(server.base_url).parsed is True


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("packed", [False, True])
def test_a_reply_is_cut_off_at_a_few_megabytes(server: JudgeServer, packed: bool, status: int) -> None:
    # 200 MB of blanks are 200 kB as gzip
    data = gzip.compress(b" " * 200_000_000, 1) if packed else b" " * (MOST_BYTES + 1000)
    server.mode = lambda body: (status, data, {"content-encoding": "gzip"} if packed else {})
    import tracemalloc

    tracemalloc.start()
    answer = ask(server.base_url)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.parsed is None and answer.reason == "the reply is larger than 4 MB"
    assert most < 60e6


def test_a_packing_that_nobody_asked_for(server: JudgeServer) -> None:
    server.mode = lambda body: (200, b"x", {"content-encoding": "br"})
    assert "packed as 'br'" in str(ask(server.base_url).reason)


def test_credentials_in_the_url_are_sent_and_never_shown(server: JudgeServer, caplog: pytest.LogCaptureFixture) -> None:
    url = server.base_url.replace("http://", "http://me:p%40ss-w0rd@")
    one = at(url)
    one.preflight(question(0))
    assert one.ask([question(1)], yes_or_no)[0].parsed is not None
    basic = base64.b64encode(b"me:p@ss-w0rd").decode()
    assert {head["authorization"] for head in server.heads} == {f"Basic {basic}"}
    server.mode = lambda body: (500, f'{{"error": "{url} p@ss-w0rd {basic}"}}'.encode(), {})
    answer = one.ask([question(2)], yes_or_no)[0]
    with pytest.raises(BackendError) as caught:
        at(url).preflight(question(0))
    for text in (repr(one), repr(one.served), str(answer.reason), str(caught.value), caplog.text):
        assert "w0rd" not in text and basic not in text
    assert one.url == server.base_url


def test_a_query_in_the_url_goes_with_every_request_and_is_never_shown(server: JudgeServer) -> None:
    one = at(f"{server.base_url}?token=abcdefgh")
    one.ask([question(1)], yes_or_no)
    assert server.heads[0]["?"] == "token=abcdefgh" and server.bodies[0]["path"] == "/v1/chat/completions"
    assert "abcdefgh" not in repr(one) + repr(one.served)


@pytest.mark.parametrize("url", ["http://host:port/v1", "http://[::1"])
def test_a_url_that_makes_no_sense_is_one_line(url: str) -> None:
    with pytest.raises(BackendError, match="makes no sense"):
        at(url)


def test_shown() -> None:
    assert shown_url("http://u:p@h:1/v1/?k=s") == Address.parse("http://u:p@h:1/v1/?k=s").url == "http://h:1/v1"


def test_a_path_is_in_no_signature(server: JudgeServer) -> None:
    server.edit = lambda body, reply: reply.update(model="/home/somebody/models/SmolLM2.gguf")
    server.models = None
    one = OpenAIChat("/home/somebody/models/SmolLM2.gguf", base_url=server.base_url)
    (answer,) = one.ask([question(1)], yes_or_no)
    assert answer.reply is not None and answer.reply.model == "SmolLM2.gguf"
    assert one.signature == (("judge", "SmolLM2.gguf"),)
    assert server.bodies[0]["model"] == "/home/somebody/models/SmolLM2.gguf"  # the server's own name for it
