"""A model's tokenizer as the classifiers need it: right padding, right truncation, missing packages named."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from pak3h_tasks.backends.local.model_source import ModelSource
from pak3h_tasks.errors import BackendError, MissingExtra, described
from pak3h_tasks.extras import missing_extra


def missing_package(package: str) -> MissingExtra:
    """The error for a package that the local classifier needs."""
    return missing_extra("the safety classifier", package)


def load_tokenizer(source: ModelSource) -> Any:
    """Load a tokenizer; no weights and no torch.

    Raises:
        MissingExtra: transformers, or sentencepiece or protobuf for a tokenizer.model, is not installed.
        BackendError: It cannot be loaded.
    """
    try:
        from transformers import AutoTokenizer
    except ImportError:
        raise missing_package("transformers") from None
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            source.name, revision=source.revision, padding_side="right", truncation_side="right"
        )
    except Exception as error:
        # Without sentencepiece, transformers blames the tokenizer file.
        for package, module in (("sentencepiece", "sentencepiece"), ("protobuf", "google.protobuf")):
            if not _installed(module):
                raise missing_package(package) from error
        raise BackendError(
            f"classifier {source.identity}: its tokenizer cannot be loaded ({described(error)})"
        ) from error
    # Class defaults differ by model (Llama: left) and a saved tokenizer_config may carry either.
    tokenizer.padding_side = tokenizer.truncation_side = "right"
    return tokenizer


def adopt_padding(tokenizer: Any, pad_token_id: int | None) -> None:
    """Use the model's padding token where the tokenizer names none (the published code adds one, too)."""
    if tokenizer.pad_token is None and pad_token_id is not None:
        token = tokenizer.convert_ids_to_tokens(pad_token_id)
        if token is not None:
            # Setting the attribute alone would leave it an ordinary added token, which a text could contain.
            tokenizer.add_special_tokens({"pad_token": token})


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False
