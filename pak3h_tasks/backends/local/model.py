"""A transformers causal model and its tokenizer: what it is, what it reads, and its weights once they are needed."""

from __future__ import annotations

import gc
import re
from pathlib import Path
from typing import Any, Literal

from pak3h_tasks.backends.local.model_source import folder_digest, folder_fault
from pak3h_tasks.backends.protocol import Request
from pak3h_tasks.errors import BackendError
from pak3h_tasks.extras import missing_extra
from pak3h_tasks.text.escape import one_line

DType = Literal["auto", "float32", "bfloat16", "float16"]

_WEIGHTS = ("model.safetensors.index.json", "pytorch_model.bin.index.json", "model.safetensors", "pytorch_model.bin")


class CausalModel:
    """A model by hub id or folder.

    Args:
        name: Hub id or folder.
        revision: Commit, tag or branch of a hub model.
        device: Torch device; None: cuda where there is one, else cpu.
        dtype: Number format; ``auto``: float32 on a CPU, 16 bits elsewhere.
    """

    def __init__(self, name: str, revision: str | None, device: str | None, dtype: DType) -> None:
        self.name, self.revision = name, revision
        self.weights: Any = None
        self.end_ids: frozenset[int] = frozenset()
        self._device, self._dtype = device, dtype
        self._tokenizer: Any = None
        self._special = re.compile("(?!)")
        self._identity: str | None = None

    @property
    def device(self) -> str:
        """The torch device it runs on."""
        return self._device or ("cuda" if _torch().cuda.is_available() else "cpu")

    @property
    def dtype(self) -> str:
        """Its number format."""
        if self._dtype != "auto":
            return self._dtype
        if self.device.startswith("cpu"):
            return "float32"
        return "bfloat16" if self.device.startswith("cuda") and _torch().cuda.is_bf16_supported() else "float16"

    @property
    def identity(self) -> str:
        """The commit of a hub model; for a folder a hash of its config and its weight files' size and time.

        Raises:
            BackendError: There is no such model.
        """
        if self._identity is None:
            folder = Path(self.name)
            if folder.is_dir():
                self._identity = folder_digest(folder)
            else:
                try:
                    config = self._from_hub("AutoConfig")
                except (OSError, ValueError) as error:
                    raise BackendError(f"judge hf:{self.name} cannot be used: {one_line(str(error), 300)}") from None
                self._identity = str(getattr(config, "_commit_hash", None) or self.revision or "unknown")
        return self._identity

    def check(self, example: Request) -> None:
        """Check config, tokenizer, chat template and that weights are there, without loading them.

        Raises:
            BackendError: Something is missing.
            MissingExtra: torch or transformers is.
        """
        try:
            self.label_ids(example, self.prompt_ids(example))
            _ = self.identity, self.dtype
            if not self._has_weights():
                raise ValueError(f"no weights ({', '.join(_WEIGHTS)}) found")
        except (OSError, ValueError, KeyError, ImportError) as error:
            raise BackendError(f"judge hf:{self.name} cannot be used: {one_line(str(error), 300)}") from None

    def load(self) -> None:
        """Load the weights, if they are not loaded."""
        if self.weights is not None:
            return
        tokenizer = self.tokenizer
        model = self._from_hub("AutoModelForCausalLM", dtype=getattr(_torch(), self.dtype)).to(self.device).eval()
        end = model.generation_config.eos_token_id
        self.end_ids = frozenset(end if isinstance(end, list) else [end, tokenizer.eos_token_id]) - {None}
        # Nothing else of the model's own generation settings (penalties, sampling) may touch a verdict.
        model.generation_config = _transformers().GenerationConfig(
            eos_token_id=sorted(self.end_ids) or None, pad_token_id=self.pad_id
        )
        self.weights = model

    def release(self) -> None:
        """Drop the weights."""
        if self.weights is not None:
            self.weights = None
            gc.collect()
            _torch().cuda.empty_cache()

    @property
    def tokenizer(self) -> Any:
        """Its tokenizer, loaded once."""
        if self._tokenizer is None:
            self._tokenizer = tokenizer = self._from_hub("AutoTokenizer")
            special = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
            names = {name for name in special | set(tokenizer.all_special_tokens) if len(name) > 1}
            if names:
                self._special = re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))
        return self._tokenizer

    @property
    def pad_id(self) -> int:
        """An id to pad with; what it is does not matter, since padding is masked."""
        pad, end = self.tokenizer.pad_token_id, self.tokenizer.eos_token_id
        return int(pad if pad is not None else end or 0)

    def prompt_ids(self, request: Request) -> tuple[int, ...]:
        """What the model reads: the prompt as it is, or the messages in its chat template.

        Raises:
            ValueError: It has no chat template, or one that refuses the messages.
        """
        if request.prompt is not None:
            return self._ids(request.prompt)
        if not getattr(self.tokenizer, "chat_template", None):
            raise ValueError("its tokenizer has no chat template; give a chat model, or two GPT-judge-style models")
        messages = [{"role": role, "content": self._plain(content)} for role, content in request.messages]
        return tuple(self.tokenizer(self._render(messages), add_special_tokens=False)["input_ids"])

    def label_ids(self, request: Request, prompt_ids: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Tokens of each label as it continues the prompt.

        Raises:
            ValueError: The tokenizer merges a label with the end of the prompt.
        """
        labels = []
        for label in request.labels if request.prompt is not None else ():
            ids = self._ids(f"{request.prompt}{label}")
            if len(ids) <= len(prompt_ids) or ids[: len(prompt_ids)] != prompt_ids:
                raise ValueError(f"its tokenizer does not keep the label {label!r} apart from the prompt")
            labels.append(ids[len(prompt_ids) :])
        return labels

    @property
    def context(self) -> int | None:
        """Tokens it can read, where its config says so."""
        positions = getattr(self.weights.config, "max_position_embeddings", None)
        return positions if isinstance(positions, int) and positions > 0 else None

    def _ids(self, text: str) -> tuple[int, ...]:
        ids = self.tokenizer(self._plain(text))["input_ids"]
        return tuple(ids[:-1] if ids and ids[-1] == self.tokenizer.eos_token_id else ids)

    def _plain(self, text: str) -> str:
        """Text without any special token of this tokenizer: what a model wrote must stay text."""
        _ = self.tokenizer
        return self._special.sub(lambda token: f"{token.group()[0]} {token.group()[1:]}", text)

    def _render(self, messages: list[dict[str, str]]) -> str:
        from jinja2.exceptions import TemplateError

        # A judge that thinks aloud would not come to its word in a few tokens.
        options = {"tokenize": False, "add_generation_prompt": True, "enable_thinking": False}
        try:
            return str(self.tokenizer.apply_chat_template(messages, **options))
        except TemplateError:
            # Some templates (Gemma, early Mistral) know no system role.
            if len(messages) < 2 or messages[0]["role"] != "system":
                raise ValueError("its chat template refuses the messages") from None
        joined = {**messages[1], "content": f"{messages[0]['content']}\n\n{messages[1]['content']}"}
        return str(self.tokenizer.apply_chat_template([joined, *messages[2:]], **options))

    def _from_hub(self, auto_class: str, **options: Any) -> Any:
        if fault := folder_fault(self.name):
            raise BackendError(f"judge hf:{self.name} cannot be used: {fault}")
        return getattr(_transformers(), auto_class).from_pretrained(self.name, revision=self.revision, **options)

    def _has_weights(self) -> bool:
        from transformers.utils import cached_file

        options = {"_raise_exceptions_for_missing_entries": False, "_raise_exceptions_for_connection_errors": False}
        found = (cached_file(self.name, file, revision=self.revision, **options) for file in _WEIGHTS)
        return any(path is not None for path in found)


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise missing_extra("a local judge", "torch and transformers") from None
    return torch


def _transformers() -> Any:
    try:
        import transformers
    except ImportError:
        raise missing_extra("a local judge", "torch and transformers") from None
    return transformers
