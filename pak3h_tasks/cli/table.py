"""Plain text tables for a terminal: words to the left, numbers to the right."""

from __future__ import annotations

from collections.abc import Sequence

from pak3h_tasks.text.terminal import printable


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows under a header, columns two spaces apart; None is shown as ``-``.

    Example:
        >>> print(table(["file", "items"], [["truthfulqa/ur", 1234], ["alpaca/ur", None]]))
        file           items
        truthfulqa/ur  1,234
        alpaca/ur          -
    """
    lines = [list(header), *([_shown(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    numbers = [any(isinstance(row[column], (int, float)) for row in rows) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, numbers, strict=True)
        ).rstrip()
        for line in lines
    )


def _shown(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:,}" if isinstance(cell, int) else printable(str(cell))
