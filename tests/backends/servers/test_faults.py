"""The judge engine against servers that fail: nothing lost, nothing wrong, nothing asked again after a success."""

from __future__ import annotations

import contextlib
import io
import logging
import random
import socket
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks.backends.cache import AnswerCache
from pak3h_tasks.backends.protocol import Answer, Reply, Request
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.errors import BackendError
from support.judge_server import MODEL, Fault, JudgeServer, coin, scheduled
from support.questions import PARAMS, judge, question, quick, yes_or_no

KEY = "sk-a-very-secret-key-0123456789"

RETRIED = (
    "429", "500", "503", "hang", "reset", "closed", "truncated", "short", "html", "duplicate", "slow", "echo_key",
    "no_logprobs", "wrong_logprobs", "bad_logprobs",
)  # fmt: skip
ONCE_MORE = ("null", "empty", "garbage")
FATAL = ("content_filter", "filtered", "400")


def always(kind: str, seconds: float = 0.0) -> Any:
    return lambda prompt, attempt: Fault(kind, seconds)


def reasons(answers: list[Answer[bool]]) -> Counter[str | None]:
    return Counter(answer.reason for answer in answers)


def test_every_fault_over_two_thousand_items(server: JudgeServer, cache: AnswerCache) -> None:
    shares = dict.fromkeys((*RETRIED, *ONCE_MORE, *FATAL), 0.02) | {"hang": 0.004}
    server.plan = scheduled(shares, seed=3, attempts=2)
    asked = [question(n) for n in range(2000)]
    answers = judge(server, timeout_s=3.0, cache=cache).ask(asked, yes_or_no)

    assert len(answers) == 2000
    for number, answer in enumerate(answers):
        prompt = f"question {number}"
        kinds = [fault.kind for attempt in (1, 2) if (fault := server.plan(prompt, attempt))]
        if answer.parsed is None:
            assert answer.reason and (set(kinds) & set(FATAL) or (set(kinds) <= set(ONCE_MORE) and len(kinds) == 2))
        else:
            assert answer.parsed == (coin(prompt) == "Yes")  # what a clean run says
            assert server.answered[prompt] == 1
    assert sum(answer.parsed is None for answer in answers) < 200
    assert all(server.asked[f"question {n}"] >= 1 for n in range(2000))
    kept = sum(count for _, _, count in cache.info().entries)
    final = ("content filter", "unparseable")  # refused, or received and unreadable
    assert kept == sum(answer.parsed is not None or str(answer.reason).startswith(final) for answer in answers)

    # The next run asks only for what has no reply, and the rest again when it is told to.
    server.plan, before = None, server.asked.copy()
    judge(server, cache=cache).ask(asked, yes_or_no)
    assert (server.asked - before).total() == 2000 - kept
    again = judge(server, cache=cache, ask_again=True).ask(asked, yes_or_no)
    assert [answer.parsed for answer in again] == [coin(f"question {n}") == "Yes" for n in range(2000)]
    assert (server.asked - before).total() == sum(answer.parsed is None for answer in answers)


def test_a_duplicated_reply_is_never_taken_for_the_next_one(server: JudgeServer) -> None:
    server.plan = always("duplicate")
    server.answer = lambda prompt: prompt
    answers = judge(server, concurrency=4).ask([question(n) for n in range(200)], lambda reply: reply.text)
    assert [answer.parsed for answer in answers] == [f"question {n}" for n in range(200)]


@pytest.mark.parametrize("kind", ONCE_MORE)
def test_an_unparseable_reply_is_asked_once_more_and_kept_as_unread(
    server: JudgeServer, cache: AnswerCache, kind: str
) -> None:
    server.plan = lambda prompt, attempt: Fault(kind) if prompt == "question 1" else None
    answers = judge(server, cache=cache).ask([question(n) for n in range(3)], yes_or_no)
    assert [answer.parsed is None for answer in answers] == [False, True, False]
    assert "unparseable" in str(answers[1].reason) and answers[1].reply is not None  # the raw reply is kept
    assert server.asked["question 1"] == 2
    (again,) = judge(server, cache=cache).ask([question(1)], yes_or_no)
    assert again == replace(answers[1], cached=True)
    assert server.asked == {"question 0": 1, "question 1": 2, "question 2": 1}
    judge(server, cache=cache, ask_again=True).ask([question(n) for n in range(3)], yes_or_no)
    assert server.asked == {"question 0": 1, "question 1": 4, "question 2": 1}
    assert judge(server, cache=cache).ask([question(1)], lambda reply: True)[0].parsed  # a better parser reads it
    assert server.asked["question 1"] == 4


