"""The judge engine against a server that answers well: order, cache, concurrency, dialects, event loops."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks.backends.cache import AnswerCache
from pak3h_tasks.backends.protocol import Answer, Missing, Reply, Request
from pak3h_tasks.backends.servers.chat import OpenAIChat
from support.judge_server import MODEL, Fault, JudgeServer, coin
from support.questions import PARAMS, judge, question, quick, yes_or_no


def expected(*numbers: int) -> list[bool]:
    return [coin(f"question {number}") == "Yes" for number in numbers]


def test_answers_come_in_order_and_repeats_are_asked_once(server: JudgeServer) -> None:
    numbers = [*range(40), *range(20), 7, 7]
    answers = judge(server).ask([question(number) for number in numbers], yes_or_no)
    assert [answer.parsed for answer in answers] == expected(*numbers)
    assert set(server.asked.values()) == {1} and len(server.asked) == 40
    reply = answers[0].reply
    assert reply is not None and reply.model == f"{MODEL}-2026" and reply.fingerprint == "fp_stub"
    assert reply.tokens == (100, 1) and reply.logprobs is not None and reply.logprobs[0].token == reply.text


def test_nothing_to_ask(server: JudgeServer) -> None:
    assert judge(server).ask([], yes_or_no) == []
    assert server.connections == 0


def test_a_second_run_asks_nothing_and_opens_no_connection(server: JudgeServer, cache: AnswerCache) -> None:
    first = judge(server, cache=cache).ask([question(n) for n in range(30)], yes_or_no)
    connections = server.connections
    second = judge(server, cache=cache).ask([question(n) for n in range(30)], yes_or_no)
    assert [answer.parsed for answer in second] == [answer.parsed for answer in first]
    assert [answer.reply for answer in second] == [answer.reply for answer in first]
    assert all(answer.cached for answer in second) and server.connections == connections
    assert cache.info().entries == (("openai", MODEL, 30),)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "other"},
        {"url": True},
        {"params": {**PARAMS, "temperature": 1}},
        {"messages": (("system", "Yes or no"), ("user", "question 0"))},
        {"messages": (("user", "Yes or no?"), ("user", "question 0"))},
        {"version": "v2"},
    ],
)
def test_whatever_changes_an_answer_changes_its_key(
    server: JudgeServer, cache: AnswerCache, change: dict[str, Any]
) -> None:
    server.models = None
    judge(server, cache=cache).ask([question(0)], yes_or_no)
    url = server.base_url.replace("127.0.0.1", "localhost") if change.pop("url", False) else server.base_url
    model = change.pop("model", MODEL)
    parts = {"messages": question(0).messages, "params": PARAMS, "version": "v1", **change}
    (answer,) = OpenAIChat(model, base_url=url, cache=cache, retry=quick()).ask([Request(**parts)], yes_or_no)
    assert answer.parsed is not None and not answer.cached


def test_a_trailing_slash_is_the_same_server(server: JudgeServer, cache: AnswerCache) -> None:
    judge(server, cache=cache).ask([question(0)], yes_or_no)
    (answer,) = OpenAIChat(MODEL, base_url=server.base_url + "/", cache=cache).ask([question(0)], yes_or_no)
    assert answer.cached


def test_a_cached_reply_that_no_longer_parses_is_asked_again(server: JudgeServer, cache: AnswerCache) -> None:
    judge(server, cache=cache).ask([question(0)], lambda reply: "old rules")
    (answer,) = judge(server, cache=cache).ask([question(0)], lambda reply: None if server.replies < 2 else "new")
    assert answer == Answer("new", answer.reply) and server.asked["question 0"] == 2


def test_concurrency_is_bounded_and_used(server: JudgeServer) -> None:
    server.latency_s = 0.05
    judge(server, concurrency=8).ask([question(n) for n in range(64)], yes_or_no)
    assert server.most_in_flight == 8
    assert server.connections <= 8


def test_requests_are_pulled_as_they_are_needed(server: JudgeServer) -> None:
    pulled = done = widest = 0

    def requests() -> Iterator[Request]:
        nonlocal pulled, widest
        for number in range(1500):
            pulled += 1
            widest = max(widest, pulled - done)
            yield question(number)

    def parse(reply: Reply) -> bool | None:
        nonlocal done
        done += 1
        return yes_or_no(reply)

    answers = judge(server, concurrency=16).ask(requests(), parse)
    assert [answer.parsed for answer in answers] == expected(*range(1500))
    assert widest <= 16 + 16 + 64  # in flight, in the queue, in the chunk that is looked up


def test_a_generator_that_fails_fails_the_call_but_keeps_the_answers(server: JudgeServer, cache: AnswerCache) -> None:
    def requests() -> Iterator[Request]:
        yield from (question(n) for n in range(200))
        raise RuntimeError("broken rows")

    with pytest.raises(RuntimeError, match="broken rows"):
        judge(server, cache=cache, concurrency=4).ask(requests(), yes_or_no)
    assert sum(count for _, _, count in cache.info().entries) >= 100


def test_works_in_a_running_event_loop(server: JudgeServer) -> None:
    async def notebook() -> list[Answer[bool]]:
        return judge(server).ask([question(n) for n in range(10)], yes_or_no)

    assert [answer.parsed for answer in asyncio.run(notebook())] == expected(*range(10))


def test_missing_counts_what_is_not_cached(server: JudgeServer, cache: AnswerCache) -> None:
    one = judge(server, cache=cache)
    one.ask([question(n) for n in range(3)], yes_or_no)
    asked = server.replies
    # By hand: 2 new questions of 10 + 10 characters and one repeat; 20 ASCII characters are 5 tokens.
    assert one.missing([question(n) for n in (0, 1, 2, 3, 4, 4)], yes_or_no) == Missing(2, 4, 40, 10, 32)
    urdu = Request(messages=(("user", "سوال" * 3),), params=PARAMS)
    assert one.missing([urdu], yes_or_no) == Missing(1, 0, 12, 8, 16)  # 12 letters at 1.5 a token
    assert server.replies == asked


def test_completions_endpoint(server: JudgeServer) -> None:
    server.answer, server.record = lambda prompt: " yes", True
    request = Request(prompt="Q: q\nA: a\nTrue:", params={"temperature": 0, "max_tokens": 1, "logprobs": 5})
    (answer,) = judge(server).ask([request], yes_or_no)
    assert answer.parsed is True and answer.reply is not None and answer.reply.logprobs is not None
    assert dict(answer.reply.logprobs[0].top)[" yes"] == pytest.approx(-0.105360516)  # ln 0.9
    assert server.bodies[0]["path"] == "/v1/completions" and server.bodies[0]["prompt"] == request.prompt


@pytest.mark.parametrize("reject", [False, True])
def test_a_server_without_logprobs_gives_text_and_one_line(
    server: JudgeServer, reject: bool, caplog: pytest.LogCaptureFixture
) -> None:
    server.logprobs, server.reject = False, reject
    answers = judge(server).ask([question(n) for n in range(50)], yes_or_no)
    assert [answer.parsed for answer in answers] == expected(*range(50))
    assert all(answer.reply is not None and answer.reply.logprobs is None for answer in answers)
    assert [record.getMessage() for record in caplog.records if "no logprobs" in record.getMessage()].__len__() == 1


def test_a_server_that_refuses_logprobs_without_saying_so(
    server: JudgeServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.refuse = lambda body: {"message": "unexpected field"} if "logprobs" in body else None
    answers = judge(server).ask([question(n) for n in range(50)], yes_or_no)
    assert [answer.parsed for answer in answers] == expected(*range(50))
    assert len([record for record in caplog.records if "no logprobs" in record.getMessage()]) == 1


def test_a_model_that_thinks_first_gets_room(server: JudgeServer, caplog: pytest.LogCaptureFixture) -> None:
    def think(body: dict[str, Any], reply: dict[str, Any]) -> None:
        if body["max_tokens"] < 1000:
            reply["choices"][0] |= {"finish_reason": "length", "message": {"content": "<think>Let me"}}

    server.edit = think
    answers = judge(server, concurrency=2).ask([question(n) for n in range(30)], yes_or_no)
    assert [answer.parsed for answer in answers] == expected(*range(30))
    assert sum(server.asked.values()) <= 30 + 4  # only the first ones had to be asked twice
    assert len([record for record in caplog.records if "thinks" in record.getMessage()]) == 1


def test_a_judge_that_talks_is_not_given_room(server: JudgeServer) -> None:
    def cut(body: dict[str, Any], reply: dict[str, Any]) -> None:
        reply["choices"][0] |= {"finish_reason": "length", "message": {"content": "The answer says that"}}

    server.edit, server.record = cut, True
    (answer,) = judge(server).ask([question(0)], yes_or_no)
    assert answer.parsed is None and [body["max_tokens"] for body in server.bodies] == [16, 16]


def test_a_reasoning_model_of_openai(server: JudgeServer) -> None:
    def refuse(body: dict[str, Any]) -> dict[str, Any] | None:
        # Word for word what api.openai.com answers for o-series and gpt-5 models.
        if "max_tokens" in body:
            return {
                "message": "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
                "type": "invalid_request_error",
                "param": "max_tokens",
                "code": "unsupported_parameter",
            }
        for name in ("temperature", "logprobs"):
            if name in body:
                return {"message": f"Unsupported value: '{name}'", "param": name, "code": "unsupported_value"}
        return None

    server.refuse, server.record = refuse, True
    one = judge(server)
    answers = one.ask([question(n) for n in range(20)], yes_or_no)
    assert [answer.parsed for answer in answers] == expected(*range(20))
    assert one.ask([question(20)], yes_or_no)[0].parsed == expected(20)[0]
    assert set(server.bodies[-1]) == {"path", "model", "messages", "max_completion_tokens"}


def test_without_aiohttp_no_connection_is_used_twice(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    import openai

    def missing(**_: Any) -> None:
        raise RuntimeError("To use the aiohttp client you must have installed the package with the `aiohttp` extra")

    monkeypatch.setattr(openai, "DefaultAioHttpClient", missing)
    server.plan = lambda prompt, attempt: Fault("duplicate")
    answers = judge(server, concurrency=4).ask([question(n) for n in range(40)], yes_or_no)
    assert [answer.parsed for answer in answers] == expected(*range(40))
    assert server.connections == 40


_ASK = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from support.questions import question, quick, yes_or_no
from pak3h_tasks.backends.cache import AnswerCache
from pak3h_tasks.backends.servers.chat import OpenAIChat
cache = AnswerCache(Path(sys.argv[3]))
judge = OpenAIChat("stub-judge", base_url=sys.argv[2], cache=cache, retry=quick(), concurrency=8)
answers = judge.ask([question(n) for n in range(int(sys.argv[4]))], yes_or_no)
print("".join("n y"[1 + (2 * answer.parsed - 1)] if answer.parsed is not None else "?" for answer in answers))
sys.exit(cache.fault is not None)
"""


