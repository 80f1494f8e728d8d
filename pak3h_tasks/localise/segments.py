"""A text as pieces short enough for a translation model, with everything between them kept as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import regex

# A closing mark, perhaps a closing quote, then space before anything but a lower-case letter; not after an initial or
# a title such as "U." or "Mr.".
_SENTENCE_END = regex.compile(
    r"""(?:(?<=[.!?\u06D4\u061F])|(?<=[.!?\u06D4\u061F]["'”’)\]]))(?<!\b\p{Lu}\.)(?<!\b\p{Lu}\p{Ll}\.)(\s+)(?!\p{Ll})"""
)
_LINE_END = regex.compile(r"(\s*\n\s*)")
_LETTER = regex.compile(r"\p{L}")


def segments(text: str, count_tokens: Callable[[str], int], limit: int) -> list[tuple[str, bool]]:
    r"""Split at line ends, and lines over the limit at sentence ends, or else at the space nearest the middle.

    Args:
        text: Any text.
        count_tokens: Length of a text in the model's tokens.
        limit: The most tokens a piece may have.

    Returns:
        (piece, whether to translate it) in order; the pieces joined are `text`. Space, pieces without a letter, and
        single words over the limit are not for translation.

    Example:
        >>> segments("One. Two.\n\n3", lambda piece: len(piece.split()), limit=1)
        [('One.', True), (' ', False), ('Two.', True), ('\n\n', False), ('3', False)]
    """
    pieces = (piece for line in _LINE_END.split(text) for piece in _fitting(line, count_tokens, limit))
    return [piece for piece in pieces if piece[0]]


def _fitting(text: str, count_tokens: Callable[[str], int], limit: int) -> Iterator[tuple[str, bool]]:
    core = text.strip()
    if not core or not _LETTER.search(core):
        yield text, False
        return
    if count_tokens(core) <= limit:
        start = text.index(core)
        yield text[:start], False
        yield core, True
        yield text[start + len(core) :], False
        return
    parts = _SENTENCE_END.split(text)
    if len(parts) == 1:
        parts = _halves(text)
    if len(parts) == 1:
        yield text, False
    else:
        for part in parts:
            yield from _fitting(part, count_tokens, limit)


def _halves(text: str) -> list[str]:
    spaces = [match.start() for match in regex.finditer(r"(?<=\S)\s+(?=\S)", text)]
    if not spaces:
        return [text]
    cut = min(spaces, key=lambda position: abs(position - len(text) // 2))
    return [text[:cut], text[cut:]]