def test_an_unreadable_reply_of_a_judge_that_draws_is_drawn_again(server: JudgeServer, cache: AnswerCache) -> None:
    server.plan = always("garbage")
    warm = replace(question(1), params={"temperature": 0.7})
    for _ in range(2):
        judge(server, cache=cache).ask([warm], yes_or_no)
    assert server.asked["question 1"] == 4


def test_refusals_and_a_quota_break(server: JudgeServer, cache: AnswerCache) -> None:
    # J9: every 20th prompt is refused for good, and the quota is out after 300 answers
    def plan(prompt: str, attempt: int) -> Fault | None:
        refused = int(prompt.split()[1]) % 20 == 0
        return Fault("content_filter") if refused else Fault("quota") if server.replies >= 300 + bought[0] else None

    server.plan, bought = plan, [0]
    asked = [question(n) for n in range(1000)]
    first = judge(server, cache=cache, concurrency=4).ask(asked, yes_or_no)
    assert sum(answer.parsed is not None for answer in first) == 300
    bought[0] = 10**6
    before = server.asked.copy()
    second = judge(server, cache=cache, concurrency=4).ask(asked, yes_or_no)
    assert [number for number, answer in enumerate(second) if answer.parsed is None] == list(range(0, 1000, 20))
    assert all(str(second[number].reason).startswith("content filter") for number in range(0, 1000, 20))
    settled = sum(answer.reason is None or answer.reason.startswith("content filter") for answer in first)
    assert (server.asked - before).total() == 1000 - settled
    judge(server, cache=cache).ask(asked, yes_or_no)
    assert (server.asked - before).total() == 1000 - settled  # the third run costs nothing
    judge(server, cache=cache, ask_again=True).ask(asked, yes_or_no)
    assert (server.asked - before).total() == 1000 - settled + 50


def test_a_batch_of_refusals_alone_is_no_reason_to_stop(server: JudgeServer, cache: AnswerCache) -> None:
    server.plan = always("filtered")
    answers = judge(server, cache=cache, concurrency=4).ask([question(n) for n in range(200)], yes_or_no)
    assert reasons(answers) == {"content filter (finish_reason)": 200}


