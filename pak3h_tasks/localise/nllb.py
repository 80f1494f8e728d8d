"""NLLB-200 through transformers: batches of short texts from one language into another (Costa-jussà et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pak3h_tasks.backends.local.device import is_out_of_memory
from pak3h_tasks.backends.local.model_source import folder_digest
from pak3h_tasks.errors import BackendError, SettingsError
from pak3h_tasks.extras import missing_extra
from pak3h_tasks.localise.translate import Translation

DEFAULT_MODEL = "facebook/nllb-200-1.3B"


@dataclass(frozen=True)
class NllbSettings:
    """Everything that changes a translation.

    Attributes:
        model: Hub id or folder of an NLLB or other sequence-to-sequence model with NLLB's language tokens.
        revision: Commit or tag on the hub; None: the newest (the commit found is recorded).
        source: Language token of the originals.
        target: Language token to translate into.
        beams: Beam search width; 1: greedy.
        max_source_tokens: Longer texts are split before they get here.
        max_new_tokens: Where an endless translation is cut.
    """

    model: str = DEFAULT_MODEL
    revision: str | None = None
    source: str = "eng_Latn"
    target: str = "urd_Arab"
    beams: int = 4
    max_source_tokens: int = 128
    max_new_tokens: int = 256

    def to_json(self) -> dict[str, Any]:
        """Plain dict of JSON values."""
        return asdict(self)


class NllbTranslator:
    """A loaded model.

    Attributes:
        settings: What it was loaded with.
        commit: The hub commit it was loaded from; None for a folder.
        weights: What tells its weights from others: the commit, or a digest of the folder.
    """

    def __init__(self, settings: NllbSettings, *, device: str = "auto", dtype: str = "auto") -> None:
        """Load model and tokenizer.

        Args:
            settings: Which model, languages and search.
            device: A torch device, or auto: cuda when there is one.
            dtype: A torch dtype by name, or auto: float16 on cuda, else float32.

        Raises:
            MissingExtra: No torch or transformers.
            BackendError: The model cannot be loaded, or does not know one of the languages.
            SettingsError: No such device or dtype.
        """
        try:
            import torch
            from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
        except ImportError:
            raise missing_extra("translation", "torch and transformers") from None
        self.settings = settings
        if settings.model.startswith(("/", ".", "~")) and not Path(settings.model).is_dir():
            raise BackendError(f"{settings.model}: no such folder; check --model")
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        if dtype == "auto":
            dtype = "float16" if device.startswith("cuda") else "float32"
        if not isinstance(getattr(torch, dtype, None), torch.dtype):
            raise SettingsError(f"--dtype {dtype}: no such torch dtype; use float32, float16 or bfloat16")
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(
                settings.model, revision=settings.revision or "main", src_lang=settings.source
            )
            model = AutoModelForSeq2SeqLM.from_pretrained(
                settings.model, revision=settings.revision or "main", dtype=getattr(torch, dtype)
            )
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise BackendError(
                f"{settings.model}: cannot be loaded ({reason}); check --model and --revision, and whether it is "
                "downloaded when there is no network"
            ) from None
        self._target_id = self._language_id(settings.target)
        self._language_id(settings.source)
        self.commit: str | None = getattr(model.config, "_commit_hash", None)
        self.weights = self.commit or (folder_digest(Path(settings.model)) if Path(settings.model).is_dir() else None)
        try:
            self._model = model.to(device).eval()
        except (RuntimeError, AssertionError) as error:
            raise SettingsError(f"--device {device}: {str(error).splitlines()[0]}") from None
        # The hub's 200 would compete with max_new_tokens.
        self._model.generation_config.max_length = None

    def count_tokens(self, text: str) -> int:
        """Length of a text in the model's tokens, language and end marks included."""
        return len(self._tokenizer(text, split_special_tokens=True).input_ids)

    def translate(self, texts: Sequence[str]) -> list[Translation]:
        """Translate a batch; it is halved where memory runs out.

        Raises:
            BackendError: Memory runs out for a single text.
        """
        try:
            return self._generate(texts)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if len(texts) == 1:
                raise BackendError(
                    "out of memory for a single text; use --device cpu, fewer --beams or a smaller --model"
                ) from None
        # Outside the handler: the exception held on to the tensors that did not fit.
        half = len(texts) // 2
        return self.translate(texts[:half]) + self.translate(texts[half:])

    def _generate(self, texts: Sequence[str]) -> list[Translation]:
        import torch

        # A literal "</s>" or "urd_Arab" inside a text is text, not a token.
        batch = self._tokenizer(list(texts), return_tensors="pt", padding=True, split_special_tokens=True)
        with torch.inference_mode():
            rows = self._model.generate(
                **batch.to(self._model.device),
                forced_bos_token_id=self._target_id,
                num_beams=self.settings.beams,
                max_new_tokens=self.settings.max_new_tokens,
                do_sample=False,
            )
        end = self._tokenizer.eos_token_id
        return [
            # The first token starts the decoder, and is the end mark too.
            Translation(self._tokenizer.decode(row, skip_special_tokens=True).strip(), cut=end not in row[1:].tolist())
            for row in rows
        ]

    def _language_id(self, language: str) -> int:
        token: int = self._tokenizer.convert_tokens_to_ids(language)
        # A tokenizer loaded from sentencepiece alone has no language tokens, and unknown ones translate into anything.
        if token is None or token == self._tokenizer.unk_token_id:
            raise BackendError(
                f"{self.settings.model}: its tokenizer has no language token {language!r}; use a model with NLLB's "
                "language tokens, complete with tokenizer.json"
            )
        return token
