"""How providers depart from OpenAI's protocol, as modes of `JudgeServer`; after public reports of each."""

from __future__ import annotations

import json
from typing import Any

from support.judge_server import Mode, coin, prompt_of

Said = tuple[int, bytes, dict[str, str]]


def error(status: int, message: str, **fields: Any) -> Said:
    """An error reply in OpenAI's shape."""
    return status, json.dumps({"error": {"message": message, **fields}}).encode(), {}


def openrouter(body: dict[str, Any]) -> Said | None:
    """No provider takes logprobs (404); prompts with "moderated" are flagged (403), "broken off" ends in one."""
    prompt = prompt_of(body)
    if "logprobs" in body:
        return error(404, "No endpoints found that can handle the requested parameters. To learn more about provider "
                     "routing, visit: https://openrouter.ai/docs/provider-routing", code=404)  # fmt: skip
    if "moderated" in prompt:
        flagged = {"reasons": ["violence"], "flagged_input": prompt[:50], "provider_name": "OpenAI"}
        return error(
            403, "Your chosen model requires moderation and your input was flagged", code=403, metadata=flagged
        )
    if "broken off" in prompt:
        choice = {
            "index": 0, "finish_reason": "error", "message": {"role": "assistant", "content": "No"},
            "error": {"code": 502, "message": "Provider returned error", "metadata": {"raw": '{"detail": "upstream"}'}},
        }  # fmt: skip
        return 200, json.dumps({"id": "x", "model": body["model"], "choices": [choice]}).encode(), {}
    return None


def o_series(body: dict[str, Any]) -> Said | None:
    """OpenAI's reasoning models."""
    if "max_tokens" in body:
        return error(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                     "'max_completion_tokens' instead.", type="invalid_request_error", param="max_tokens",
                     code="unsupported_parameter")  # fmt: skip
    if "temperature" in body:
        return error(400, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) "
                     "value is supported.", param="temperature", code="unsupported_value")  # fmt: skip
    if "logprobs" in body:
        return error(403, "You are not allowed to request logprobs from this model", type="invalid_request_error")
    return None


def gpt_5(tokens: int, *, says_so: bool = False) -> Mode:
    """A reasoning model that needs this many tokens before the first visible one.

    With fewer its reply is empty, or, where it `says_so`, an error asks for more.
    """

    def mode(body: dict[str, Any]) -> Said | None:
        if refused := o_series(body):
            return refused
        if says_so and body["max_completion_tokens"] < tokens:
            return error(400, "Could not finish the message because max_tokens or model output limit was reached. "
                         "Please try again with higher max_tokens.", type="invalid_request_error")  # fmt: skip
        return thinks(tokens)(body)

    return mode


def without_logprobs(status: int | None) -> Mode:
    """Refuses them without a name, or (None) leaves them out."""

    def mode(body: dict[str, Any]) -> Said | None:
        if "logprobs" not in body:
            return None
        if status is not None:
            return error(status, "This parameter is not supported", type="invalid_request_error")
        choice = {"index": 0, "finish_reason": "stop", "message": {"content": coin(prompt_of(body))}, "logprobs": None}
        return 200, json.dumps({"model": "m", "choices": [choice]}).encode(), {}

    return mode


TRACES = (
    "<think>...</think>", "<seed:think>...</seed:think>", "[THINK]...[/THINK]", "◁think▷...◁/think▷",
    "<|channel|>analysis<|message|>...<|end|><|start|>assistant<|channel|>final<|message|>",
)  # fmt: skip


