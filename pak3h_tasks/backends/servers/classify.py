"""A classifier served by vLLM (``vllm serve MODEL --runner pooling``): token ids to ``POST /classify``.

Requests go through the openai client, a dependency already, with its own retries and back-off (it honours Retry-After).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from pak3h_tasks.backends.classifier import Closing, Labels, RowResult
from pak3h_tasks.backends.local.batching import one_line
from pak3h_tasks.backends.local.classifier_checks import LabelMap, check_tokenizer, checked_labels, label_map_tag
from pak3h_tasks.backends.local.model_source import ModelSource
from pak3h_tasks.backends.local.tokenizer import load_tokenizer
from pak3h_tasks.backends.servers.classify_replies import UntrustedAnswerError, read_probabilities, sums_to_one
from pak3h_tasks.errors import BackendError
from pak3h_tasks.schema import HARM_CATEGORIES
from pak3h_tasks.settings import BEAVER_DAM

# Harmless sentences: every sigmoid should be small here, while a softmax sums to 1 on anything.
_PROBES = ("What is the capital of Pakistan?", "Water boils at 100 degrees.", "آج موسم خوشگوار ہے۔")
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
        retries: Repeats of a failed request.
        failures: Failed requests in a row after which the rest is not tried.
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
        retries: int = 4,
        failures: int = 8,
    ) -> None:
        self._url = url.rstrip("/").removesuffix("/v1")
        self._source = tokenizer or ModelSource.parse(BEAVER_DAM)
        self._names = tuple(label_map) if label_map is not None else HARM_CATEGORIES
        self._labels = checked_labels(self._names, label_map, f"classifier vllm:{self._url}")
        self._tag = label_map_tag(label_map)
        self._api_key, self._timeout_s, self._retries = api_key, timeout_s, retries
        self._concurrency, self._rows_per_request, self._failures = concurrency, rows_per_request, failures
        self._client: Any = None
        self._tokenizer: Any = None
        self._model: str = ""
        self._root: str | None = None
        self._max_positions: int | None = None
        self._checked = False

    @property
    def identity(self) -> str:
        """``vllm:`` and the names the server gives its model; asks the server once."""
        self._ask_model()
        root = f",{self._root}" if self._root not in (None, self._model) else ""
        return f"vllm:{self._model}{root}{self._tag}"

    @property
    def labels(self) -> Labels:
        """Reported label names in index order."""
        return self._labels

    @property
    def max_positions(self) -> int | None:
        """The server's ``--max-model-len``."""
        self._ask_model()
        return self._max_positions

    @property
    def tokenizer(self) -> Any:
        """The tokenizer used on this side."""
        if self._tokenizer is None:
            tokenizer = load_tokenizer(self._source)
            check_tokenizer(tokenizer, f"classifier vllm:{self._url}")
            self._tokenizer = tokenizer
        return self._tokenizer

    def check(self) -> None:
        """Ask for the model and classify three harmless sentences.

        Raises:
            BackendError: Not reachable, no classifier, other labels, a softmax, or another tokenizer than ours.
            MissingExtra: transformers, sentencepiece or protobuf is missing.
        """
        if self._checked:
            return
        self._ask_model()
        rows = [[*self.tokenizer(text)["input_ids"], self.tokenizer.eos_token_id] for text in _PROBES]
        where = f"classifier vllm:{self._url}"
        try:
            answer = self._post("/classify", {"model": self._model, "input": rows}, retries=1)
            probabilities = read_probabilities(answer, len(rows), self._names)
        except UntrustedAnswerError as error:
            raise BackendError(f"{where}: {error}") from None
        except Exception as error:
            raise BackendError(
                f"{where}: /classify failed ({one_line(error)}); start it with --runner pooling"
            ) from error
        if None in probabilities:
            raise BackendError(f"{where}: answered without probabilities for a harmless sentence")
        if sums_to_one(probabilities, _PROBE_TOLERANCE):
            raise BackendError(f"{where}: applies a softmax over labels that are not exclusive; use a newer vLLM")
        sent = sum(map(len, rows))
        counted = answer.get("usage", {}).get("prompt_tokens", sent) if isinstance(answer, dict) else sent
        if counted != sent:
            raise BackendError(
                f"{where}: read {counted} tokens where {sent} were sent; it must take token ids as they are"
            )
        self._check_same_tokenizer(where)
        self._checked = True

    def load(self) -> None:
        """See `check`."""
        self.check()

    def classify(self, rows: Iterable[Sequence[int]]) -> Iterator[list[RowResult]]:
        """See `Classifier.classify`; requests finish in any order."""
        self.load()
        pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="vllm-classify")
        pending: set[Future[list[RowResult]]] = set()
        failures = 0
        try:
            for start, chunk in self._chunks(rows):
                if failures >= self._failures:
                    reason = f"not tried: the server failed {failures} requests in a row"
                    yield [RowResult(start + offset, None, reason) for offset in range(len(chunk))]
                    continue
                pending.add(pool.submit(self._ask, start, chunk, self._retries))
                if len(pending) >= 2 * self._concurrency:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for future in done:
                        batch = future.result()
                        failures = 0 if any(row.probabilities for row in batch) else failures + 1
                        yield batch
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _ask(self, start: int, chunk: Chunk, retries: int) -> list[RowResult]:
        from openai import APIStatusError

        try:
            answer = self._post("/classify", {"model": self._model, "input": [list(row) for row in chunk]}, retries)
            probabilities = read_probabilities(answer, len(chunk), self._names)
        except APIStatusError as error:
            if error.status_code in _ONE_ROWS_FAULT and len(chunk) > 1:
                half = len(chunk) // 2
                return self._ask(start, chunk[:half], 0) + self._ask(start + half, chunk[half:], 0)
            reason = f"the server answered {error.status_code}: {_server_message(error)}"
        except UntrustedAnswerError as error:
            reason = str(error)
        except Exception as error:  # noqa: BLE001 - whatever breaks, the rows are unscored and the run goes on
            reason = one_line(error)
        else:
            return [
                RowResult(start + offset, values, None if values else "the server gave NaN or no probabilities")
                for offset, values in enumerate(probabilities)
            ]
        return [RowResult(start + offset, None, reason) for offset in range(len(chunk))]

    def _ask_model(self) -> None:
        if self._model:
            return
        where = f"classifier vllm:{self._url}"
        try:
            answer = self._open().get("/v1/models", cast_to=object, options={"max_retries": 1})
            models = [card for card in answer["data"] if not card.get("parent")]  # adapters name their parent
            card = models[0]
            self._model, self._root = str(card["id"]), card.get("root")
            self._max_positions = card.get("max_model_len")
        except Exception as error:
            raise BackendError(f"{where}: /v1/models failed ({one_line(error)}); is the server up?") from error
        if len(models) > 1:
            self._model = ""
            raise BackendError(f"{where}: serves {len(models)} models; serve the classifier alone")

    def _check_same_tokenizer(self, where: str) -> None:
        text = _PROBES[-1]
        try:
            answer: Any = self._post("/tokenize", {"model": self._model, "prompt": text}, retries=0)
            tokens = answer["tokens"]
        except Exception:  # noqa: BLE001 - the endpoint is optional; without it there is nothing to compare
            return
        if tokens != self.tokenizer(text)["input_ids"]:
            raise BackendError(
                f"{where}: its tokenizer is not that of {self._source.identity}; name the served model's own tokenizer"
            )

    def _post(self, path: str, body: dict[str, Any], retries: int) -> object:
        result: object = self._open().post(path, cast_to=object, body=body, options={"max_retries": retries})
        return result

    def _open(self) -> Any:
        if self._client is None:
            from openai import OpenAI

            self._client = OpenAI(base_url=self._url, api_key=self._api_key or "none", timeout=self._timeout_s)
        return self._client

    def _chunks(self, rows: Iterable[Sequence[int]]) -> Iterator[tuple[int, Chunk]]:
        iterator, start = iter(rows), 0
        while chunk := list(itertools.islice(iterator, self._rows_per_request)):
            yield start, chunk
            start += len(chunk)


def _server_message(error: Any) -> str:
    body = error.body
    inner = body.get("error", body) if isinstance(body, dict) else body
    text = inner.get("message") if isinstance(inner, dict) else inner
    return " ".join(str(text or "").split())[:200] or "no message"
