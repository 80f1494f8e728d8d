"""From a classifier setting (PAK3H_CLASSIFIER) to a classifier: local, served, or none."""

from __future__ import annotations

from urllib.parse import urlsplit

from pak3h_tasks.backends.classifier import Classifier
from pak3h_tasks.backends.local.batching import BatchLimits
from pak3h_tasks.backends.local.classifier import HFClassifier
from pak3h_tasks.backends.local.classifier_checks import LabelMap
from pak3h_tasks.backends.local.device import gpu_that_holds
from pak3h_tasks.backends.local.model_source import ModelSource
from pak3h_tasks.backends.servers.address import shown_setting
from pak3h_tasks.backends.servers.classify import VLLMClassifier
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.settings import BEAVER_DAM


def open_classifier(
    setting: str,
    *,
    device: str | None = None,
    dtype: str = "auto",
    label_map: LabelMap | None = None,
    tokenizer: str | None = None,
    limits: BatchLimits | None = None,
) -> Classifier | None:
    """The classifier a setting names; nothing is loaded or asked yet.

    Args:
        setting: ``owner/name@revision``, a folder, ``vllm:URL``, ``none``, or ``auto``: Beaver-Dam-7B where a graphics
            card has room for it, else none.
        device: Torch device of a local classifier; with ``auto``, the only one to look at.
        dtype: Number format of a local classifier.
        label_map: For a classifier with other labels than Beaver-Dam.
        tokenizer: Tokenizer of a served classifier, as ``owner/name@revision`` or a folder; None: Beaver-Dam's.
        limits: Batch sizes of a local classifier.

    Returns:
        The classifier, or None where there is none.

    Raises:
        SettingsError: The setting names nothing.
    """
    if setting == "none":
        return None
    if setting.startswith("vllm:"):
        url = setting.removeprefix("vllm:")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise SettingsError(f"PAK3H_CLASSIFIER: {shown_setting(setting)!r} needs a URL, as vllm:http://host:8000")
        source = ModelSource.parse(tokenizer, "classifier tokenizer") if tokenizer else None
        return VLLMClassifier(url, tokenizer=source, label_map=label_map)
    if setting == "auto":
        # A default must not put 7 billion weights on a CPU: for that, name the model.
        device = gpu_that_holds(device=device)
        if device is None:
            return None
        setting = BEAVER_DAM
    return HFClassifier(ModelSource.parse(setting), device=device, dtype=dtype, label_map=label_map, limits=limits)
