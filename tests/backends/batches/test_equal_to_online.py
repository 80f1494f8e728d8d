"""The same replies in a batch and online: verdicts equal in all their details, refused and unreadable ones too."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pak3h_tasks.backends.batches.api import BatchApi
from pak3h_tasks.backends.batches.ledger import Ledger, Record
from pak3h_tasks.backends.batches.outputs import Taken, take
from pak3h_tasks.backends.batches.request_files import RequestFiles
from pak3h_tasks.backends.batches.unsent import Unsent
from pak3h_tasks.backends.cache import AnswerCache
from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.judges.pairwise import Pair, Pairwise
from pak3h_tasks.judges.truth_info import Row, TruthInfoJudge
from support import providers
from support.batch_server import BatchServer
from support.judge_server import JudgeServer, Mode, prompt_of

ROWS = [Row(f"Is item-{n} one?", f"Yes, the item is one. سوال {n}\u2028") for n in range(500)]
FEW = 50
PAIRS = [Pair(f"Name item-{n}.", f"It is {n}.", f"{n}th of all.") for n in range(1000)]


def share(prompt: str, salt: str) -> float:
    """A number in [0, 1) of each question, however it is put."""
    words = re.findall(r"item-\d+|Is the answer \w+|answer-[mM](?=-\w+>\n(?:It|\d))", prompt)
    return hashlib.sha256(f"{salt} {words}".encode()).digest()[0] / 256


def answer(prompt: str) -> str:
    labels = ("m", "M") if "m or M" in prompt else ("Yes", "No")
    return labels[share(prompt, "label") < 0.4]


def trouble(body: dict[str, Any]) -> providers.Said | None:
    """5 % are filtered, 5 % are too long for the judge's window, by the prompt."""
    drawn = share(prompt_of(body), "trouble")
    if drawn < 0.05:
        return providers.error(400, "The response was filtered", code="content_filter", param="prompt")
    return providers.error(400, "This model's maximum context length is 4096 tokens") if drawn < 0.1 else None


def garbled(body: dict[str, Any], reply: dict[str, Any]) -> None:
    """5 % of the replies are never readable, 10 % at first, 3 % are declined, 2 % filtered in the reply."""
    drawn, choice = share(prompt_of(body), "garbled"), reply["choices"][0]
    spelled = any("Reply with exactly one of these" in message["content"] for message in body["messages"])
    if drawn < 0.05 or (drawn < 0.15 and not spelled):
        choice |= {"message": {"role": "assistant", "content": f"Well, {drawn:.2f}"}, "logprobs": None}
    elif drawn < 0.18:
        choice |= {"message": {"role": "assistant", "content": None, "refusal": "I cannot judge this."}}
    elif drawn < 0.2:
        choice |= {"message": {"role": "assistant", "content": ""}, "finish_reason": "content_filter"}


def judge(server: BatchServer, cache: AnswerCache, **others: Any) -> OpenAIChat:
    return OpenAIChat("stub-judge", base_url=server.base_url, cache=cache, show_progress=False, **others)


def verdicts(backend: Any, n: int = FEW) -> list[Any]:
    return [*TruthInfoJudge(backend).judge(ROWS[:n]), *Pairwise(backend, both_orders=True).judge(PAIRS[: 2 * n])]


def by_batch(one: OpenAIChat, ledger: Ledger, cache: AnswerCache, n: int = FEW, *, most_lines: int = 50_000) -> Taken:
    """One round: what the cache lacks is submitted, and what comes back is taken."""
    files = RequestFiles(ledger.folder, most_lines=most_lines)
    backend = Unsent(one, files.add)
    began = time.time()
    TruthInfoJudge(backend).missing(ROWS[:n])
    Pairwise(backend, both_orders=True).missing(PAIRS[: 2 * n])
    total = Taken()
    for file in files.close():
        record = ledger.enter(file, one.url, began, {})
        total += submitted(BatchApi(one.served.address, None, ledger), record, ledger, cache)
    return total


def submitted(api: BatchApi, record: Record, ledger: Ledger, cache: AnswerCache) -> Taken:
    api.submit(record)
    paths = []
    for kind, name in api.refresh(record).items():
        path = ledger.path(record, f"{kind}.jsonl")
        api.download(name, path)
        paths.append(path)
    return take(ledger, [record], paths, cache)


@contextmanager
def by_garbling_server(folder: Path) -> Iterator[tuple[BatchServer, OpenAIChat, AnswerCache, Ledger]]:
    """A server whose replies are garbled, its judge, and what is kept after one round by batch."""
    with BatchServer(JudgeServer(answer=answer, edit=garbled, models=None)) as server:
        cache, ledger = AnswerCache(folder / "answers.sqlite3"), Ledger(folder / "batches")
        one = judge(server, cache)
        by_batch(one, ledger, cache)
        yield server, one, cache, ledger


