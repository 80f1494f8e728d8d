"""How long a 7B classifier would take on this CPU: for the notice a run prints when it has no GPU and no classifier."""

from __future__ import annotations

import time
from collections.abc import Sequence

# Two operations a weight and token: 2 * 6.607e9 (Beaver-Dam-7B's parameters).
BEAVER_DAM_GFLOP_PER_TOKEN = 13.2
# LLaMA-1's tokenizer on news prose: 1.04 tokens a character for Urdu, 0.214 for English (measured).
TOKENS_PER_CHARACTER = {"ur": 1.04, "urmt": 1.04, "en": 0.214}
_TEMPLATE_TOKENS = 19
_SIZE = 512


def measured_gflops(min_s: float = 0.1) -> float:
    """Billions of float32 operations a second of this machine now, from repeated matrix products (an upper bound)."""
    import numpy as np

    left = np.random.default_rng(0).standard_normal((_SIZE, _SIZE), dtype=np.float32)
    right = left.T.copy()
    left @ right  # warm-up: the first product starts threads
    count, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < min_s:
        left @ right
        count += 1
    return 2 * _SIZE**3 * count / elapsed / 1e9


def cpu_seconds(n_tokens: float, gflops: float) -> float:
    """Seconds Beaver-Dam-7B needs for `n_tokens` at `gflops`.

    Example:
        >>> cpu_seconds(1000, 132)
        100.0
    """
    return n_tokens * BEAVER_DAM_GFLOP_PER_TOKEN / gflops


def estimated_tokens(texts: Sequence[tuple[str, str]], lang: str, max_length: int = 2048) -> int:
    """About how many tokens the prompt-response pairs have, without a tokenizer.

    Example:
        >>> estimated_tokens([("x" * 500, "y" * 500)], "en")
        233
    """
    rate = TOKENS_PER_CHARACTER.get(lang, 1.0)
    return sum(
        min(max_length, round((len(prompt) + len(response)) * rate) + _TEMPLATE_TOKENS) for prompt, response in texts
    )


def duration(seconds: float) -> str:
    """Seconds as a rough duration in words.

    Example:
        >>> duration(40), duration(600), duration(20000), duration(400000)
        ('under a minute', '10 minutes', '6 hours', '5 days')
    """
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size * (2 if unit != "minute" else 1):
            count = round(seconds / size)
            return f"{count} {unit}{'s' if count != 1 else ''}"
    return "under a minute"


def cpu_notice(n_pairs: int, n_tokens: float, gflops: float | None = None) -> str:
    """One sentence: how long Beaver-Dam-7B would take on this CPU.

    Args:
        n_pairs: Pairs to classify.
        n_tokens: Their tokens, as from `estimated_tokens`.
        gflops: Measured speed; None: measure now.
    """
    speed = measured_gflops() if gflops is None else gflops
    return (
        f"Beaver-Dam-7B would take about {duration(cpu_seconds(n_tokens, speed))} for {n_pairs:,} pairs on this CPU "
        f"({speed:.0f} GFLOP/s)"
    )
