"""All faults of one file in one error: equal faults share a line, and long lists are cut with a count."""

from __future__ import annotations

from typing import Literal, NoReturn

from pak3h_tasks.errors import DataError
from pak3h_tasks.text.escape import printable

MAX_LISTED = 50
_MAX_POSITIONS = 3


class Faults:
    """Collects what is wrong with one file or hub configuration.

    Attributes:
        name: How the messages call the file, such as ``truthfulqa/ur.jsonl``.
        unit: What a position counts: lines of a text file (from 1) or rows of a table (from 1).
    """

    def __init__(self, name: str, unit: Literal["line", "row"] = "line") -> None:
        self.name = name
        self.unit = unit
        self._positions: dict[str, list[int]] = {}

    def __bool__(self) -> bool:
        return bool(self._positions)

    def add(self, message: str, position: int | None = None) -> None:
        """Note a fault: what is wrong and what to do; without a position it is about the whole file."""
        positions = self._positions.setdefault(message, [])
        if position is not None:
            positions.append(position)

    def lines(self) -> list[str]:
        r"""One line a fault, in file order; equal faults are one line that names the first positions.

        Example:
            >>> faults = Faults("truthfulqa/ur.jsonl")
            >>> for line in range(2, 9):
            ...     faults.add("'best_answer' is missing", line)
            >>> faults.add("'id' is empty; give a text", 1)
            >>> print(*faults.lines(), sep="\n")
            truthfulqa/ur.jsonl line 1: 'id' is empty; give a text
            truthfulqa/ur.jsonl lines 2, 3, 4 and 4 more: 'best_answer' is missing
        """
        ordered = sorted(self._positions.items(), key=lambda fault: fault[1][:1])
        listed = [printable(f"{self._where(positions)}: {message}") for message, positions in ordered[:MAX_LISTED]]
        if len(ordered) > MAX_LISTED:
            listed.append(
                f"{printable(self.name)}: {len(ordered) - MAX_LISTED} more faults not listed; mend these first"
            )
        return listed

    def error(self) -> DataError:
        """The faults as one exception, newline-joined."""
        return DataError("\n".join(self.lines()))

    def raise_now(self, message: str, position: int | None = None) -> NoReturn:
        """Add a fault after which reading on makes no sense, and raise."""
        self.add(message, position)
        raise self.error() from None

    def _where(self, positions: list[int]) -> str:
        if not positions:
            return self.name
        if len(positions) == 1:
            return f"{self.name} {self.unit} {positions[0]}"
        first = ", ".join(map(str, positions[:_MAX_POSITIONS]))
        rest = len(positions) - _MAX_POSITIONS
        return f"{self.name} {self.unit}s {first}" + (f" and {rest} more" if rest > 0 else "")
