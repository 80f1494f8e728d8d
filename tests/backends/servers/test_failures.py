"""What error replies mean; the bodies are those of OpenAI, vLLM, llama.cpp, Ollama, OpenRouter, Azure and FastAPI."""

from __future__ import annotations

from typing import Any

import pytest

from pak3h_tasks.backends.servers.failures import Fate, as_reason, of_status, retry_after_s, without_key

OPENAI_QUOTA = {
    "message": "You exceeded your current quota",
    "type": "insufficient_quota",
    "code": "insufficient_quota",
}
OPENAI_MODEL = {
    "message": "The model `gpt-9` does not exist or you do not have access to it.",
    "code": "model_not_found",
}
AZURE_FILTER = {
    "message": "The response was filtered due to Azure's content management policy",
    "code": "content_filter",
}


@pytest.mark.parametrize(
    ("status", "body", "fate"),
    [
        (401, {"error": {"message": "Incorrect API key provided: sk-***"}}, Fate.STOP),
        (403, {"error": {"message": "Country not supported"}}, Fate.STOP),
        (403, {"error": {"message": "Your chosen model requires moderation and your input was flagged"}}, Fate.REFUSED),
        (400, {"error": {"message": "Content Exists Risk", "code": "invalid_request_error"}}, Fate.REFUSED),  # DeepSeek
        (400, {"error": {"code": "data_inspection_failed", "message": "Input data is inadmissible."}}, Fate.REFUSED),
        (400, {"error": {"message": "Output data may contain inappropriate content."}}, Fate.REFUSED),  # Qwen
        (
            400,
            {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}},
            Fate.REFUSED,
        ),  # GLM
        (402, {"error": {"message": "Insufficient Balance"}}, Fate.STOP),
        (429, {"error": OPENAI_QUOTA}, Fate.STOP),
        (429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, Fate.RATE_LIMIT),
        (429, "Too Many Requests", Fate.RATE_LIMIT),
        # through a gateway that drops the code
        (
            429,
            {"error": {"message": "You exceeded your current quota, please check your plan and billing details"}},
            Fate.STOP,
        ),
        (429, {"error": {"message": "Insufficient credits"}}, Fate.STOP),
        # limits of a minute or a day say so, or how long to wait
        (
            429,
            {"error": {**OPENAI_QUOTA, "message": "You exceeded your current quota, retry in 11.6s"}},
            Fate.RATE_LIMIT,
        ),
        (
            429,
            {"error": {"message": "exceeded your current quota, check your plan and billing; wait 2 minutes"}},
            Fate.RATE_LIMIT,
        ),
        (
            429,
            {"error": {"message": "Quota exceeded for generate_requests_per_minute, check your plan and billing"}},
            Fate.RATE_LIMIT,
        ),
        (
            429,
            {"error": {"message": "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'"}},
            Fate.RATE_LIMIT,
        ),
        (404, {"error": OPENAI_MODEL}, Fate.STOP),
        (404, {"object": "error", "message": "The model `x` does not exist.", "type": "NotFoundError"}, Fate.STOP),
        (404, {"error": {"message": "model 'x' not found", "type": "api_error"}}, Fate.STOP),
        (400, {"error": {"message": "foo/bar is not a valid model ID", "code": 400}}, Fate.STOP),
        (400, {"error": {"message": "model x: unknown field top_logprobs"}}, Fate.GIVE_UP),
        (404, {"detail": "Not Found"}, Fate.STOP),
        (400, {"error": AZURE_FILTER}, Fate.REFUSED),
        (400, {"error": {"message": "This model's maximum context length is 8192 tokens"}}, Fate.GIVE_UP),
        (422, {"detail": [{"msg": "Field required", "loc": ["body"]}]}, Fate.GIVE_UP),
        (413, "<html>Request Entity Too Large</html>", Fate.GIVE_UP),
        (408, None, Fate.RETRY),
        (409, {}, Fate.RETRY),
        (500, {"error": {"message": "The server had an error"}}, Fate.RETRY),
        (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, Fate.RETRY),
        (529, {"error": {"type": "overloaded_error"}}, Fate.RETRY),
    ],
)
def test_fates(status: int, body: Any, fate: Fate) -> None:
    failure = of_status(status, {}, body, None)
    assert failure.fate is fate and failure.status == status
    assert f"HTTP {status}" in failure.reason and "\n" not in failure.reason


@pytest.mark.parametrize(
    ("message", "param", "parameter"),
    [
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens", "max_tokens"),
        ("Unsupported value: 'temperature' does not support 0", "temperature", "temperature"),
        ("logprobs are not supported", None, "logprobs"),
        ("Requested sample logprobs of 5, which is greater than max allowed: 0", None, "logprobs"),
        ("'top_logprobs' is not supported", None, "top_logprobs"),
        ("This model's maximum context length is 8192 tokens", "messages", None),
    ],
)
def test_the_refused_parameter(message: str, param: str | None, parameter: str | None) -> None:
    assert of_status(400, {}, {"error": {"message": message, "param": param}}, None).parameter == parameter


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0),  # 100 s after the epoch, now is 60 s after it
        ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, None),  # in the past
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, now=60.0) == seconds


def test_a_key_never_stays_in_a_text() -> None:
    key = "sk-abcdefgh"
    assert key not in of_status(500, {}, {"error": {"message": f"bad {key}", "code": key}}, key).reason
    assert key not in as_reason(f"{key} " * 100, key)
    assert without_key("EMPTY reply", "EMPTY") == "EMPTY reply"  # a placeholder, not a secret
    assert without_key("text", None) == "text"


def test_reasons_cannot_steer_a_terminal() -> None:
    assert as_reason("a\x1b[31m\u202eb\r\nc") == r"a\x1b[31m\u202eb c"


def test_reasons_are_short() -> None:
    assert len(of_status(500, {}, "x" * 10**6, None).reason) < 400
