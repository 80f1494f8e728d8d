"""Columns of text, two spaces apart: every plain table of this package."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], left: Sequence[bool]) -> list[str]:
    """One line a row.

    Args:
        rows: All of the same length, the header among them; already safe to print.
        left: Whether a column is set to the left, as words are; numbers are set to the right.

    Example:
        >>> aligned([["lang", "n"], ["ur", "817"]], [True, False])
        ['lang    n', 'ur    817']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if is_left else cell.rjust(width)
            for cell, width, is_left in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in rows
    ]
