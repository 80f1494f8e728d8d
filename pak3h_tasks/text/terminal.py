"""Untrusted text made safe to show on a terminal: no control characters and no bidi overrides get through."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""The text with every character that is not plainly visible written as an escape; newlines and tabs stay.

    Example:
        >>> print(printable("a\x1b[31m\u202eb"))
        a\x1b[31m\u202eb
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else repr(char)[1:-1] for char in text)


def quoted(value: object, limit: int = 60) -> str:
    r"""A value as Python would quote it, on one line, cut to about `limit` characters.

    Example:
        >>> print(quoted("نہیں\n"), quoted("x" * 100, limit=8))
        'نہیں\n' 'xxxxxxxx'...
    """
    if isinstance(value, str):
        return repr(value) if len(value) <= limit else f"{value[:limit]!r}..."
    # repr escapes what is not printable in nested texts too.
    shown = repr(value)
    return shown if len(shown) <= limit else f"{shown[:limit]}..."
