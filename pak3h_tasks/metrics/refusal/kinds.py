"""The kinds of refusals, one table for every language: whoever adds a kind adds it to `english` and `urdu` alike."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

Kind = Literal["inability", "unwillingness", "permission", "scope", "no opinion", "silence", "impersonal", "no comment"]
"""inability: "I cannot"; unwillingness: "I'd rather not"; permission: "I'm not allowed", "my rules forbid it";
scope: "beyond my remit"; silence: "I stay neutral", "let's talk about something else"; impersonal: "it is not possible
to answer", "this cannot be shared"."""

KINDS: tuple[Kind, ...] = get_args(Kind)


def compiled(patterns: Mapping[Kind, tuple[str, ...]]) -> dict[Kind, re.Pattern[str]]:
    """One pattern for each kind, from alternatives.

    Raises:
        KeyError: a kind has no pattern in this language.
    """
    return {kind: re.compile("|".join(f"(?:{pattern})" for pattern in patterns[kind])) for kind in KINDS}