@pytest.mark.parametrize(("mode", "n"), [(None, 400), (providers.o_series, 100), (providers.no_system_role(400), 100)])
def test_verdicts_are_those_of_online_judging(tmp_path: Path, mode: Mode | None, n: int) -> None:
    """400: 2,400 questions."""

    def both(body: dict[str, Any]) -> providers.Said | None:
        return (mode(body) if mode else None) or (trouble(body) if "item-" in prompt_of(body) else None)

    stub = JudgeServer(answer=answer, mode=both, edit=garbled, models=None)
    with BatchServer(stub) as server:
        online_cache = AnswerCache(tmp_path / "online.sqlite3")
        online = judge(server, online_cache)
        TruthInfoJudge(online).preflight()
        expected = verdicts(online, n)
        cache, ledger = AnswerCache(tmp_path / "batch.sqlite3"), Ledger(tmp_path / "batches")
        one = judge(server, cache)
        TruthInfoJudge(one).preflight()
        first = by_batch(one, ledger, cache, n, most_lines=1100)
        assert first.replies + first.refused + first.failed.total() == 6 * n and first.missing == 0
        second = by_batch(one, ledger, cache, n)  # unreadable ones, and those without a reply
        assert 0 < second.replies < first.replies / 5
        server.online.clear()
        found = verdicts(Unsent(one), n)
        assert not server.online
    different = [pair for pair in zip(found, expected, strict=True) if pair[0] != pair[1]]
    assert not different, "\n".join(map(repr, different[0]))
    unscored = [verdict for verdict in found[n:] if verdict.value is None]
    reasons = " ".join(str(verdict.reason) for verdict in unscored)
    assert all(word in reasons for word in ("content filter", "unparseable", "HTTP 400", "declines"))


def test_what_a_batch_could_not_read_is_asked_once_more_online(tmp_path: Path) -> None:
    with by_garbling_server(tmp_path) as (server, one, _, _):
        left = TruthInfoJudge(one).missing(ROWS[:FEW]).calls
        server.online.clear()
        TruthInfoJudge(one).judge(ROWS[:FEW])
        assert 0 < left == server.online.total()  # the second time of asking alone
        assert TruthInfoJudge(one).missing(ROWS[:FEW]).calls == 0


@pytest.mark.parametrize(
    "mode", ["missing", "line_errors", "expired", "cancelled", "invalid", "stranger", "duplicates"]
)
def test_whatever_comes_back_what_is_missing_is_asked_again(tmp_path: Path, mode: str) -> None:
    stub = JudgeServer(answer=answer, models=None)
    with BatchServer(stub) as server:
        cache, ledger = AnswerCache(tmp_path / "answers.sqlite3"), Ledger(tmp_path / "batches")
        one = judge(server, cache)
        server.mode = mode
        taken = by_batch(one, ledger, cache)
        expected = {
            "missing": (200, 0, 100, 0, 0), "line_errors": (200, 100, 0, 0, 0), "expired": (150, 150, 0, 0, 0),
            "cancelled": (150, 0, 150, 0, 0), "invalid": (0, 0, 300, 0, 0), "stranger": (0, 0, 300, 0, 300),
            "duplicates": (300, 0, 0, 300, 0),
        }[mode]  # fmt: skip
        counts = (taken.replies, taken.failed.total(), taken.missing, taken.duplicates, taken.strangers)
        assert counts == expected
        lacking = 300 - taken.replies
        asked = (
            Pairwise(one, both_orders=True).missing(PAIRS[: 2 * FEW]).calls
            + TruthInfoJudge(one).missing(ROWS[:FEW]).calls
        )
        assert asked == lacking
        server.mode = ""
        assert by_batch(one, ledger, cache).replies == lacking
        assert all(count == 1 for count in server.paid.values()) or mode in ("stranger",)
        assert None not in [verdict.value for verdict in verdicts(Unsent(one))[FEW:]]


def test_an_older_output_taken_again_replaces_nothing(tmp_path: Path) -> None:
    with by_garbling_server(tmp_path) as (server, one, cache, ledger):
        (record,) = ledger.records()
        by_batch(one, ledger, cache)
        before = verdicts(Unsent(one))
        server.judge.answer = lambda prompt: "No"
        taken = take(ledger, [record], [ledger.path(record, "output.jsonl")] * 2, cache)
        assert taken.duplicates == taken.replies + taken.refused
        assert verdicts(Unsent(one)) == before
