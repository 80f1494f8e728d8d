"""A judge in this process: a transformers causal model, as a trained yes/no scorer or as a chat model.

A request with a `prompt` is scored: each of its labels gets its exact log-probability as continuation of the prompt.
open-instruct scores " yes" like that, one token for Llama. Where a tokenizer cuts a label into several tokens, its
probability is the product over them, each given those before, never the first token alone: other words share that one.
A request with `messages` goes through the chat template and is answered greedily.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from pak3h_tasks.backends.cache import AnswerCache, answer_key
from pak3h_tasks.backends.local.batching import LengthBatches
from pak3h_tasks.backends.local.device import is_out_of_memory
from pak3h_tasks.backends.local.logits import (
    Continuations,
    Generated,
    continuation_logprobs,
    greedy_replies,
    rows_for,
)
from pak3h_tasks.backends.local.model import CausalModel, DType
from pak3h_tasks.backends.lookup import count_missing, looked_up, safely, unread
from pak3h_tasks.backends.protocol import Answer, Missing, Parse, Position, Reply, Request
from pak3h_tasks.progress import Progress
from pak3h_tasks.text.escape import one_line

T = TypeVar("T")

_WINDOW = 1024  # requests tokenized and sorted together

Outcomes = Iterator[tuple[int, "Reply | Exception"]]


class HFCausal:
    """A local causal language model; its weights are loaded for the first request that is not cached.

    Args:
        model: Hub id or folder.
        revision: Commit, tag or branch of a hub model.
        device: Torch device; None: cuda where there is one, else cpu.
        dtype: Number format; ``auto``: float32 on a CPU, 16 bits elsewhere.
        batch_tokens: Rows times longest row of a forward pass, at most; halved when memory runs out.
        cache: Where answers are kept.
        ask_again: Compute once more what could not be read.
        show_progress: None: a bar on a terminal.
    """

    kind = "hf"

    def __init__(
        self,
        model: str,
        *,
        revision: str | None = None,
        device: str | None = None,
        dtype: DType = "auto",
        batch_tokens: int = 8192,
        cache: AnswerCache | None = None,
        ask_again: bool = False,
        show_progress: bool | None = None,
    ) -> None:
        self.model = CausalModel(model, revision, device, dtype)
        self._batches = LengthBatches(batch_tokens, is_out_of_memory)
        self._cache, self._ask_again, self._show_progress = cache, ask_again, show_progress

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """Model, revision (or what tells a folder's weights from others) and number format."""
        return (("judge", f"hf:{self.model.name}"), ("rev", self.model.identity), ("dtype", self.model.dtype))

    def preflight(self, example: Request) -> None:
        """Check everything but the weights themselves.

        Raises:
            BackendError: Something is missing.
            MissingExtra: torch or transformers is.
        """
        self.model.check(example)

    def ask(self, requests: Iterable[Request], parse: Parse[T], *, total: int | None = None) -> list[Answer[T]]:
        """Answers in the order of the requests; equal requests are computed once.

        A row that does not fit in memory alone, or a model that cannot be loaded, leaves its requests unscored with the
        reason.

        Raises:
            BackendError: There is no such model.
        """
        answers: list[Answer[T] | None] = []
        first: dict[bytes, int] = {}
        repeats: dict[int, int] = {}
        waiting: list[tuple[int, bytes, Request]] = []
        with Progress(f"judge {Path(self.model.name).name}", total, self._show_progress) as progress:
            for chunk in looked_up(requests, self._key_of, parse, self._cache, ask_again=self._ask_again):
                for one in chunk:
                    if one.answer is not None:
                        progress.add(cached=True)
                    elif one.key in first:
                        repeats[len(answers)] = first[one.key]
                    else:
                        first[one.key] = len(answers)
                        waiting.append((len(answers), one.key, one.request))
                    answers.append(one.answer)
                if len(waiting) >= _WINDOW:
                    self._answer(waiting, parse, answers, progress)
                    waiting = []
            self._answer(waiting, parse, answers, progress)
            for index, origin in repeats.items():
                answers[index] = answers[origin]
                progress.add()
        return [
            answer if answer is not None else Answer(None, reason="internal error: not asked") for answer in answers
        ]

    def missing(self, requests: Iterable[Request], parse: Parse[T]) -> Missing:
        """What `ask` would still have to compute."""
        return count_missing(looked_up(requests, self._key_of, parse, self._cache, ask_again=self._ask_again))

    def release(self) -> None:
        """Drop the weights."""
        self.model.release()

    def _answer(
        self,
        waiting: Sequence[tuple[int, bytes, Request]],
        parse: Parse[T],
        answers: list[Answer[T] | None],
        progress: Progress,
    ) -> None:
        for number, outcome in self._outcomes([request for _, _, request in waiting]):
            index, key, request = waiting[number]
            if isinstance(outcome, Reply):
                parsed = safely(request.read or parse, outcome)
                reason = None if parsed is not None else unread(outcome)
                answer = Answer(parsed, outcome, reason)
                if self._cache is not None:
                    stored = outcome.to_json() | ({} if parsed is not None else {"unread": True})
                    self._cache.put(key, stored, kind=self.kind, model=self.model.name)
            else:
                answer = Answer(None, reason=one_line(f"{type(outcome).__name__}: {outcome}", 300))
            answers[index] = answer
            progress.add(failed=answer.reason is not None)

    def _outcomes(self, requests: Sequence[Request]) -> Outcomes:
        try:
            if requests:
                self.model.load()
        except Exception as error:  # noqa: BLE001 - after generation nothing may end the run
            yield from ((number, error) for number in range(len(requests)))
            return
        prompts: dict[int, tuple[int, ...]] = {}
        for number, request in enumerate(requests):
            try:
                prompts[number] = self._fitting(self.model.prompt_ids(request), request)
            except Exception as error:  # noqa: BLE001 - a text that a tokenizer trips over
                yield number, error
        yield from self._scored(requests, {n: ids for n, ids in prompts.items() if requests[n].prompt is not None})
        chats = {number: ids for number, ids in prompts.items() if requests[number].prompt is None}
        for most in sorted({_max_tokens(requests[number]) for number in chats}):
            yield from self._generated({n: ids for n, ids in chats.items() if _max_tokens(requests[n]) == most}, most)

    def _fitting(self, ids: tuple[int, ...], request: Request) -> tuple[int, ...]:
        longest, needed = self.model.context, len(ids) + _max_tokens(request)
        if longest is not None and needed > longest:
            raise ValueError(f"the judge reads {longest} tokens, this needs {needed}")
        return ids

    def _scored(self, requests: Sequence[Request], prompts: dict[int, tuple[int, ...]]) -> Outcomes:
        rows: list[Continuations] = []
        owners: list[tuple[int, tuple[int, ...]]] = []
        open_rows: dict[int, int] = {}
        for number, prompt in prompts.items():
            try:
                labels = self.model.label_ids(requests[number], prompt)
            except ValueError as error:
                yield number, error
                continue
            for continuations, indices in rows_for(prompt, labels):
                rows.append(continuations)
                owners.append((number, indices))
                open_rows[number] = open_rows.get(number, 0) + 1

        def run(batch: list[int]) -> list[tuple[float, ...]]:
            return continuation_logprobs(self.model.weights, [rows[row] for row in batch], self.model.pad_id)

        found: dict[int, dict[int, float]] = {}
        lengths = [len(row.input_ids) for row in rows]
        for row, outcome in self._batches.each(lengths, run):
            number, indices = owners[row]
            if number not in open_rows:
                continue  # another label of it has failed
            if isinstance(outcome, Exception):
                del open_rows[number]
                yield number, outcome
                continue
            values = found.setdefault(number, {})
            values.update(zip(indices, outcome, strict=True))
            open_rows[number] -= 1
            if not open_rows[number]:
                del found[number]
                yield number, self._label_reply(requests[number].labels, values)

    def _label_reply(self, labels: Sequence[str], values: dict[int, float]) -> Reply | Exception:
        top = tuple((label, values[index]) for index, label in enumerate(labels))
        if any(math.isnan(value) for _, value in top):
            return ValueError("the model gave NaN")
        best = max(top, key=lambda pair: pair[1])[0]
        return Reply(best, (Position(best, top),), finish="length")

    def _generated(self, prompts: dict[int, tuple[int, ...]], most: int) -> Outcomes:
        numbers = list(prompts)

        def run(batch: list[int]) -> list[Generated]:
            rows = [prompts[numbers[row]] for row in batch]
            return greedy_replies(self.model.weights, rows, self.model.pad_id, self.model.end_ids, most)

        lengths = [len(prompt) + most for prompt in prompts.values()]
        for row, outcome in self._batches.each(lengths, run):
            number = numbers[row]
            reply = outcome if isinstance(outcome, Exception) else self._chat_reply(outcome, len(prompts[number]))
            yield number, reply

    def _chat_reply(self, made: Generated, prompt_tokens: int) -> Reply | Exception:
        decode = self.model.tokenizer.decode
        if any(math.isnan(value) for top in made.top for _, value in top):
            return ValueError("the model gave NaN")
        positions = tuple(
            Position(decode([token]), tuple((decode([one]), value) for one, value in top))
            for token, top in zip(made.ids, made.top, strict=False)
        )
        ended = bool(made.ids) and made.ids[-1] in self.model.end_ids
        return Reply(
            text=decode(list(made.ids), skip_special_tokens=True),
            logprobs=positions or None,
            finish="stop" if ended else "length",
            tokens=(prompt_tokens, len(made.ids)),
        )

    def _key_of(self, request: Request) -> bytes:
        return answer_key(
            {
                "kind": self.kind,
                "model": self.model.name,
                "revision": self.model.identity,
                "dtype": self.model.dtype,
                "messages": request.messages,
                "prompt": request.prompt,
                "labels": request.labels,
                "max_tokens": _max_tokens(request),
                "version": request.version,
            }
        )


def _max_tokens(request: Request) -> int:
    return int(request.params.get("max_tokens", 16))
