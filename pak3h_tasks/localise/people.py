"""Pseudonyms: two spellings of one name are one person."""

from __future__ import annotations

import unicodedata


def same_person(one: str, other: str) -> bool:
    """Whether two pseudonyms are one, whatever their case, width and spaces.

    Example:
        >>> same_person("Editor 1 ", "editor1"), same_person("", "")
        (True, False)
    """
    return bool(_plain(one)) and _plain(one) == _plain(other)


def _plain(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())
