"""Keys and passwords have no place in a file that is shared: finds them, and names the environment variable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_NAMES = re.compile(
    r"(?:\w+_)?(?:api_?key|auth_?token|access_?token|password|passwd|secret)|token|hf_token|key|authorization|bearer",
    re.IGNORECASE,
)
_VALUES = re.compile(r"\b(?:sk-[\w-]{16,}|hf_[A-Za-z0-9]{20,}|gsk_\w{20,}|AKIA[0-9A-Z]{16})\b|://[^/\s:@]+:[^/\s@]+@")
_IN_TEXT = re.compile(r"(?:^|[,{\s])[\"']?([\w-]+)[\"']?\s*[=:]")


def secret_faults(data: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every place that holds a secret, and what to do instead; the secret itself is not in the message.

    Args:
        data: What a board's file holds.

    Example:
        >>> list(secret_faults({"judge": {"api_key": "x"}}))[0][1]
        'a key never goes into this file; set the environment variable PAK3H_JUDGE_API_KEY'
    """
    for loc, value in _values(data, ()):
        name = next((str(part) for part in reversed(loc) if isinstance(part, str)), "")
        text = value if isinstance(value, str) else ""
        in_arguments = name in ("model_args", "gen_kwargs", "metadata")
        named = (_is_secret(name) and text) or (in_arguments and any(map(_is_secret, _IN_TEXT.findall(text))))
        if named or _VALUES.search(text):
            yield loc, f"a key never goes into this file; set the environment variable {_variable(loc, name)}"


def _is_secret(name: str) -> bool:
    return _NAMES.fullmatch(name.replace("-", "_")) is not None


def _values(data: Any, loc: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(data, dict):
        for name, value in data.items():
            yield from _values(value, (*loc, str(name)))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from _values(value, (*loc, number))
    else:
        yield loc, data


def _variable(loc: tuple[str | int, ...], name: str) -> str:
    if loc[0] in ("judge", "classifier"):
        return "PAK3H_JUDGE_API_KEY"
    if "token" in name.lower():
        return "HF_TOKEN"
    return "OPENAI_API_KEY (or another one, named by api_key_env)"