def start(server: JudgeServer, path: Path, n: int) -> subprocess.Popen[str]:
    tests = str(Path(__file__).parents[2])
    arguments = [sys.executable, "-c", _ASK, tests, server.base_url, str(path), str(n)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def letters(*numbers: int) -> str:
    return "".join("y" if yes else "n" for yes in expected(*numbers))


def test_after_kill_9_only_the_missing_ones_are_asked(server: JudgeServer, tmp_path: Path) -> None:
    server.latency_s = 0.02
    path = tmp_path / "answers.sqlite3"
    child = start(server, path, 400)
    while server.answered.total() < 120:
        assert child.poll() is None
    child.kill()
    child.communicate()
    done = server.answered.total()
    with contextlib.closing(AnswerCache(path)) as cache:
        kept = sum(count for _, _, count in cache.info().entries)
        assert done - 8 <= kept <= done < 400  # at most what was in flight is not there
        answers = judge(server, cache=cache).ask([question(n) for n in range(400)], yes_or_no)
    assert [answer.parsed for answer in answers] == expected(*range(400))
    assert sum(answer.cached for answer in answers) == kept
    assert sum(server.asked.values()) <= 400 + 2 * 8 and max(server.asked.values()) <= 2


def test_two_processes_on_one_cache(server: JudgeServer, tmp_path: Path) -> None:
    server.latency_s = 0.005
    path = tmp_path / "answers.sqlite3"
    children = [start(server, path, 300) for _ in range(2)]
    outputs = [child.communicate(timeout=120) for child in children]
    assert [child.returncode for child in children] == [0, 0], outputs
    assert [out.strip() for out, _ in outputs] == [letters(*range(300))] * 2
    with contextlib.closing(AnswerCache(path)) as cache:
        assert cache.info().entries == (("openai", MODEL, 300),)
    assert set(server.asked.values()) == {1}


def test_four_processes_on_one_cache_ask_each_question_once(server: JudgeServer, tmp_path: Path) -> None:
    server.latency_s = 0.05
    children = [start(server, tmp_path / "answers.sqlite3", 120) for _ in range(4)]
    outputs = [child.communicate(timeout=120) for child in children]
    assert [out.strip() for out, _ in outputs] == [letters(*range(120))] * 4, outputs
    assert server.asked.total() == 120


def test_several_servers_are_asked_in_turn_and_one_may_be_gone(cache: AnswerCache) -> None:
    with JudgeServer() as one, JudgeServer() as two:
        urls = f"{one.base_url}, {two.base_url},http://127.0.0.1:9/v1"
        several = OpenAIChat(MODEL, base_url=urls, cache=cache, retry=quick(), show_progress=False)
        several.preflight(question(0))
        assert [answer.parsed for answer in several.ask([question(n) for n in range(60)], yes_or_no)] == expected(
            *range(60)
        )
        assert min(one.replies, two.replies) > 20
        # to the cache they are the first one
        alone = OpenAIChat(MODEL, base_url=one.base_url, cache=cache, show_progress=False)
        assert alone.missing([question(n) for n in range(60)], yes_or_no).calls == 0
