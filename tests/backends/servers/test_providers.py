"""Every provider's peculiarity: nothing lost, nothing wrong, one clear line, and the run goes on."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from pak3h_tasks.backends.cache import AnswerCache
from pak3h_tasks.backends.protocol import Request
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.errors import BackendError
from pak3h_tasks.judges.verdict import parse_yes_no
from support import providers
from support.judge_server import JudgeServer, Mode, coin
from support.questions import PARAMS, judge, question, quick, yes_or_no

SENTENCES = {
    "model": "The model GPT-9 does not exist",
    "temperature": "temperature is not supported",
    "quota": "you exceeded your current quota, insufficient_quota",
    "system": "system role not supported",
    "logprobs": "logprobs are not supported",
    "key": "API key not valid",
    "filter": "flagged by moderation, content_filter",
}


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer(record=True) as running:
        yield running


def says(text: str) -> Request:
    return Request(messages=(("system", "Yes or no?"), ("user", text)), params=PARAMS, version="v1")


ITEMS = [question(number) for number in range(30)]
VERDICTS = [coin(f"question {number}") == "Yes" for number in range(30)]


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize(
    ("mode", "lines"),
    [
        (providers.openrouter, ["takes no logprobs"]),
        (providers.o_series, ["wants max_completion_tokens", "takes no temperature", "takes no logprobs"]),
        (providers.thinks(1000), ["thinks before it answers"]),
        (providers.gpt_5(1000), ["wants max_completion_tokens", "takes no temperature", "takes no logprobs"]),
        (providers.gpt_5(10, says_so=True), ["wants max_compl", "takes no temperature", "takes no logprobs"]),
        (providers.without_logprobs(400), ["takes no logprobs"]),
        (providers.without_logprobs(None), ["gives no logprobs"]),
        (providers.gemini(limited=40), ["takes no logprobs"]),
        (providers.no_system_role(400), ["takes no system role"]),
        (providers.no_system_role(422), ["takes no system role"]),
        (providers.no_system_role(500), ["takes no system role"]),
        (providers.mistral, ["takes no logprobs"]),
        (providers.azure, []),
        (providers.vllm(), []),
        (providers.vllm(most_logprobs=3), ["gives at most 3 logprobs"]),
        (providers.vllm(most_logprobs=0), ["takes no logprobs"]),
        (providers.minimum_of_tokens, None),
        (providers.firewall("secret"), []),
        (providers.origin_timeout(2), []),
    ],
)
def test_every_item_gets_its_verdict_and_each_thing_is_said_once(
    server: JudgeServer, mode: Mode, lines: list[str] | None, checked: bool, caplog: pytest.LogCaptureFixture
) -> None:
    server.mode = mode
    server.answer = lambda prompt: coin(prompt.rpartition("\n\n")[2])  # also where the system text is in front
    one = judge(server)
    if checked:
        one.preflight(ITEMS[0])
    answers = one.ask(ITEMS, yes_or_no)
    assert [answer.parsed for answer in answers] == VERDICTS
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    if lines is not None:
        assert len(said) == len(lines) and all(any(line in text for text in said) for line in lines), said
    assert not any("stop" in body for body in server.bodies)
    before = len(server.bodies)
    one.ask([question(99)], yes_or_no)
    assert len(server.bodies) == before + 1  # what was learned is remembered


def test_openrouter_moderates_and_breaks_off(server: JudgeServer, cache: AnswerCache) -> None:
    server.mode = providers.openrouter
    items = [says("moderated"), says("broken off"), *ITEMS]
    answers = judge(server, cache=cache).ask(items, yes_or_no)
    assert [answer.parsed for answer in answers] == [None, None, *VERDICTS]
    assert str(answers[0].reason).startswith("content filter (HTTP 403")
    assert "HTTP 502: Provider returned error" in str(answers[1].reason) and "upstream" in str(answers[1].reason)
    assert server.asked["moderated"] <= 2 and server.asked["broken off"] - quick().attempts in (1, 2)  # with logprobs
    server.mode = None
    again = judge(server, cache=cache).ask(items, yes_or_no)
    assert [answer.cached for answer in again[:2]] == [True, False]  # refused for good; broken off is asked again


def test_azure_filters_one_prompt(server: JudgeServer) -> None:
    server.mode = providers.azure
    answers = judge(server).ask([says("filtered"), *ITEMS], yes_or_no)
    assert [answer.parsed for answer in answers] == [None, *VERDICTS]
    assert str(answers[0].reason).startswith("content filter (HTTP 400")


@pytest.mark.parametrize("wording", providers.TOO_LONG)
def test_one_prompt_that_fills_the_window_is_lost_alone(server: JudgeServer, cache: AnswerCache, wording: str) -> None:
    server.mode = providers.vllm(window=100, wording=wording)
    items = [says("long " * 50), *ITEMS]
    one = judge(server, cache=cache)
    for _ in range(2):
        answers = one.ask(items, yes_or_no)
        assert [answer.parsed for answer in answers] == [None, *VERDICTS]
        assert "HTTP 400" in str(answers[0].reason) and "116" in str(answers[0].reason)
    assert {body["max_tokens"] for body in server.bodies} == {16}
    assert all(server.asked[f"question {n}"] == 1 for n in range(30))


@pytest.mark.parametrize("place", [0, 15])
def test_a_firewall_blocks_one_prompt(server: JudgeServer, place: int, caplog: pytest.LogCaptureFixture) -> None:
    server.mode = providers.firewall("<script>")
    items = [*ITEMS[:place], says("<script>"), *ITEMS[place:]]
    answers = judge(server).ask(items, yes_or_no)
    assert [answer.parsed for answer in answers] == [*VERDICTS[:place], None, *VERDICTS[place:]]
    reason = str(answers[place].reason)
    assert "this item alone" in reason and "Attention Required! | Cloudflare" in reason and "<" not in reason
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("status", [400, 403, 404, 422])
@pytest.mark.parametrize("name", SENTENCES)
def test_an_error_that_quotes_the_prompt_says_nothing_of_the_judge(
    server: JudgeServer, cache: AnswerCache, name: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    text = f"Is it true that {SENTENCES[name]}?"
    server.mode = providers.quotes(SENTENCES[name], "Invalid request: {}", status)
    one = judge(server, cache=cache)
    one.preflight(question(0))
    before = one.dialect
    answers = one.ask([*ITEMS[:10], says(text), *ITEMS[10:]], yes_or_no)
    assert [answer.parsed for answer in answers] == [*VERDICTS[:10], None, *VERDICTS[10:]]
    assert one.dialect == before
    assert not [record for record in caplog.records if "unscored" not in record.getMessage()]
    server.mode = None
    (again,) = judge(server, cache=cache).ask([says(text)], yes_or_no)
    assert again.parsed is not None and not again.cached  # nothing was settled by a misunderstanding
    assert server.bodies[-1]["temperature"] == 0


def test_one_item_that_names_a_parameter_does_not_decide_for_all(server: JudgeServer, cache: AnswerCache) -> None:
    # structured, so it is believed for this item; a harmless question is answered with the parameter
    server.mode = lambda body: (
        providers.error(400, "no", param="temperature", code="unsupported_value")
        if "temperature" in body and "odd" in providers.prompt_of(body)
        else None
    )
    one = judge(server, cache=cache)
    answers = one.ask([says("odd"), *ITEMS], yes_or_no)
    assert answers[0].parsed is not None and answers[0].reply is not None
    assert answers[0].reply.left_out == ("temperature",)
    assert one.dialect.refused == frozenset()
    # kept, but not as an answer at temperature 0
    server.mode = None
    assert not judge(server, cache=cache).ask([says("odd")], yes_or_no)[0].cached


def test_what_three_items_agree_on_is_believed(server: JudgeServer) -> None:
    server.mode = lambda body: (
        providers.error(400, "no", param="temperature")
        if "temperature" in body and "Hello!" not in providers.prompt_of(body)
        else None
    )
    one = judge(server, concurrency=1)
    one.ask(ITEMS, yes_or_no)
    assert one.dialect.refused == {"temperature"}
    assert sum("temperature" in body for body in server.bodies if providers.prompt_of(body) != "Hello!") == 3


@pytest.mark.parametrize(
    ("mode", "name"), [(providers.o_series, "temperature"), (providers.no_system_role(400), "system")]
)
def test_a_parameter_that_is_left_out_makes_another_question(
    server: JudgeServer, cache: AnswerCache, mode: Mode, name: str
) -> None:
    server.mode = mode
    first = judge(server, cache=cache)
    first.preflight(ITEMS[0])
    answers = first.ask(ITEMS, yes_or_no)
    assert all(answer.reply and name in answer.reply.left_out for answer in answers)
    asked = server.asked.copy()
    second = judge(server, cache=cache)
    assert second.missing(ITEMS, yes_or_no).calls == 0  # nobody has asked the server yet
    second.preflight(ITEMS[0])
    assert all(answer.cached for answer in second.ask(ITEMS, yes_or_no))
    assert second.missing(ITEMS, yes_or_no).calls == 0
    server.mode = None  # now it takes everything
    third = judge(server, cache=cache)
    third.preflight(ITEMS[0])
    assert not any(answer.cached for answer in third.ask(ITEMS, yes_or_no))
    assert (server.asked - asked).total() >= 30


def test_a_judge_that_thinks_longer_says_so_and_gets_more(server: JudgeServer, cache: AnswerCache) -> None:
    server.mode = providers.thinks(5000)
    answers = judge(server, cache=cache).ask(ITEMS[:3], yes_or_no)
    assert all(answer.parsed is None for answer in answers)
    assert "2,048 tokens were used up" in str(answers[0].reason) and "PAK3H_JUDGE_MAX_TOKENS" in str(answers[0].reason)
    asked = server.asked.total()
    assert judge(server, cache=cache).ask(ITEMS[:3], yes_or_no)[0].cached and server.asked.total() == asked
    more = judge(server, cache=cache, max_tokens=8000)
    assert more.missing(ITEMS[:3], yes_or_no).calls == 3
    assert [answer.parsed for answer in more.ask(ITEMS[:3], yes_or_no)] == VERDICTS[:3]
    assert server.asked.total() == asked + 3  # with room from the start


def test_gemini_is_waited_for(server: JudgeServer) -> None:
    server.mode = providers.gemini("11h30m", limited=10**6)
    answers = judge(server, concurrency=2).ask(ITEMS, yes_or_no)
    assert "the server asks to wait 41400 s" in str(answers[0].reason)  # 11.5 hours by hand


def neither_limit(body: dict[str, Any]) -> providers.Said:
    name, other = sorted(("max_tokens", "max_completion_tokens"), key=lambda limit: limit not in body)
    return providers.error(400, f"Unsupported parameter: {name!r}; use {other!r} instead", param=name)


def test_a_server_that_wants_neither_limit_is_not_asked_for_ever(server: JudgeServer) -> None:
    server.mode = neither_limit
    with pytest.raises(BackendError, match="Unsupported parameter"):
        judge(server).preflight(question(0))
    assert server.asked.total() == 1 + 6 + 1  # each name again and again, and once without logprobs


def test_a_refusal_that_a_harmless_question_meets_too_is_the_judges(server: JudgeServer) -> None:
    """Gemini's words for a key that ran out are those of any bad request: the item's own refusal names the key."""
    (one := judge(server, concurrency=1)).preflight(question(0))
    server.mode = lambda body: (
        providers.error(403, "Forbidden") if "question" in str(body) else providers.error(400, "API key expired")
    )
    assert one.ask(ITEMS[:1], yes_or_no)[0].reason == "stopped: the server refuses the key (HTTP 403: Forbidden)"


def test_a_harmless_question_that_no_dialect_suits_is_not_asked_for_ever(server: JudgeServer) -> None:
    (one := judge(server, concurrency=1)).preflight(question(0))
    before = server.asked["Hello!"]
    server.mode = lambda body: neither_limit(body) if "Hello!" in str(body) else providers.error(403, "Forbidden")
    assert one.ask(ITEMS[:1], yes_or_no)[0].reason == "stopped: the server refuses the key (HTTP 403: Forbidden)"
    assert server.asked["Hello!"] == before + 1 + 6  # each name again and again


def test_402_stops_the_batch(server: JudgeServer, cache: AnswerCache) -> None:
    left = [10]

    def mode(body: dict[str, Any]) -> providers.Said | None:
        left[0] -= 1
        return providers.error(402, "This request requires more credits") if left[0] < 0 else None

    server.mode = mode
    answers = judge(server, cache=cache, concurrency=2).ask([question(n) for n in range(500)], yes_or_no)
    assert sum(answer.parsed is not None for answer in answers) == 10
    assert "no quota left (HTTP 402" in str(answers[-1].reason) and server.asked.total() <= 20


class TestPreflight:
    @pytest.mark.parametrize(
        ("status", "message", "line"),
        [
            (400, "API key not valid. Please pass a valid API key.", "refuses the key"),
            (400, "something else", "HTTP 400: something else"),
            (403, "Forbidden", "refuses the key"),
            (404, "nothing here", "no such address"),
            (418, "I'm a teapot", "HTTP 418"),
            (422, "cannot", "HTTP 422: cannot"),
            (500, "broken", "HTTP 500: broken"),
            (501, "not implemented", "HTTP 501"),
            (402, "Insufficient Balance", "no quota left"),
            # with words of the judge's own prompt, which is nobody else's text here
            (429, "You exceeded your current quota, please check your plan and billing details.", "no quota left"),
            (400, "question: unknown model whether", "does not know the model"),
        ],
    )
    def test_whatever_keeps_the_judge_from_answering_stops_the_run(
        self, server: JudgeServer, status: int, message: str, line: str
    ) -> None:
        server.mode = lambda body: providers.error(status, message)
        with pytest.raises(BackendError, match=line) as caught:
            judge(server).preflight(says("question whether you check your plan, model or quota"))
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("status", [200, 400, 403, 502])
    def test_a_web_page(self, server: JudgeServer, status: int) -> None:
        server.mode = lambda body: (status, b"<html><head><title>Sign in</title></head><body></body></html>", {})
        with pytest.raises(BackendError, match="a web page: Sign in") as caught:
            judge(server).preflight(says("question whether you check your plan, model or quota"))
        assert "<" not in str(caught.value) and "\n" not in str(caught.value)

    def test_a_day_of_waiting(self, server: JudgeServer) -> None:
        server.mode = providers.gemini("23h", limited=10**6)
        with pytest.raises(BackendError, match="asks to wait 82800 s"):
            judge(server).preflight(question(0))

    def test_gemini_with_a_bad_key(self, server: JudgeServer) -> None:
        server.mode = providers.gemini(key=False)
        with pytest.raises(BackendError, match=r"refuses the key \(HTTP 400: API key not valid"):
            judge(server).preflight(question(0))


class TestAzure:
    @pytest.mark.parametrize(
        ("model", "path", "version"),
        [
            ("azure:deep", "", "2024-10-21"),
            ("azure:deep", "/openai", "2024-10-21"),
            ("azure:deep", "/openai/v1/", "2024-10-21"),
            ("gpt-4o", "/openai/deployments/deep", "2024-10-21"),
            (
                "gpt-4o",
                "/openai/deployments/deep/chat/completions?api-version=2025-01-01-preview",
                "2025-01-01-preview",
            ),
        ],
    )
    def test_a_deployment(self, server: JudgeServer, model: str, path: str, version: str) -> None:
        server.root, server.models = "/openai/deployments/deep", None
        one = OpenAIChat(
            model, base_url=f"http://127.0.0.1:{server.port}{path}", api_key="azure-key-123", retry=quick()
        )
        one.preflight(question(0))
        assert [answer.parsed for answer in one.ask(ITEMS, yes_or_no)] == VERDICTS
        assert all(
            head["api-key"] == "azure-key-123" and head["?"] == f"api-version={version}" for head in server.heads
        )
        assert one.url == f"http://127.0.0.1:{server.port}/openai/deployments/deep"

    def test_the_version_is_a_setting(self, server: JudgeServer) -> None:
        server.root, server.models = "/openai/deployments/deep", None
        url = f"http://127.0.0.1:{server.port}/"
        one = OpenAIChat("azure:deep", base_url=url, api_key="azure-key-123", api_version="2030-01-01")
        one.ask(ITEMS[:1], yes_or_no)
        assert server.heads[0]["?"] == "api-version=2030-01-01"

    def test_its_resource_must_be_named(self) -> None:
        with pytest.raises(BackendError, match="PAK3H_JUDGE_BASE_URL"):
            OpenAIChat("azure:deep", api_key="x")


@pytest.mark.parametrize("trace", providers.TRACES)
@pytest.mark.parametrize("whole", [True, False])
def test_thinking_aloud(server: JudgeServer, cache: AnswerCache, trace: str, whole: bool) -> None:
    opened, closed = trace.split("...")
    server.mode = providers.thinks_aloud(opened, closed if whole else None)
    answers = judge(server, cache=cache).ask([says("odd") for _ in range(2)], lambda reply: parse_yes_no(reply.text))
    if whole:
        assert [answer.parsed for answer in answers] == [True, True]
    else:  # "yes" in a thought that never ends is no verdict
        assert [answer.parsed for answer in answers] == [None, None]
        assert "were used up before it said anything" in str(answers[0].reason)


def test_an_empty_content_is_no_answer_and_not_kept_as_one(server: JudgeServer, cache: AnswerCache) -> None:
    message = {"role": "assistant", "content": None}
    server.mode = lambda body: (
        200,
        json.dumps({"choices": [{"finish_reason": "stop", "message": message}]}).encode(),
        {},
    )
    (answer,) = judge(server, cache=cache).ask(ITEMS[:1], yes_or_no)
    assert answer.parsed is None and "unparseable reply: ''" in str(answer.reason)
    server.mode = None
    assert judge(server, cache=cache, ask_again=True).ask(ITEMS[:1], yes_or_no)[0].parsed == VERDICTS[0]


def test_a_provider_behind_a_gateway_that_is_busy_without_logprobs(server: JudgeServer) -> None:
    """The 400 about logprobs has lost its message on the way; then the minute's limit is met."""
    left = [3]

    def mode(body: dict[str, Any]) -> providers.Said | None:
        if "logprobs" in body:
            return providers.error(400, "OpenAIException - Error code: 400")
        left[0] -= 1
        return providers.error(429, "Rate limit", code="429") if left[0] >= 0 else None

    server.mode = mode
    one = judge(server, concurrency=1)
    one.preflight(ITEMS[0])
    assert [answer.parsed for answer in one.ask(ITEMS, yes_or_no)] == VERDICTS
    assert one.dialect.refused == {"logprobs"}


def test_blank_lines_to_keep_a_connection_alive(server: JudgeServer) -> None:
    reply = {"choices": [{"finish_reason": "stop", "message": {"content": "Yes"}}]}
    server.mode = lambda body: (200, b"\n \n\n" + json.dumps(reply).encode(), {})
    assert judge(server).ask(ITEMS[:1], yes_or_no)[0].parsed is True
