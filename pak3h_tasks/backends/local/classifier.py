"""A transformers sequence classifier in this process (Beaver-Dam-7B by default): checked on load, sorted batches."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from pak3h_tasks.backends.classifier import Closing, Labels, RowResult
from pak3h_tasks.backends.local.batching import BatchLimits, run_in_batches
from pak3h_tasks.backends.local.classifier_checks import LabelMap, check_config, check_tokenizer, label_map_tag
from pak3h_tasks.backends.local.device import import_torch, is_out_of_memory, resolve_device, resolve_dtype
from pak3h_tasks.backends.local.model_source import ModelSource, folder_fault
from pak3h_tasks.backends.local.tokenizer import adopt_padding, load_tokenizer, missing_package
from pak3h_tasks.errors import BackendError, described


class HFClassifier(Closing):
    """`AutoModelForSequenceClassification` without remote code; nothing is loaded before `check` or `load`.

    Args:
        source: Hub model with its revision, or a folder (safetensors or ``.bin`` shards).
        device: Torch device; None: cuda where there is one, else cpu. It need not be the evaluated model's.
        dtype: ``auto``, ``float32``, ``bfloat16`` or ``float16``.
        label_map: For a classifier with other labels than Beaver-Dam: its label -> reported name or None.
        limits: Batch sizes.
    """

    def __init__(
        self,
        source: ModelSource,
        *,
        device: str | None = None,
        dtype: str = "auto",
        label_map: LabelMap | None = None,
        limits: BatchLimits | None = None,
    ) -> None:
        self._source, self._label_map = source, label_map
        self._limits = limits or BatchLimits()
        self._device_wanted, self._dtype_wanted = device, dtype
        self._device: str | None = None
        self._identity: str | None = None
        self._config: Any = None
        self._tokenizer: Any = None
        self._model: Any = None
        self._labels: Labels = ()

    @property
    def device(self) -> str:
        """The torch device it runs on."""
        if self._device is None:
            self._device = resolve_device(self._device_wanted)
        return self._device

    @property
    def dtype(self) -> str:
        """The number format it runs in."""
        wanted = self._dtype_wanted
        return wanted if wanted in ("float32", "bfloat16", "float16") else resolve_dtype(wanted, self.device)

    @property
    def identity(self) -> str:
        """Model, revision and number format; needs torch only for an automatic format."""
        if self._identity is None:
            self._identity = f"{self._source.identity},{self.dtype}{label_map_tag(self._label_map)}"
        return self._identity

    @property
    def labels(self) -> Labels:
        """Reported label names in index order."""
        self.check()
        return self._labels

    @property
    def max_positions(self) -> int | None:
        """The model's position limit in tokens."""
        self.check()
        limit = getattr(self._config.get_text_config(), "max_position_embeddings", None)
        return int(limit) if limit else None

    @property
    def tokenizer(self) -> Any:
        """The model's tokenizer."""
        self.check()
        return self._tokenizer

    def check(self) -> None:
        """Config, labels, tokenizer and device; no weights.

        Raises:
            BackendError: It cannot be read, or fails a check of `classifier_checks`.
            MissingExtra: torch, transformers, sentencepiece or protobuf is missing.
        """
        if self._tokenizer is not None:
            return
        import_torch()
        try:
            from transformers import AutoConfig
        except ImportError:
            raise missing_package("transformers") from None
        where = f"classifier {self._source.identity}"
        resolve_dtype(self._dtype_wanted, self.device)
        if fault := folder_fault(self._source.name):
            raise BackendError(f"classifier {self._source.name}: cannot be read: {fault}")
        try:
            config = AutoConfig.from_pretrained(self._source.name, revision=self._source.revision)
        except Exception as error:
            raise BackendError(
                f"{where}: cannot be read ({described(error)}); check the name, the revision, the network, HF_TOKEN "
                "if it is gated"
            ) from error
        labels = check_config(config, self._label_map, where)
        tokenizer = load_tokenizer(self._source)
        adopt_padding(tokenizer, config.get_text_config().pad_token_id)
        check_tokenizer(tokenizer, where, config)
        self._config, self._labels, self._tokenizer = config, labels, tokenizer

    def load(self) -> None:
        """Load the weights on the device.

        Raises:
            BackendError: They cannot be loaded, or the checkpoint has no trained classification head.
            MissingExtra: See `check`.
        """
        if self._model is not None:
            return
        self.check()
        if find_spec("accelerate") is None:
            raise missing_package("accelerate")
        from transformers import AutoModelForSequenceClassification

        where = f"classifier {self._source.identity}"
        try:
            model, info = AutoModelForSequenceClassification.from_pretrained(
                self._source.name,
                revision=self._source.revision,
                config=self._config,
                dtype=self.dtype,
                device_map={"": self.device},
                output_loading_info=True,
            )
        except Exception as error:
            raise BackendError(
                f"{where}: its weights cannot be loaded on {self.device} ({described(error)})"
            ) from error
        absent = sorted(map(str, [*info["missing_keys"], *info["mismatched_keys"]]))
        if absent:
            # transformers only warns and fills them with random numbers
            raise BackendError(f"{where}: the checkpoint lacks trained weights for {', '.join(absent[:3])}")
        # A key-value cache would be thrown away after every forward pass.
        model.config.use_cache = False
        self._model = model.eval()

    def classify(self, rows: Iterable[Sequence[int]]) -> Iterator[list[RowResult]]:
        """See `Classifier.classify`."""
        self.load()
        return run_in_batches(rows, self._probabilities, is_out_of_memory, self._limits)

    def close(self) -> None:
        """Drop the weights and give cached device memory back."""
        if self._model is None:
            return
        self._model = None
        gc.collect()
        torch = import_torch()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _probabilities(self, rows: list[Sequence[int]]) -> list[list[float]]:
        torch = import_torch()
        width = max(len(row) for row in rows)
        ids = torch.full((len(rows), width), self._tokenizer.pad_token_id, dtype=torch.long)
        mask = torch.zeros_like(ids)
        # Right padding: positions equal those of the unpadded row; left padding costs 16 times the error in bfloat16.
        for index, row in enumerate(rows):
            ids[index, : len(row)] = torch.tensor(row, dtype=torch.long)
            mask[index, : len(row)] = 1
        with torch.inference_mode():
            output = self._model(input_ids=ids.to(self.device), attention_mask=mask.to(self.device))
            # A bfloat16 sigmoid is off by up to 0.002 and flips verdicts at the threshold.
            logits = output.logits.float()
            probabilities = torch.where(torch.isfinite(logits), torch.sigmoid(logits), torch.nan)
        values: list[list[float]] = probabilities.cpu().tolist()
        return values
