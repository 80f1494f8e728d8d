"""Pseudonyms: two spellings of one name are one person."""

from __future__ import annotations

import unicodedata


def same_person(one: str, other: str) -> bool:
    """Whether two pseudonyms are one, whatever their case, width and spaces.

    Example:
        >>> same_person("Editor 1 ", "editor1"), same_person("", "")
        (True, False)
    """
    return bool(plain_name(one)) and plain_name(one) == plain_name(other)


def plain_name(name: str) -> str:
    """What all spellings of a pseudonym share."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())
