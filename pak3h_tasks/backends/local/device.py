"""Which device and number format a local classifier runs in, and whether a graphics card can hold it."""

from __future__ import annotations

import os
from typing import Any, Literal, get_args

from pak3h_tasks.backends.local.tokenizer import missing_package
from pak3h_tasks.errors import BackendError, SettingsError

DType = Literal["auto", "float32", "bfloat16", "float16"]
DTYPES: tuple[str, ...] = get_args(DType)

# Beaver-Dam-7B in 16 bits is 13.2 GB of weights; the rest is for one batch's activations.
BEAVER_DAM_GPU_BYTES = 15_000_000_000


def import_torch() -> Any:
    """Torch itself.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import torch
    except ImportError:
        raise missing_package("torch") from None
    return torch


def is_out_of_memory(error: BaseException) -> bool:
    """Whether torch (CUDA, MPS or CPU) had too little memory; gives cached memory back where it had."""
    if isinstance(error, MemoryError):
        return True
    torch = import_torch()
    if isinstance(error, torch.OutOfMemoryError):
        torch.cuda.empty_cache()
        return True
    text = str(error).lower()
    signs = ("out of memory", "not enough memory", "can't allocate memory")
    return isinstance(error, RuntimeError) and any(sign in text for sign in signs)


def gpu_that_holds(n_bytes: int = BEAVER_DAM_GPU_BYTES, device: str | None = None) -> str | None:
    """The CUDA device with the most free memory, if that is at least `n_bytes`; None also where there is no torch.

    Args:
        n_bytes: What it must hold.
        device: Look only at this device; None or ``auto``: at all, or, in one of several processes on this machine, at
            that of its local rank.
    """
    try:
        torch = import_torch()
    except Exception:  # noqa: BLE001 - a broken torch install is "no GPU" here, and an error only when one was asked for
        return None
    if not torch.cuda.is_available():
        return None
    free = {f"cuda:{index}": torch.cuda.mem_get_info(index)[0] for index in range(torch.cuda.device_count())}
    rank = os.environ.get("LOCAL_RANK", "")
    if device in (None, "auto") and os.environ.get("WORLD_SIZE", "1") != "1" and f"cuda:{rank}" in free:
        device = f"cuda:{rank}"  # each process its own: those that look at the same time would all take the emptiest
    if device not in (None, "auto"):
        wanted = "cuda:0" if device == "cuda" else device
        free = {name: size for name, size in free.items() if name == wanted}
    if not free:
        return None
    best = max(free, key=lambda device: free[device])
    return best if free[best] >= n_bytes else None


def resolve_device(device: str | None) -> str:
    """A device torch can use; None or ``auto``: the CUDA device with most room, else cpu.

    Raises:
        SettingsError: Not a torch device.
        BackendError: A CUDA device that is not there.
        MissingExtra: No torch.
    """
    torch = import_torch()
    if device in (None, "auto"):
        return gpu_that_holds(0) or "cpu"
    try:
        parsed = torch.device(device)
    except RuntimeError:
        raise SettingsError(
            f"PAK3H_CLASSIFIER_DEVICE: {device!r} is not a torch device; use cpu, cuda, cuda:1, mps or auto"
        ) from None
    if parsed.type == "cuda" and (parsed.index or 0) >= torch.cuda.device_count():
        raise BackendError(
            f"PAK3H_CLASSIFIER_DEVICE: {device!r} is not there (torch sees {torch.cuda.device_count()} CUDA device(s))"
        )
    return str(parsed)


def resolve_dtype(dtype: str, device: str) -> str:
    """The number format; ``auto``: float32 on a CPU, bfloat16 on a GPU that has it, else float16.

    Raises:
        SettingsError: Not one of `DTYPES`.
    """
    if dtype not in DTYPES:
        raise SettingsError(f"classifier dtype: {dtype!r} is unknown; use {', '.join(DTYPES)}")
    if dtype != "auto":
        return dtype
    if device == "cpu":
        return "float32"
    torch = import_torch()
    # False: older cards only emulate it, slowly
    return "bfloat16" if device.startswith("cuda") and torch.cuda.is_bf16_supported(False) else "float16"
