"""Replies that are read."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from pak3h_tasks.backends.protocol import Position, Reply
from pak3h_tasks.backends.servers.failures import Failure, Fate
from pak3h_tasks.backends.servers.wire import read_reply


def reply(**choice: Any) -> Reply | Failure:
    body = {"model": "m-2026", "system_fingerprint": "fp", "choices": [{"finish_reason": "stop", **choice}]}
    return read_reply(json.dumps({**body, "usage": {"prompt_tokens": 7, "completion_tokens": 1}}))


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
        {"content": [{"token": "Yes", "top_logprobs": [{"token": "Yes", "logprob": -(10**400)}]}]},
        {"content": [{"token": "Yes", "top_logprobs": [{"token": "Yes", "logprob": False}]}]},
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


def test_a_number_of_five_thousand_digits_is_no_logprob() -> None:
    top = [{"token": "Yes", "top_logprobs": [{"token": "Yes", "logprob": "DIGITS"}]}]
    body = json.dumps({"choices": [{"message": {"content": "Yes"}, "logprobs": {"content": top}}]})
    found = read_reply(body.replace('"DIGITS"', "-" + "9" * 5000))
    assert isinstance(found, Reply) and found.text == "Yes"
    assert found.logprobs is None or found.logprobs[0].top == (("Yes", -math.inf),)


@pytest.mark.parametrize(
    ("choice", "fate"),
    [
        # OpenRouter: the provider broke off, the text is what there was until then
        ({"finish_reason": "error", "message": {"content": "No"}, "error": {"code": 502, "message": "x"}}, Fate.RETRY),
        ({"finish_reason": "error", "message": {"content": "No"}}, Fate.RETRY),
        ({"message": {"content": "No"}, "error": {"code": 401, "message": "provider key"}}, Fate.RETRY),
        ({"message": {"content": "No"}, "error": {"code": 429, "message": "busy"}}, Fate.RATE_LIMIT),
        ({"message": {"content": "No"}, "error": {"code": 403, "metadata": {"reasons": ["hate"]}}}, Fate.REFUSED),
        ({"message": {"content": "No"}, "error": {"code": "502", "message": "x"}, "finish_reason": None}, Fate.RETRY),
        ({"finish_reason": "content_filter: SAFETY", "message": {"content": "N"}}, Fate.REFUSED),
        # vLLM, DeepSeek, GLM; Gemini, GLM, Anthropic behind a gateway
        *[
            ({"finish_reason": finish, "message": {"content": "No"}}, Fate.RETRY)
            for finish in ("abort", "insufficient_system_resource", "network_error")
        ],
        *[
            ({"finish_reason": finish, "message": {"content": "No"}}, Fate.REFUSED)
            for finish in ("SAFETY", "RECITATION", "PROHIBITED_CONTENT", "sensitive", "refusal")
        ],
        ({"message": {"content": None, "refusal": "I can't help with that."}}, Fate.REFUSED),
    ],
)
def test_a_reply_with_an_error_is_no_verdict(choice: dict[str, Any], fate: Fate) -> None:
    found = reply(**choice)
    assert isinstance(found, Failure) and found.fate is fate


@pytest.mark.parametrize(
    ("finish", "known_as"),
    [("MAX_TOKENS", "length"), ("model_length", "length"), ("length", "length"), ("STOP", "STOP"), (None, None)],
)
def test_out_of_tokens_has_one_name(finish: str | None, known_as: str | None) -> None:
    found = reply(message={"content": "Yes"}, finish_reason=finish)
    assert isinstance(found, Reply) and found.finish == known_as


def test_blank_lines_before_the_reply() -> None:
    found = read_reply('\n\n   \r\n{"choices": [{"message": {"content": "Yes"}}]}')
    assert isinstance(found, Reply) and found.text == "Yes"


@pytest.mark.parametrize("path", ["/home/me/models/judge.gguf", "models/judge.gguf", r"C:\\models\\judge.gguf"])
def test_a_model_that_is_called_by_its_path_is_called_by_its_file(path: str) -> None:
    found = read_reply(json.dumps({"model": path, "choices": [{"message": {"content": "Yes"}}]}))
    assert isinstance(found, Reply) and found.model == "judge.gguf"
    assert Reply.from_json({"text": "Yes", "model": path}).model == "judge.gguf"  # an old cache's
