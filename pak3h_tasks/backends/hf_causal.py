"""A judge in this process: a transformers causal model, as a trained yes/no scorer or as a chat model.

A request with a `prompt` is scored: each of its labels gets its exact log-probability as continuation of the prompt.
open-instruct scores " yes" so, as the one token it is for Llama; where a tokenizer cuts a label into several tokens, its
probability is the product over them, each given those before (never the first token alone, which other words share).
A request with `messages` goes through the chat template and is answered greedily.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from pak3h_tasks.backends.asking import count_missing, looked_up, safely
from pak3h_tasks.backends.cache import AnswerCache, answer_key
from pak3h_tasks.backends.exchange import Answer, Missing, Parse, Position, Reply, Request
from pak3h_tasks.backends.failure import one_line
from pak3h_tasks.backends.hf_logits import (
    Generated,
    continuation_logprobs,
    greedy_replies,
    is_out_of_memory,
    rows_for,
)
from pak3h_tasks.backends.length_batches import run_in_length_batches
from pak3h_tasks.backends.progress import Progress
from pak3h_tasks.errors import BackendError, MissingExtra

logger = logging.getLogger(__name__)

T = TypeVar("T")
DType = Literal["auto", "float32", "bfloat16", "float16"]

_WINDOW = 1024  # requests tokenized and sorted together
_WEIGHTS = ("model.safetensors.index.json", "pytorch_model.bin.index.json", "model.safetensors", "pytorch_model.bin")


class HFCausal:
    """A local causal language model; weights are loaded for the first request that is not cached.

    Args:
        model: Hub id or folder.
        revision: Commit, tag or branch of a hub model.
        device: Torch device; None: cuda where there is one, else cpu.
        dtype: Number format; ``auto``: float32 on a CPU, 16 bits elsewhere.
        batch_tokens: Rows times longest row of a forward pass.
        cache: Where answers are kept.
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
        show_progress: bool | None = None,
    ) -> None:
        self.model, self.revision = model, revision
        self._device_wanted, self._dtype_wanted = device, dtype
        self._batch_tokens, self._cache, self._show_progress = batch_tokens, cache, show_progress
        self._tokenizer: Any = None
        self._weights: Any = None
        self._identity: str | None = None

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """Model, revision (or what tells a folder's weights from others) and number format."""
        return (("judge", f"hf:{self.model}"), ("rev", self.identity), ("dtype", self.dtype))

    @property
    def device(self) -> str:
        """The torch device it runs on."""
        return self._device_wanted or ("cuda" if _torch().cuda.is_available() else "cpu")

    @property
    def dtype(self) -> str:
        """Its number format."""
        if self._dtype_wanted != "auto":
            return self._dtype_wanted
        if self.device.startswith("cpu"):
            return "float32"
        torch = _torch()
        return "bfloat16" if self.device.startswith("cuda") and torch.cuda.is_bf16_supported() else "float16"

    @property
    def identity(self) -> str:
        """The commit of a hub model; for a folder a hash of its config and its weight files' size and time."""
        if self._identity is None:
            folder = Path(self.model)
            if folder.is_dir():
                self._identity = _folder_identity(folder)
            else:
                config = self._from_hub("AutoConfig")
                self._identity = str(getattr(config, "_commit_hash", None) or self.revision or "unknown")
        return self._identity

    def preflight(self, example: Request) -> None:
        """Check config, tokenizer, chat template and that weights are there, without loading them.

        Raises:
            BackendError: Something is missing.
            MissingExtra: torch or transformers is.
        """
        try:
            ids = self._prompt_ids(example)
            self._label_ids(example, ids)
            _ = self.identity, self.dtype
        except (OSError, ValueError, KeyError, ImportError) as error:
            raise BackendError(f"judge hf:{self.model} cannot be used: {one_line(error)}") from None
        if not self._has_weights():
            raise BackendError(f"judge hf:{self.model} has no weights ({', '.join(_WEIGHTS)} not found)")

    def ask(self, requests: Iterable[Request], parse: Parse[T], *, total: int | None = None) -> list[Answer[T]]:
        """Answers in the order of the requests; equal requests are computed once.

        A row that does not fit in memory alone, or a model that cannot be loaded, leaves its requests unscored with the
        reason.
        """
        answers: list[Answer[T] | None] = []
        first: dict[bytes, int] = {}
        repeats: dict[int, int] = {}
        with Progress(f"judge {Path(self.model).name}", total, self._show_progress) as progress:
            waiting: list[tuple[int, bytes, Request]] = []
            for chunk in looked_up(requests, self._key_of, parse, self._cache):
                for key, request, known in chunk:
                    if known is not None:
                        progress.add(cached=True)
                    elif key in first:
                        repeats[len(answers)] = first[key]
                    else:
                        first[key] = len(answers)
                        waiting.append((len(answers), key, request))
                    answers.append(known)
                if len(waiting) >= _WINDOW:
                    self._answer(waiting, parse, answers, progress)
                    waiting = []
            self._answer(waiting, parse, answers, progress)
            for index, origin in repeats.items():
                answers[index] = answers[origin]
                progress.add(cached=True)
        return [answer if answer is not None else Answer(None, reason="lost") for answer in answers]

    def missing(self, requests: Iterable[Request], parse: Parse[T]) -> Missing:
        """What `ask` would still have to compute."""
        return count_missing(requests, self._key_of, parse, self._cache)

    def release(self) -> None:
        """Drop the weights."""
        if self._weights is not None:
            self._weights = None
            gc.collect()
            _torch().cuda.empty_cache()

    def _answer(
        self,
        waiting: Sequence[tuple[int, bytes, Request]],
        parse: Parse[T],
        answers: list[Answer[T] | None],
        progress: Progress,
    ) -> None:
        requests = [request for _, _, request in waiting]
        for number, outcome in self._replies(requests):
            index, key, _ = waiting[number]
            if isinstance(outcome, Reply):
                parsed = safely(parse, outcome)
                reason = None if parsed is not None else f"unparseable reply: {one_line(outcome.text)!r}"
                answer = Answer(parsed, outcome, reason)
                if parsed is not None and self._cache is not None:
                    self._cache.put(key, outcome.to_json(), kind=self.kind, model=self.model)
            else:
                answer = Answer(None, reason=one_line(f"{type(outcome).__name__}: {outcome}"))
            answers[index] = answer
            progress.add(failed=answer.reason is not None)

    def _replies(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply | Exception]]:
        prompts: dict[int, tuple[int, ...]] = {}
        for number, request in enumerate(requests):
            try:
                self._load()
                prompts[number] = self._prompt_ids(request)
            except Exception as error:
                yield number, error
        scored = [number for number in prompts if requests[number].prompt is not None]
        chats = [number for number in prompts if requests[number].prompt is None]
        yield from self._scored(requests, scored, prompts)
        for most in sorted({_max_tokens(requests[number]) for number in chats}):
            some = [number for number in chats if _max_tokens(requests[number]) == most]
            yield from self._generated(some, prompts, most)

    def _scored(
        self, requests: Sequence[Request], numbers: Sequence[int], prompts: dict[int, tuple[int, ...]]
    ) -> Iterator[tuple[int, Reply | Exception]]:
        rows, owners = [], []
        found: dict[int, dict[str, float]] = {}
        left: dict[int, int] = {}
        for number in numbers:
            try:
                label_ids = self._label_ids(requests[number], prompts[number])
            except ValueError as error:
                yield number, error
                continue
            for row, indices in rows_for(prompts[number], label_ids):
                rows.append(row)
                owners.append((number, indices))
                left[number] = left.get(number, 0) + 1
        run = lambda batch: continuation_logprobs(self._weights, [rows[row] for row in batch], self._pad_id)  # noqa: E731
        lengths = [len(row.input_ids) for row in rows]
        for row_number, outcome in run_in_length_batches(lengths, run, is_out_of_memory, self._batch_tokens):
            number, indices = owners[row_number]
            if number not in left:
                continue
            if isinstance(outcome, Exception):
                del left[number]
                yield number, outcome
                continue
            labels = requests[number].labels
            found.setdefault(number, {}).update(
                {labels[index]: value for index, value in zip(indices, outcome, strict=True)}
            )
            left[number] -= 1
            if not left[number]:
                values = found.pop(number)
                yield number, self._label_reply([(label, values[label]) for label in labels])

    def _label_reply(self, top: list[tuple[str, float]]) -> Reply | Exception:
        if any(value != value for _, value in top):
            return ValueError("the model gave NaN")
        best = max(top, key=lambda pair: pair[1])[0]
        return Reply(best, (Position(best, tuple(top)),), model=self.identity, finish="length")

    def _generated(
        self, numbers: Sequence[int], prompts: dict[int, tuple[int, ...]], most: int
    ) -> Iterator[tuple[int, Reply | Exception]]:
        def run(batch: list[int]) -> list[Generated]:
            rows = [prompts[numbers[row]] for row in batch]
            return greedy_replies(self._weights, rows, self._pad_id, self._end_ids, most)

        lengths = [len(prompts[number]) + most for number in numbers]
        for row, outcome in run_in_length_batches(lengths, run, is_out_of_memory, self._batch_tokens):
            if isinstance(outcome, Exception):
                yield numbers[row], outcome
                continue
            decode = self._tokenizer.decode
            positions = tuple(
                Position(decode([token]), tuple((decode([one]), value) for one, value in top))
                for token, top in zip(outcome.ids, outcome.top, strict=False)
            )
            ended = bool(outcome.ids) and outcome.ids[-1] in self._end_ids
            yield (
                numbers[row],
                Reply(
                    text=decode(list(outcome.ids), skip_special_tokens=True),
                    logprobs=None if any(value != value for p in positions for _, value in p.top) else positions,
                    model=self.identity,
                    finish="stop" if ended else "length",
                    tokens=(len(prompts[numbers[row]]), len(outcome.ids)),
                ),
            )

    def _prompt_ids(self, request: Request) -> tuple[int, ...]:
        tokenizer = self._load_tokenizer()
        if request.prompt is not None:
            ids = tokenizer(self._plain(request.prompt))["input_ids"]
            return tuple(ids[:-1] if ids and ids[-1] == tokenizer.eos_token_id else ids)
        if not getattr(tokenizer, "chat_template", None):
            raise ValueError("its tokenizer has no chat template; use a chat model, or GPT-judge-style models in pairs")
        messages = [{"role": role, "content": self._plain(content)} for role, content in request.messages]
        return tuple(tokenizer(self._render(messages), add_special_tokens=False)["input_ids"])

    def _render(self, messages: list[dict[str, str]]) -> str:
        from jinja2.exceptions import TemplateError

        # A judge that thinks aloud would not come to its word in a few tokens.
        options = {"tokenize": False, "add_generation_prompt": True, "enable_thinking": False}
        try:
            return str(self._tokenizer.apply_chat_template(messages, **options))
        except TemplateError:
            # Some templates (Gemma, early Mistral) know no system role.
            if len(messages) < 2 or messages[0]["role"] != "system":
                raise ValueError("its chat template refuses the messages") from None
            joined = f"{messages[0]['content']}\n\n{messages[1]['content']}"
            return str(
                self._tokenizer.apply_chat_template([{**messages[1], "content": joined}, *messages[2:]], **options)
            )

    def _label_ids(self, request: Request, prompt_ids: tuple[int, ...]) -> list[tuple[int, ...]]:
        labels = []
        for label in request.labels if request.prompt is not None else ():
            ids = self._tokenizer(self._plain(f"{request.prompt}{label}"))["input_ids"]
            ids = tuple(ids[:-1] if ids[-1] == self._tokenizer.eos_token_id else ids)
            if len(ids) <= len(prompt_ids) or ids[: len(prompt_ids)] != prompt_ids:
                raise ValueError(f"its tokenizer does not keep the label {label!r} apart from the prompt")
            labels.append(ids[len(prompt_ids) :])
        return labels

    def _plain(self, text: str) -> str:
        """Text in which no special token of this tokenizer is left: what a model wrote must stay text."""
        return self._special.sub(lambda token: f"{token.group()[0]} {token.group()[1:]}", text)

    def _load_tokenizer(self) -> Any:
        if self._tokenizer is None:
            tokenizer = self._from_hub("AutoTokenizer")
            special = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
            special |= set(tokenizer.all_special_tokens)
            names = sorted((re.escape(name) for name in special if len(name) > 1), key=len, reverse=True)
            self._special = re.compile("|".join(names) or r"(?!)")
            pad = tokenizer.pad_token_id
            self._pad_id = int(pad if pad is not None else tokenizer.eos_token_id or 0)
            self._tokenizer = tokenizer
        return self._tokenizer

    def _load(self) -> Any:
        if self._weights is None:
            torch = _torch()
            tokenizer = self._load_tokenizer()
            model = self._from_hub("AutoModelForCausalLM", dtype=getattr(torch, self.dtype)).to(self.device).eval()
            end = model.generation_config.eos_token_id
            self._end_ids = frozenset(end if isinstance(end, list) else [end, tokenizer.eos_token_id]) - {None}
            # Nothing else of the model's own generation settings (penalties, sampling) may touch a verdict.
            settings = _transformers().GenerationConfig(
                eos_token_id=sorted(self._end_ids) or None, pad_token_id=self._pad_id
            )
            model.generation_config = settings
            self._weights = model
        return self._weights

    def _from_hub(self, auto_class: str, **options: Any) -> Any:
        return getattr(_transformers(), auto_class).from_pretrained(self.model, revision=self.revision, **options)

    def _has_weights(self) -> bool:
        from transformers.utils import cached_file

        options = {"_raise_exceptions_for_missing_entries": False, "_raise_exceptions_for_connection_errors": False}
        found = (cached_file(self.model, name, revision=self.revision, **options) for name in _WEIGHTS)
        return any(path is not None for path in found)

    def _key_of(self, request: Request) -> bytes:
        return answer_key(
            {
                "kind": self.kind,
                "model": self.model,
                "revision": self.identity,
                "dtype": self.dtype,
                "messages": request.messages,
                "prompt": request.prompt,
                "labels": request.labels,
                "max_tokens": _max_tokens(request),
                "version": request.version,
            }
        )


def _max_tokens(request: Request) -> int:
    return int(request.params.get("max_tokens", 16))


def _folder_identity(folder: Path) -> str:
    digest = hashlib.sha256()
    config = folder / "config.json"
    if config.is_file():
        digest.update(config.read_bytes())
    for path in sorted(folder.iterdir()):
        if path.suffix in (".safetensors", ".bin"):
            stat = path.stat()
            digest.update(f"{path.name}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    return digest.hexdigest()[:12]


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtra("a local judge needs torch and transformers: pip install 'pak3h-tasks[hf]'") from None
    return torch


def _transformers() -> Any:
    try:
        import transformers
    except ImportError:
        raise MissingExtra("a local judge needs torch and transformers: pip install 'pak3h-tasks[hf]'") from None
    return transformers
