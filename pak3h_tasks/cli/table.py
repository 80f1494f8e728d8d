"""Plain text tables for a terminal: words to the left, numbers to the right."""

from __future__ import annotations

from collections.abc import Sequence

from pak3h_tasks.text.aligned import aligned
from pak3h_tasks.text.escape import printable


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows under a header, columns two spaces apart; None is shown as ``-``.

    Example:
        >>> print(table(["file", "items"], [["truthfulqa/ur", 1234], ["alpaca/ur", None]]))
        file           items
        truthfulqa/ur  1,234
        alpaca/ur          -
    """
    lines = [list(header), *([_shown(cell) for cell in row] for row in rows)]
    words = [not any(isinstance(row[column], (int, float)) for row in rows) for column in range(len(header))]
    return "\n".join(aligned(lines, words))


def _shown(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:,}" if isinstance(cell, int) else printable(str(cell))