def test_a_parser_that_raises_leaves_the_item_unscored(server: JudgeServer) -> None:
    answers = judge(server).ask([question(0)], lambda reply: bool(1 // 0))
    assert answers[0].parsed is None and "unparseable" in str(answers[0].reason)


@pytest.mark.parametrize(
    ("kind", "word"), [("401", "refuses the key"), ("unknown_model", "does not know the model"), ("quota", "no quota")]
)
def test_what_concerns_all_stops_all(
    server: JudgeServer, kind: str, word: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.plan = always(kind)
    answers = judge(server, concurrency=4).ask([question(n) for n in range(500)], yes_or_no)
    assert len(answers) == 500 and all(word in str(answer.reason) for answer in answers)
    assert server.asked.total() <= 8  # what was in flight
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 1


def test_what_was_done_before_the_stop_is_kept(server: JudgeServer, cache: AnswerCache) -> None:
    server.plan = lambda prompt, attempt: Fault("quota") if server.replies >= 100 else None
    answers = judge(server, cache=cache, concurrency=4).ask([question(n) for n in range(500)], yes_or_no)
    judged = [number for number, answer in enumerate(answers) if answer.parsed is not None]
    assert len(judged) == 100
    assert all(answers[n].parsed == (coin(f"question {n}") == "Yes") for n in judged)
    assert all("no quota" in str(answer.reason) for answer in answers if answer.parsed is None)
    server.plan = None
    again = judge(server, cache=cache).ask([question(n) for n in range(500)], yes_or_no)
    assert sum(answer.cached for answer in again) == 100 and all(answer.parsed is not None for answer in again)


def test_a_broken_generator_after_the_stop_ends_the_call(server: JudgeServer) -> None:
    server.plan = lambda prompt, attempt: Fault("401" if prompt in ("question 0", "Hello!") else "hang")

    def requests() -> Iterator[Request]:
        yield from (question(n) for n in range(70))
        time.sleep(0.3)
        raise RuntimeError("broken rows")

    with pytest.raises(RuntimeError, match="broken rows"):
        judge(server, concurrency=4).ask(requests(), yes_or_no)


@pytest.mark.timeout(100)  # not the 300 s of the hanging ones
def test_a_request_that_hangs_does_not_hold_up_the_stop(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pak3h_tasks.backends.servers.runner._GRACE_S", 0.1)
    server.plan = lambda prompt, attempt: Fault("401" if prompt in ("question 3", "Hello!") else "hang")
    answers = judge(server, concurrency=4, timeout_s=300.0).ask([question(n) for n in range(20)], yes_or_no)
    assert all("refuses the key" in str(answer.reason) for answer in answers)


def test_cached_answers_are_used_even_when_the_server_is_gone(server: JudgeServer, cache: AnswerCache) -> None:
    numbers = range(300, 400)
    judge(server, cache=cache).ask([question(n) for n in numbers], yes_or_no)
    server.plan = always("401")
    answers = judge(server, cache=cache).ask([question(n) for n in range(400)], yes_or_no)
    assert [answer.parsed is not None for answer in answers] == [False] * 300 + [True] * 100


@pytest.mark.parametrize("kind", ["500", "reset", "html", "garbage", "400", "truncated"])
def test_stops_when_the_first_twenty_all_fail(server: JudgeServer, kind: str) -> None:
    server.plan = always(kind)
    answers = judge(server, concurrency=8).ask([question(n) for n in range(300)], yes_or_no)
    assert all(answer.reason for answer in answers)
    assert len(server.asked) <= 20 + 2 * 8
    assert "the first 20 replies all failed" in str(answers[-1].reason)


def test_a_server_that_dies_in_the_middle(server: JudgeServer) -> None:
    server.plan = lambda prompt, attempt: Fault("reset") if server.replies >= 100 else None
    answers = judge(server, concurrency=4).ask([question(n) for n in range(1000)], yes_or_no)
    assert sum(answer.parsed is not None for answer in answers) == 100
    assert "the last 20 replies all failed" in str(answers[-1].reason)
    assert len(server.asked) <= 100 + 20 + 8


def test_filtered_items_in_a_row_do_not_stop_a_run_that_works(server: JudgeServer) -> None:
    server.plan = lambda prompt, attempt: Fault("content_filter") if 50 <= int(prompt.split()[1]) < 150 else None
    answers = judge(server, concurrency=4).ask([question(n) for n in range(200)], yes_or_no)
    assert [answer.parsed is None for answer in answers] == [False] * 50 + [True] * 100 + [False] * 50
    assert all("content filter" in str(answer.reason) for answer in answers[50:150])


def test_a_hanging_server_is_given_up(server: JudgeServer) -> None:
    server.plan = always("hang")
    answers = judge(server, timeout_s=0.6, retry=quick(attempts=2)).ask([question(n) for n in range(100)], yes_or_no)
    assert all("timed out after 0.6 s" in str(answer.reason) for answer in answers)


def test_nobody_there() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    one = OpenAIChat(MODEL, base_url=url, retry=quick())
    answers = one.ask([question(n) for n in range(100)], yes_or_no)
    assert all("connection failed" in str(answer.reason) for answer in answers)
    with pytest.raises(BackendError, match="connection failed"):
        one.preflight(question(0))


def test_a_tight_rate_limit_costs_time_but_no_answer(server: JudgeServer) -> None:
    # Two requests get through every 20 ms; with 16 workers most attempts meet a 429, far more than `attempts` each.
    window: dict[int, int] = {}

    def plan(prompt: str, attempt: int) -> Fault | None:
        slot = int(time.monotonic() / 0.02)
        window[slot] = window.get(slot, 0) + 1
        return Fault("429", 0.01) if window[slot] > 2 else None

    server.plan = plan
    answers = judge(server, concurrency=16, retry=quick(attempts=3)).ask([question(n) for n in range(120)], yes_or_no)
    assert [answer.reason for answer in answers] == [None] * 120
    assert max(server.asked.values()) > 3 and max(server.answered.values()) == 1


def test_a_rate_limit_that_never_ends_is_given_up(server: JudgeServer) -> None:
    server.plan = always("429")
    policy = quick(rate_limit_patience_s=0.2)
    answers = judge(server, retry=policy).ask([question(n) for n in range(100)], yes_or_no)
    assert all("HTTP 429" in str(answer.reason) for answer in answers)
    assert len(server.asked) < 60


def test_a_wait_until_tomorrow_is_not_waited_for(server: JudgeServer) -> None:
    server.plan = always("429", 86_400)
    answers = judge(server).ask([question(n) for n in range(50)], yes_or_no)
    assert all("asks to wait 86400 s" in str(answer.reason) for answer in answers)


def test_retry_after_holds_for_all_workers(server: JudgeServer) -> None:
    arrivals: list[float] = []
    limited: list[float] = []

    def plan(prompt: str, attempt: int) -> Fault | None:
        arrivals.append(time.monotonic())
        if not limited:
            limited.append(arrivals[-1])
            return Fault("429", 0.3)
        return None

    server.plan = plan
    judge(server, concurrency=2).ask([question(n) for n in range(20)], yes_or_no)
    # The other worker's request may have been under way; after it nobody asks before the time is up.
    assert sum(limited[0] + 0.1 < arrival < limited[0] + 0.3 for arrival in arrivals) == 0
    assert sum(arrival >= limited[0] + 0.3 for arrival in arrivals) >= 15


def test_text_that_is_no_unicode_is_unscored(server: JudgeServer) -> None:
    lone = Request(messages=(("user", "half a face \ud83d"),), params=PARAMS)
    answers = judge(server).ask([lone, question(1)], yes_or_no)
    assert answers[0].parsed is None and answers[0].reason and answers[1].parsed is not None


def test_a_wrong_answer_rate_of_zero_under_random_order(server: JudgeServer) -> None:
    # Replies overtake one another; each must still find its own item.
    rng = random.Random(5)
    server.answer = lambda prompt: prompt
    server.plan = lambda prompt, attempt: Fault("slow", rng.random() * 0.03)
    answers = judge(server, concurrency=50).ask([question(n) for n in range(500)], lambda reply: reply.text)
    assert [answer.parsed for answer in answers] == [f"question {n}" for n in range(500)]


class TestPreflight:
    def test_a_good_server_costs_one_token(self, server: JudgeServer) -> None:
        server.record = True
        judge(server).preflight(question(0))
        assert [body["max_tokens"] for body in server.bodies] == [1]

    def test_no_key_and_no_server(self) -> None:
        with pytest.raises(BackendError, match="no API key; set OPENAI_API_KEY"):
            OpenAIChat("gpt-4o-mini").preflight(question(0))

    @pytest.mark.parametrize(
        ("kind", "message"),
        [
            ("401", "refuses the key"),
            ("quota", "no quota left"),
            ("unknown_model", "does not know the model .* it offers stub-judge"),
            ("503", "HTTP 503: Loading model"),
            ("400", "HTTP 400: This model's maximum context length"),
            ("content_filter", "content filter"),
            ("html", "no JSON but a web page: It works!"),
        ],
    )
    def test_one_clear_line(self, server: JudgeServer, kind: str, message: str) -> None:
        server.plan = always(kind)
        with pytest.raises(BackendError, match=message) as caught:
            judge(server, api_key=KEY).preflight(question(0))
        text = str(caught.value)
        assert "\n" not in text and MODEL in text and server.base_url in text and KEY not in text
        assert caught.value.__cause__ is None

    def test_a_wrong_model_name(self, server: JudgeServer) -> None:
        server.models = ("llama", "qwen")
        with pytest.raises(BackendError, match="it offers llama, qwen"):
            judge(server).preflight(question(0))

    def test_no_list_of_models_is_needed(self, server: JudgeServer) -> None:
        server.models = None
        judge(server).preflight(question(0))

    @pytest.mark.parametrize("kind", ["null", "empty"])
    def test_a_judge_that_says_nothing_cannot_be_used(self, server: JudgeServer, kind: str) -> None:
        server.plan = always(kind)
        with pytest.raises(BackendError, match="answers nothing to a harmless question"):
            judge(server).preflight(question(0))

    @pytest.mark.parametrize("trace", ["", "<think>Is it"])
    def test_one_that_is_still_thinking_when_its_room_ends(self, server: JudgeServer, trace: str) -> None:
        server.record = True
        server.edit = lambda body, reply: reply["choices"][0].update(
            message={"role": "assistant", "content": trace}, finish_reason="length", logprobs=None
        )
        with pytest.raises(BackendError, match=r"its 2,048 tokens were used up .* PAK3H_JUDGE_MAX_TOKENS"):
            judge(server).preflight(question(0))
        assert [body["max_tokens"] for body in server.bodies] == [1, PARAMS["max_tokens"], 2048]

    def test_one_that_begins_with_a_blank_is_no_thinker(self, server: JudgeServer) -> None:
        server.edit = lambda body, reply: reply["choices"][0].update(
            message={"role": "assistant", "content": "Yes" if body["max_tokens"] > 1 else ""}
        )
        (one := judge(server)).preflight(question(0))
        assert not one.dialect.thinks

    @pytest.mark.parametrize("kind", ["429", "garbage"])
    def test_busy_or_odd_is_there(self, server: JudgeServer, kind: str) -> None:
        server.plan = always(kind)
        judge(server).preflight(question(0))

    def test_a_hiccup_is_forgiven(self, server: JudgeServer) -> None:
        server.plan = lambda prompt, attempt: Fault("500") if attempt < 3 else None
        judge(server).preflight(question(0))

    def test_a_hanging_server(self, server: JudgeServer) -> None:
        server.plan = always("hang")
        with pytest.raises(BackendError, match=r"timed out after 0\.1 s"):
            judge(server, timeout_s=0.1).preflight(question(0))

    def test_not_a_server_for_this(self, server: JudgeServer) -> None:
        with pytest.raises(BackendError, match="mostly ends in /v1"):
            OpenAIChat(MODEL, base_url=server.base_url + "/stats/x", retry=quick()).preflight(
                Request(messages=(("user", "x"),), params=PARAMS)
            )


def test_the_key_is_nowhere(server: JudgeServer, tmp_path: Path) -> None:
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)  # the HTTP libraries' own chatter included
    server.api_key = KEY
    server.answer = lambda prompt: f"Yes {KEY}" if prompt == "question 3" else coin(prompt)
    server.plan = scheduled({"echo_key": 0.3, "500": 0.1, "reset": 0.1, "truncated": 0.1}, attempts=3)
    path = tmp_path / "answers.sqlite3"
    seen: list[str] = []
    try:
        for key in (KEY, f"{KEY}x"):
            with contextlib.closing(AnswerCache(path)) as cache:
                one = judge(server, api_key=key, cache=cache)
                seen += [repr(one), repr(one.ask([question(n) for n in range(60)], lambda reply: reply.text or None))]
                try:
                    one.preflight(question(0))
                except BackendError:
                    seen.append(traceback.format_exc())
        with contextlib.suppress(BackendError):
            judge(server, api_key=f"{KEY}\nx").preflight(question(0))
    except BackendError:
        seen.append(traceback.format_exc())
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    assert "[key]" in "".join(seen)  # it was there to be found
    for text in (*seen, written.getvalue(), *(file.read_bytes().decode("latin-1") for file in tmp_path.iterdir())):
        assert KEY not in text


def test_a_key_that_cannot_be_sent(server: JudgeServer) -> None:
    with pytest.raises(BackendError, match="line break") as caught:
        judge(server, api_key=f"{KEY}\nx")
    assert KEY not in str(caught.value)
    assert judge(server, api_key=f" {KEY}\n").ask([question(0)], yes_or_no)[0].parsed is not None


def test_reply_of_the_last_attempt_is_kept(server: JudgeServer) -> None:
    server.answer = lambda prompt: "Perhaps."
    (answer,) = judge(server).ask([question(0)], yes_or_no)
    assert answer.reply == Reply(
        "Perhaps.", answer.reply.logprobs if answer.reply else None, f"{MODEL}-2026", "fp_stub", "stop", (100, 1)
    )
