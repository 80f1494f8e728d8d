"""What is learned from refused requests, and the bodies that are sent then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pak3h_tasks.backends.protocol import Request
from pak3h_tasks.backends.servers.dialect import THINKING_TOKENS, Dialect
from pak3h_tasks.backends.servers.failures import of_status
from pak3h_tasks.backends.servers.wire import path_of

PARAMS = {"temperature": 0, "max_tokens": 16, "logprobs": True, "top_logprobs": 5}
CHAT = Request(messages=(("system", "s"), ("user", "u")), params=PARAMS)
COMPLETION = Request(prompt="p", params={"temperature": 0, "max_tokens": 1, "logprobs": 5})


def after(message: str, status: int = 400, **fields: Any) -> Dialect | None:
    failure = of_status(status, {}, {"error": {"message": message, **fields}}, None)
    then = Dialect().after(failure, Dialect().body("m", CHAT))
    return then and then[0]


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
    ("message", "fields", "gone", "come"),
    [
        ("logprobs not supported", {"param": "logprobs"}, {"logprobs", "top_logprobs"}, set()),
        ("You are not allowed to request logprobs from this model", {}, {"logprobs", "top_logprobs"}, set()),
        ("use 'max_completion_tokens' instead", {"param": "max_tokens"}, {"max_tokens"}, {"max_completion_tokens"}),
        ("does not support 0", {"param": "temperature"}, {"temperature"}, set()),
    ],
)
@pytest.mark.parametrize("status", [400, 403, 422, 501])
def test_a_refused_parameter(status: int, message: str, fields: dict[str, Any], gone: set[str], come: set[str]) -> None:
    dialect = after(message, status, **fields)
    assert dialect is not None
    before, body = Dialect().body("m", CHAT), dialect.body("m", CHAT)
    assert set(before) - set(body) == gone and set(body) - set(before) == come
    again = of_status(status, {}, {"error": {"message": message, **fields}}, None)
    assert dialect.after(again, body) is None  # once is enough


@pytest.mark.parametrize("name", ["logprobs", "temperature"])
def test_where_a_validation_error_stands_names_the_parameter(name: str) -> None:
    # FastAPI's and Mistral's; `input` is the whole request and says nothing
    fault = {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted", "input": PARAMS}
    for body in ({"detail": [fault]}, {"object": "error", "message": {"detail": [fault]}, "type": "invalid_request"}):
        failure = of_status(422, {}, body, None)
        assert failure.parameter == name and name in failure.reason and "top_logprobs" not in failure.reason


@pytest.mark.parametrize(
    "message",
    [
        "maximum context length is 100 tokens, however you requested 116 (100 in the messages, 16 in max_tokens)",
        "'max_tokens' or 'max_completion_tokens' is too large: 16. This model's maximum context length is 4096 tokens.",
    ],
)
def test_a_long_prompt_is_no_refused_parameter(message: str) -> None:
    assert after(message) is None
    assert after(message, param="max_tokens") is None


@pytest.mark.parametrize(
    ("message", "most"),
    [
        ("Requested sample logprobs of 5, which is greater than max allowed: 3", 3),
        ("top_logprobs must be less than or equal to 4", 4),
        ("Invalid value for 'top_logprobs': it must be between 0 and 2", 2),
    ],
)
def test_fewer_logprobs_are_better_than_none(message: str, most: int) -> None:
    dialect = after(message)
    assert dialect is not None and dialect.body("m", CHAT)["top_logprobs"] == most


def test_no_logprobs_allowed_is_none() -> None:
    dialect = after("Requested sample logprobs of 5, which is greater than max allowed: 0")
    assert dialect is not None and not {"logprobs", "top_logprobs"} & set(dialect.body("m", CHAT))


def test_a_minimum_of_tokens() -> None:
    one = replace(CHAT, params={**PARAMS, "max_tokens": 1})
    message = "Invalid 'max_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead."
    failure = of_status(400, {}, {"error": {"message": message, "param": "max_tokens"}}, None)
    then = Dialect().after(failure, Dialect().body("m", one))
    assert then is not None and then[0].body("m", one)["max_tokens"] == 16 and then[0].limit == "max_tokens"


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "System role not supported"),
        (422, "Template error: template not found: System role not supported"),
        (500, "Value is not callable: System role not supported"),
        (400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        (400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
        (400, "This model doesn't support the system role"),
    ],
)
def test_without_a_system_role_its_text_goes_before_the_question(status: int, message: str) -> None:
    dialect = after(message, status)
    assert dialect is not None and dialect.left_out(CHAT) == ("system",)
    assert dialect.body("m", CHAT)["messages"] == [{"role": "user", "content": "s\n\nu"}]


def test_what_is_left_out_is_known() -> None:
    dialect = Dialect(refused=frozenset({"temperature", "logprobs"}))
    assert dialect.left_out(CHAT) == ("temperature",)
    assert dialect.left_out(Request(messages=(("user", "u"),))) == ()


def test_room_to_think() -> None:
    dialect = Dialect()
    assert dialect.body("m", CHAT, room=True)["max_tokens"] == THINKING_TOKENS
    assert dialect.body("m", CHAT)["max_tokens"] == 16
    assert Dialect(thinks=True).body("m", CHAT)["max_tokens"] == THINKING_TOKENS
    assert Dialect(thinks=True, budget=5000).body("m", CHAT)["max_tokens"] == 5000
    assert Dialect(budget=5000, from_the_start=True).body("m", CHAT)["max_tokens"] == 5000
    assert Dialect(thinks=True).body("m", COMPLETION)["max_tokens"] == 1


def test_two_requests_that_learn_at_once_are_joined() -> None:
    start = Dialect(form="json_schema")
    one = replace(start, refused=frozenset({"temperature"}), most_top_logprobs=4)
    two = replace(start, refused=frozenset({"system"}), limit="max_completion_tokens", form=None)
    joined = start.joined(start, one).joined(start, two)
    assert joined == Dialect(frozenset({"temperature", "system"}), "max_completion_tokens", most_top_logprobs=4)
