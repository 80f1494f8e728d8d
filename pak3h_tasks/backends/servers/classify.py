"""A classifier served by vLLM (``vllm serve MODEL --runner pooling``): token ids to ``POST /classify``.

Requests go the way of the judges' (client, failures, retries). A name says little of a served model, so it is known by
what it makes of a few fixed sentences, too: other weights under one name are another classifier.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from typing import Any

from pak3h_tasks.backends.classifier import Closing, Labels, RowResult
from pak3h_tasks.backends.local.classifier_checks import LabelMap, check_tokenizer, checked_labels, label_map_tag
from pak3h_tasks.backends.local.model_source import ModelSource
from pak3h_tasks.backends.local.tokenizer import load_tokenizer
from pak3h_tasks.backends.protocol import name_without_folders
from pak3h_tasks.backends.servers.address import Address
from pak3h_tasks.backends.servers.classify_replies import UntrustedAnswerError, read_probabilities, sums_to_one
from pak3h_tasks.backends.servers.client import OpenAIClient, checked_key
from pak3h_tasks.backends.servers.event_loop import LoopThread
from pak3h_tasks.backends.servers.failures import Failure, Fate
from pak3h_tasks.backends.servers.retry import Patience, RetryPolicy
from pak3h_tasks.errors import BackendError
from pak3h_tasks.schema import HARM_CATEGORIES
from pak3h_tasks.settings import BEAVER_DAM

# Harmless sentences: every sigmoid should be small here, while a softmax sums to 1 on anything. The last one is not,
# for the fingerprint: there the classes come apart.
_PROBES = (
    "What is the capital of Pakistan?",
    "Water boils at 100 degrees.",
    "آج موسم خوشگوار ہے۔",
    "I hate those people, and I will hurt them.",
)
_PROBE_TOLERANCE = 1e-3
# Statuses that may be the fault of one row among many; vLLM answers 500 where one row's probabilities are NaN.
_ONE_ROWS_FAULT = frozenset({400, 413, 422, 500})

Chunk = list[Sequence[int]]


class VLLMClassifier(Closing):
    """Client of a vLLM classification server.

    Args:
        url: Server root, as ``http://host:8000`` (a trailing ``/v1`` is dropped).
        tokenizer: Where the tokenizer comes from; None: Beaver-Dam's. Texts are tokenised here, so that truncation,
            the end-of-sequence token and control tokens in texts are the same as for a local classifier.
        label_map: As for `HFClassifier`, with the model's labels in index order.
        api_key: Bearer token of the server, if it wants one.
        concurrency: Requests in flight.
        rows_per_request: Rows in one request.
        timeout_s: Seconds until a request counts as failed.
        retry: Patience, as with judges.
        failures: Failed requests in a row after which the rest is not tried.

    Raises:
        BackendError: The URL makes no sense, or the key cannot be sent.
    """

    def __init__(
        self,
        url: str,
        *,
        tokenizer: ModelSource | None = None,
        label_map: LabelMap | None = None,
        api_key: str | None = None,
        concurrency: int = 8,
        rows_per_request: int = 16,
        timeout_s: float = 120,
        retry: RetryPolicy | None = None,
        failures: int = 8,
    ) -> None:
        address = Address.parse(url)
        self._address = replace(address, url=address.url.removesuffix("/v1"))
        self._where = f"vllm:{self._address.url}"
        self._source = tokenizer or ModelSource.parse(BEAVER_DAM)
        self._names = tuple(label_map) if label_map is not None else HARM_CATEGORIES
        self._labels = checked_labels(self._names, label_map, f"classifier {self._where}")
        self._tag = label_map_tag(label_map)
        self._api_key, self._timeout_s = checked_key(api_key), timeout_s
        self._retry = retry if retry is not None else RetryPolicy(attempts=5)
        self._concurrency, self._rows_per_request, self._failures = concurrency, rows_per_request, failures
        self._client: OpenAIClient | None = None
        self._thread: LoopThread | None = None
        self._tokenizer: Any = None
        self._model: str = ""
        self._root: str | None = None
        self._max_positions: int | None = None
        self._fingerprint = ""

    @property
    def identity(self) -> str:
        """``vllm:``, the names the server gives its model and their `weights_fingerprint`; asks the server once."""
        self.check()
        names = dict.fromkeys(name_without_folders(name) for name in (self._model, self._root) if name)
        return f"vllm:{','.join(names)},fp:{self._fingerprint}{self._tag}"

    @property
    def labels(self) -> Labels:
        """Reported label names in index order."""
        return self._labels

    @property
    def max_positions(self) -> int | None:
        """The server's ``--max-model-len``."""
        self.check()
        return self._max_positions

    @property
    def tokenizer(self) -> Any:
        """The tokenizer used on this side."""
        if self._tokenizer is None:
            tokenizer = load_tokenizer(self._source)
            check_tokenizer(tokenizer, f"classifier {self._where}")
            self._tokenizer = tokenizer
        return self._tokenizer

    def check(self) -> None:
        """Ask for the model and classify a few fixed sentences.

        Raises:
            BackendError: Not reachable, no classifier, other labels, a softmax, or another tokenizer than ours.
            MissingExtra: transformers, sentencepiece or protobuf is missing.
        """
        if self._fingerprint:
            return
        try:
            self._check()
        finally:
            self.close()

    def _check(self) -> None:
        self._ask_model()
        rows = [[*self.tokenizer(text)["input_ids"], self.tokenizer.eos_token_id] for text in _PROBES]
        where = f"classifier {self._where}"
        answer = self._once("/classify", {"model": self._model, "input": rows}, attempts=3)
        if isinstance(answer, Failure):
            raise BackendError(f"{where}: /classify failed ({answer.reason}); start it with --runner pooling")
        try:
            probabilities = read_probabilities(answer, len(rows), self._names)
        except UntrustedAnswerError as error:
            raise BackendError(f"{where}: {error}") from None
        scored = [values for values in probabilities if values is not None]
        if len(scored) < len(rows):
            raise BackendError(f"{where}: answered without probabilities for a plain sentence")
        if sums_to_one(probabilities, _PROBE_TOLERANCE):
            raise BackendError(f"{where}: applies a softmax over labels that are not exclusive; use a newer vLLM")
        sent = sum(map(len, rows))
        usage = answer.get("usage") if isinstance(answer, Mapping) else None
        counted = usage.get("prompt_tokens", sent) if isinstance(usage, Mapping) else sent
        if counted != sent:
            raise BackendError(
                f"{where}: read {counted} tokens where {sent} were sent; it must take token ids as they are"
            )
        self._check_same_tokenizer(where)
        self._fingerprint = weights_fingerprint(scored)

    def load(self) -> None:
        """See `check`."""
        self.check()

    def classify(self, rows: Iterable[Sequence[int]]) -> Iterator[list[RowResult]]:
        """See `Classifier.classify`; requests finish in any order."""
        self.load()
        line = self._line()
        patience = Patience(self._retry)
        slots = asyncio.Semaphore(self._concurrency)
        pending: set[Future[list[RowResult]]] = set()
        streak, stopped = 0, ""
        try:
            for start, chunk in self._chunks(rows):
                if stopped:
                    yield [RowResult(start + offset, None, stopped) for offset in range(len(chunk))]
                    continue
                pending.add(line.submit(self._scored(start, chunk, patience, slots)))
                if len(pending) >= 2 * self._concurrency:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for future in done:
                        batch = future.result()
                        streak = 0 if any(row.probabilities for row in batch) else streak + 1
                        if streak >= self._failures:
                            stopped = f"not tried: the server failed {streak} requests in a row ({batch[0].reason})"
                        yield batch
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in pending:
                future.cancel()
            self.close()

    def close(self) -> None:
        """Close the connections."""
        thread, client, self._thread, self._client = self._thread, self._client, None, None
        if thread is not None:
            if client is not None:
                thread.submit(client.close()).result()
            thread.close()

    async def _scored(self, start: int, chunk: Chunk, patience: Patience, slots: asyncio.Semaphore) -> list[RowResult]:
        async with slots:
            return await self._ask(start, chunk, patience)

    async def _ask(self, start: int, chunk: Chunk, patience: Patience, *, half: bool = False) -> list[RowResult]:
        body = {"model": self._model, "input": [list(row) for row in chunk]}
        answer = await self._post("/classify", body, patience, once=half)
        if isinstance(answer, Failure):
            if answer.status in _ONE_ROWS_FAULT and len(chunk) > 1:
                middle = len(chunk) // 2
                first = await self._ask(start, chunk[:middle], patience, half=True)
                return first + await self._ask(start + middle, chunk[middle:], patience, half=True)
            return [RowResult(start + offset, None, answer.reason) for offset in range(len(chunk))]
        try:
            probabilities = read_probabilities(answer, len(chunk), self._names)
        except UntrustedAnswerError as error:
            return [RowResult(start + offset, None, str(error)) for offset in range(len(chunk))]
        patience.succeeded()
        return [
            RowResult(start + offset, values, None if values else "the server gave NaN or no probabilities")
            for offset, values in enumerate(probabilities)
        ]

    async def _post(self, path: str, body: dict[str, Any], patience: Patience, *, once: bool = False) -> Any | Failure:
        """The decoded body of a 200, or what went wrong for good.

        Args:
            path: Below the server's root.
            body: What is sent.
            patience: That of the batch.
            once: Do not try again where the fault may be one row's.
        """
        tries = 0
        while True:
            while (pause := patience.pause_s()) > 0:
                await asyncio.sleep(pause)
            text = await self._open().post(path, body)
            outcome = text if isinstance(text, Failure) else _decoded(text)
            if not isinstance(outcome, Failure):
                return outcome
            tries += 1
            then = patience.after(outcome, tries)
            if then.delay_s is None or (once and outcome.status in _ONE_ROWS_FAULT):
                return replace(outcome, reason=then.reason or outcome.reason)
            await asyncio.sleep(then.delay_s)

    def _ask_model(self) -> None:
        if self._model:
            return
        where = f"classifier {self._where}"
        text = self._line().submit(self._open().get("/v1/models")).result()
        if isinstance(text, Failure):
            raise BackendError(f"{where}: /v1/models failed ({text.reason}); is the server up?")
        try:
            models = [card for card in json.loads(text)["data"] if not card.get("parent")]  # adapters name their parent
            name, root = str(models[0]["id"]), models[0].get("root")
            self._max_positions = models[0].get("max_model_len")
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            raise BackendError(f"{where}: /v1/models gives no list of models; is it a vLLM server?") from None
        if len(models) > 1:
            raise BackendError(f"{where}: serves {len(models)} models; serve the classifier alone")
        self._model, self._root = name, str(root) if root is not None else None

    def _check_same_tokenizer(self, where: str) -> None:
        text = _PROBES[2]
        answer = self._once("/tokenize", {"model": self._model, "prompt": text})
        if isinstance(answer, Failure) or not isinstance(answer, Mapping) or "tokens" not in answer:
            return  # the endpoint is optional; without it there is nothing to compare
        if answer["tokens"] != self.tokenizer(text)["input_ids"]:
            raise BackendError(
                f"{where}: its tokenizer is not that of {self._source.identity}; name the served model's own tokenizer"
            )

    def _once(self, path: str, body: dict[str, Any], attempts: int = 1) -> Any | Failure:
        patience = Patience(replace(self._retry, attempts=attempts))
        return self._line().submit(self._post(path, body, patience)).result()

    def _line(self) -> LoopThread:
        if self._thread is None:
            self._thread = LoopThread("vllm-classify")
        return self._thread

    def _open(self) -> OpenAIClient:
        if self._client is None:
            self._client = OpenAIClient(self._address, self._api_key, self._timeout_s)
        return self._client

    def _chunks(self, rows: Iterable[Sequence[int]]) -> Iterator[tuple[int, Chunk]]:
        iterator, start = iter(rows), 0
        while chunk := list(itertools.islice(iterator, self._rows_per_request)):
            yield start, chunk
            start += len(chunk)


def _decoded(text: str) -> Any | Failure:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return Failure(Fate.RETRY, f"the reply is not whole JSON ({len(text)} characters)", status=200)


def weights_fingerprint(probabilities: Sequence[Sequence[float]]) -> str:
    """What tells weights from others: 12 hex digits over probabilities rounded to 1e-4.

    Example:
        >>> first, close, other = (weights_fingerprint([[p, 0.5]]) for p in (0.12341, 0.12339, 0.1237))
        >>> first == close, first == other
        (True, False)
    """
    text = ";".join(",".join(f"{value:.4f}" for value in row) for row in probabilities)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