def thinks_aloud(opened: str, closed: str | None) -> Mode:
    """A trace in the reply itself, and "yes" after it; None: it never ends."""
    thought = f"{opened}No, not at all: yes"
    finish, text = ("length", thought) if closed is None else ("stop", f"{thought}{closed}Yes")
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
    reply = {"model": "thinker", "choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 16}}
    return lambda body: (200, json.dumps(reply).encode(), {})


def thinks(tokens: int) -> Mode:
    """A model that needs this many tokens before the first one that is seen."""

    def mode(body: dict[str, Any]) -> Said | None:
        limit = body.get("max_tokens", body.get("max_completion_tokens", 0))
        if limit >= tokens:
            return None
        choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": ""}}
        usage = {"prompt_tokens": 10, "completion_tokens": limit}
        return 200, json.dumps({"model": "thinker", "choices": [choice], "usage": usage}).encode(), {}

    return mode


def gemini(wait: str = "0.05s", *, limited: int = 0, key: bool = True) -> Mode:
    """Google's OpenAI endpoint: the first `limited` requests meet the minute's limit; no logprobs."""
    left = [limited]

    def mode(body: dict[str, Any]) -> Said | None:
        if not key:
            status, message, code = 400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"
        elif "logprobs" in body:
            status, message, code = (
                400,
                'Invalid JSON payload received. Unknown name "logprobs": Cannot find field.',
                "",
            )
        elif left[0] > 0:
            left[0] -= 1
            status, code = 429, "RESOURCE_EXHAUSTED"
            message = (
                "You exceeded your current quota, please check your plan and billing details. * Quota exceeded for "
                f"metric: generate_requests_per_model_per_minute, limit: 10\nPlease retry in {wait}."
            )
        else:
            return None
        return status, json.dumps([{"error": {"code": status, "message": message, "status": code}}]).encode(), {}

    return mode


def no_system_role(status: int) -> Mode:
    """Gemma's chat template on vLLM (400), TGI (422), llama.cpp (500)."""
    return lambda body: (
        error(status, "System role not supported", type="BadRequestError")
        if any(message["role"] == "system" for message in body.get("messages", ()))
        else None
    )


def mistral(body: dict[str, Any]) -> Said | None:
    """Strict validation: an empty stop list, or what it does not know."""
    for name in ("logprobs", "top_logprobs", "stop"):
        if name in body:
            detail = [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}]
            answer = {"object": "error", "message": {"detail": detail}, "type": "invalid_request_error", "code": None}
            return 422, json.dumps(answer).encode(), {}
    return None


def azure(body: dict[str, Any]) -> Said | None:
    """Azure's content filter for prompts with "filtered"."""
    if "filtered" not in prompt_of(body):
        return None
    inner = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"hate": {"filtered": True}}}
    return error(400, "The response was filtered due to the prompt triggering Azure OpenAI's content management "
                 "policy.", type=None, param="prompt", code="content_filter", innererror=inner)  # fmt: skip


# A prompt that leaves less than max_tokens of the window, in the words of one vLLM after the other, and OpenAI's.
TOO_LONG = {
    "'max_tokens' or 'max_completion_tokens' is too large: 16. This model's maximum context length is 100 tokens and "
    "your request has 100 input tokens (16 > 100 - 100 = 116).": "max_tokens",
    "This model's maximum context length is 100 tokens. However, you requested 116 tokens (100 in the messages, 16 in "
    "the completion). Please reduce the length of the messages or completion.": None,
    "This model's maximum context length is 100 tokens. However, your request has 116 input tokens. Please reduce the "
    "length of the input messages. (parameter=input_tokens, value=116)": "input_tokens",
    "This model's maximum context length is 100 tokens. However, your request has 100 input tokens plus 16 "
    "'max_tokens' (116). Please reduce one or the other.": "input_tokens, max_tokens",
    "This model's maximum context length is 100 tokens. However, you requested 16 output tokens and your prompt "
    "contains at least 100 input tokens, for a total of at least 116 tokens.": "input_tokens",
    "max_tokens must be at least 1, got -116.": "max_tokens",
}


def vllm(window: int = 200, most_logprobs: int = 20, wording: str = next(iter(TOO_LONG))) -> Mode:
    """A window (in characters, for simplicity) that long prompts fill; a limit of logprobs."""

    def mode(body: dict[str, Any]) -> Said | None:
        if body.get("top_logprobs", 0) > most_logprobs:
            return error(400, f"Requested sample logprobs of {body['top_logprobs']}, greater than max "
                         f"allowed: {most_logprobs}", type="BadRequestError", param=None, code=400)  # fmt: skip
        if len(prompt_of(body)) > window:
            return error(400, wording, type="BadRequestError", param=TOO_LONG[wording], code=400)
        return None

    return mode


def minimum_of_tokens(body: dict[str, Any]) -> Said | None:
    """A gateway in front of OpenAI's responses endpoint."""
    limit = body.get("max_tokens", 16)
    return None if limit >= 16 else error(
        400, f"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got {limit}.",
        param="max_output_tokens", code="integer_below_min_value",
    )  # fmt: skip


def firewall(word: str) -> Mode:
    """A page with status 403 for prompts with a word."""
    page = b"<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title><style>a{}</style></head></html>"
    return lambda body: (403, page, {}) if word in prompt_of(body) else None


def quotes(word: str, template: str, status: int = 400) -> Mode:
    """An error that quotes the prompt, for prompts with a word; ``{}`` in the template is the prompt."""
    return lambda body: error(status, template.format(prompt_of(body))) if word in prompt_of(body) else None


def origin_timeout(first: int) -> Mode:
    """Cloudflare's 524 with a page, for the first requests."""
    left = [first]

    def mode(body: dict[str, Any]) -> Said | None:
        left[0] -= 1
        page = b"<html><head><title>524: A timeout occurred</title></head><body><h1>Error</h1></body></html>"
        return (524, page, {}) if left[0] >= 0 else None

    return mode
