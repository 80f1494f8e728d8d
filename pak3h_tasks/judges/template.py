"""Prompt files: sections of chat messages with placeholders, filled in one pass.

    [system]
    ...
    [user]
    ... {{question}} ...

A file is split once, when it is read. What is filled in is data: it is never searched for placeholders or sections.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import resources

from pak3h_tasks.text.clean import without_surrogates

_SECTION = re.compile(r"^\[(system|user|assistant)\]\n", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True)
class Template:
    """A prompt file.

    Attributes:
        name: File name without ending.
        version: First hex digits of the sha256 of the file: any change of wording is another version.
        parts: (role, pieces) a message; pieces are texts and, at odd places, placeholder names.
    """

    name: str
    version: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def named(cls, name: str) -> Template:
        """Read ``prompts/{name}.txt``."""
        text = resources.files("pak3h_tasks.judges").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
        return cls.parse(name, text)

    @classmethod
    def parse(cls, name: str, text: str) -> Template:
        """A template from the text of a prompt file."""
        _, *sections = _SECTION.split(text)
        parts = tuple(
            (role, tuple(_PLACEHOLDER.split(body.strip()))) for role, body in zip(sections[::2], sections[1::2], strict=True)
        )
        return cls(name, f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}", parts)

    def messages(self, **values: str) -> tuple[tuple[str, str], ...]:
        """The chat messages, as (role, content).

        Lone surrogates and NUL, which servers and JSON readers refuse, become U+FFFD; all else stays as it is.

        Raises:
            KeyError: A placeholder has no value.
        """
        clean = {name: without_surrogates(value).replace("\0", "\N{REPLACEMENT CHARACTER}") for name, value in values.items()}
        return tuple(
            (role, "".join(clean[piece] if number % 2 else piece for number, piece in enumerate(pieces)))
            for role, pieces in self.parts
        )
