"""Bodies that are sent and replies that are read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pak3h_tasks.backends.protocol import Position, Reply, Request
from pak3h_tasks.backends.servers.failures import Failure, Fate, of_status
from pak3h_tasks.backends.servers.wire import THINKING_TOKENS, Dialect, path_of, read_reply

PARAMS = {"temperature": 0, "max_tokens": 16, "logprobs": True, "top_logprobs": 5}
CHAT = Request(messages=(("system", "s"), ("user", "u")), params=PARAMS)
COMPLETION = Request(prompt="p", params={"temperature": 0, "max_tokens": 1, "logprobs": 5})


def reply(**choice: Any) -> Reply | Failure:
    body = {"model": "m-2026", "system_fingerprint": "fp", "choices": [{"finish_reason": "stop", **choice}]}
    return read_reply(json.dumps({**body, "usage": {"prompt_tokens": 7, "completion_tokens": 1}}))


def test_bodies() -> None:
    assert Dialect().body("m", CHAT) == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        **PARAMS,
    }
    assert Dialect().body("m", COMPLETION) == {
        "model": "m", "prompt": "p", "temperature": 0, "max_tokens": 1, "logprobs": 5
    }  # fmt: skip
    assert (path_of(CHAT), path_of(COMPLETION)) == ("/chat/completions", "/completions")


@pytest.mark.parametrize(
    ("parameter", "message", "gone", "come"),
    [
        ("logprobs", "logprobs not supported", {"logprobs", "top_logprobs"}, set()),
        ("max_tokens", "use 'max_completion_tokens' instead", {"max_tokens"}, {"max_completion_tokens"}),
        ("temperature", "does not support 0", {"temperature"}, set()),
    ],
)
def test_a_refused_parameter_is_learned_and_said_once(
    parameter: str, message: str, gone: set[str], come: set[str], caplog: pytest.LogCaptureFixture
) -> None:
    dialect = Dialect()
    before = dialect.body("m", CHAT)
    failure = of_status(400, {}, {"error": {"message": message, "param": parameter}}, None)
    assert dialect.adapt(failure, before, "m")
    assert dialect.adapt(failure, before, "m")  # thirty others in flight meet the same refusal
    after = dialect.body("m", CHAT)
    assert set(before) - set(after) == gone and set(after) - set(before) == come
    assert not dialect.adapt(failure, after, "m")
    assert len(caplog.records) == 1


def test_a_long_prompt_is_no_refused_parameter() -> None:
    message = "maximum context length is 100 tokens, however you requested 116 (100 in the messages, 16 in max_tokens)"
    failure = of_status(400, {}, {"error": {"message": message}}, None)
    assert not Dialect().adapt(failure, Dialect().body("m", CHAT), "m")


def test_room_to_think() -> None:
    dialect = Dialect()
    assert dialect.body("m", CHAT, room=True)["max_tokens"] == THINKING_TOKENS
    assert dialect.body("m", CHAT)["max_tokens"] == 16
    dialect.thinks = True
    assert dialect.body("m", CHAT)["max_tokens"] == THINKING_TOKENS
    assert dialect.body("m", COMPLETION)["max_tokens"] == 1


def test_a_whole_reply() -> None:
    top = [{"token": "Yes", "logprob": -0.1}, {"token": "No", "logprob": -2.5}]
    found = reply(
        message={"content": "Yes"}, logprobs={"content": [{"token": "Yes", "logprob": -0.1, "top_logprobs": top}]}
    )
    assert found == Reply(
        "Yes",
        (Position("Yes", (("Yes", -0.1), ("No", -2.5))),),
        model="m-2026",
        fingerprint="fp",
        finish="stop",
        tokens=(7, 1),
    )
    assert isinstance(found, Reply) and Reply.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_completion_logprobs() -> None:
    logprobs = {"tokens": [" yes"], "token_logprobs": [-0.1], "top_logprobs": [{" yes": -0.1, " no": -2.5}]}
    found = reply(text=" yes", logprobs=logprobs)
    assert isinstance(found, Reply) and found.logprobs == (Position(" yes", ((" yes", -0.1), (" no", -2.5))),)


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {},
        {"content": None},
        {"content": []},
        {"content": [{"token": "Yes"}]},
        {"content": [{"token": "Yes", "top_logprobs": []}]},
        {"content": [{"token": "Yes", "top_logprobs": [{"token": "Yes", "logprob": None}]}]},
        {"content": [{"token": "Yes", "top_logprobs": [{"token": "Yes", "logprob": 3.2}]}]},
        {"content": [{"token": "Yes", "top_logprobs": [{"token": "Yes", "logprob": float("nan")}]}]},
        {"content": [{"token": "Yes", "top_logprobs": [{"token": 5, "logprob": -1}]}]},
        {"content": ["Yes"]},
        {"tokens": ["Yes"], "top_logprobs": [None]},
        "none",
        [1],
    ],
)
def test_logprobs_that_make_no_sense_are_no_logprobs(logprobs: Any) -> None:
    found = reply(message={"content": "Yes"}, logprobs=logprobs)
    assert isinstance(found, Reply) and found.text == "Yes" and found.logprobs is None


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": None}, ""),
        ({}, ""),
        (None, ""),
        ({"content": 5}, ""),
        ({"content": [{"type": "text", "text": "Y"}, {"type": "text", "text": "es"}]}, "Yes"),
        ({"content": "جی ہاں"}, "جی ہاں"),
    ],
)
def test_odd_contents(message: Any, text: str) -> None:
    found = reply(message=message)
    assert isinstance(found, Reply) and found.text == text


@pytest.mark.parametrize(
    "text", ["", "{", "<html>", "[]", "null", "{}", '{"choices": []}', '{"choices": [null]}', '{"choices": {}}']
)
def test_what_is_no_reply_is_asked_for_again(text: str) -> None:
    found = read_reply(text)
    assert isinstance(found, Failure) and found.fate is Fate.RETRY


def test_errors_under_status_200() -> None:
    filtered = reply(message={"content": ""}, finish_reason="content_filter")
    assert isinstance(filtered, Failure) and filtered.fate is Fate.REFUSED
    passed_on = read_reply('{"error": {"code": 429, "message": "upstream rate limit"}}')
    assert isinstance(passed_on, Failure) and passed_on.fate is Fate.RATE_LIMIT
