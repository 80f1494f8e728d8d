"""A file that grows line by line while a long run goes on, and that the next run continues: one writer at a time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from filelock import FileLock, Timeout

from pak3h_tasks.errors import DataError


class AppendFile:
    """Lines at the end of a file; a batch is with the operating system when `write` returns.

    A kill loses the current batch at most, and may leave half a line: `whole_lines` leaves it out, and the first
    `write` takes it away. Until then the file stays as it is.

    Args:
        path: The file, made when needed.

    Raises:
        DataError: It cannot be written, or another process is writing it.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._begun = path, False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b")
        except OSError as error:
            raise self._unwritable(error) from None
        self._lock = FileLock(path.with_name(f".{path.name}.lock"), blocking=False)
        try:
            self._lock.acquire()
        except Timeout:
            self._file.close()
            raise DataError(f"{path}: another run is writing there; wait for it, or choose another place") from None

    def whole_lines(self) -> bytes:
        """What is there, up to the last line end."""
        self._file.seek(0)
        data = self._file.read()
        return data[: data.rfind(b"\n") + 1]

    def clear(self) -> None:
        """Throw away what is there."""
        self._file.truncate(0)

    def write(self, lines: Iterable[bytes]) -> None:
        """Append lines, given without their ends, in one write.

        Raises:
            DataError: The disk is full, for one.
        """
        try:
            if not self._begun:
                self._file.truncate(len(self.whole_lines()))
                self._begun = True
            self._file.write(b"".join(line + b"\n" for line in lines))
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from None

    def close(self) -> None:
        """Let other runs write."""
        self._file.close()
        self._lock.release()

    def _unwritable(self, error: OSError) -> DataError:
        return DataError(f"{self._path}: cannot be written ({error.strerror}); choose another place")
