"""Bytes of a data file to lines of text: gzip and xz, byte-order marks, and clear words for a wrong encoding."""

from __future__ import annotations

import gzip
import itertools
import lzma
import zlib
from pathlib import Path

from pak3h_tasks.data.faults import Faults
from pak3h_tasks.files import unusable
from pak3h_tasks.text.escape import quoted

_REMEDY = "save the file as UTF-8 (Excel: 'CSV UTF-8'; terminal: iconv -f {encoding} -t UTF-8)"
_LIKELY = {
    "WINDOWS-1252": "Latin-1 or Windows-1252",
    "WINDOWS-1256": "Windows-1256, which has no \N{ARABIC LETTER FARSI YEH}",
}
_BOMS = (
    # UTF-32 first: its little-endian mark starts with UTF-16's.
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def read_bytes(path: Path, faults: Faults) -> bytes:
    """The content of a file, decompressed when it is gzip or xz, whatever its name.

    Raises:
        DataError: The file cannot be read or its compression is damaged.
    """
    try:
        data = path.read_bytes()
        if data.startswith(b"\x1f\x8b"):
            return gzip.decompress(data)
        return lzma.decompress(data) if data.startswith(b"\xfd7zXZ\x00") else data
    except FileNotFoundError:
        where = "" if str(path) == faults.name else f" ({quoted(str(path), limit=300)})"
        faults.raise_now(f"no such file{where}; check the path")
    except (gzip.BadGzipFile, lzma.LZMAError, EOFError, zlib.error) as error:
        faults.raise_now(f"its compressed data is damaged ({error}); download or compress it again")
    except OSError as error:
        faults.raise_now(unusable(error))


def as_utf8(data: bytes, faults: Faults) -> bytes:
    """Text of another Unicode encoding as UTF-8, as Excel's 'Unicode text' and PowerShell need it; other data as it is.

    Raises:
        DataError: It is damaged.
    """
    encoding = _wide_encoding(data)
    if encoding is None:
        return data
    try:
        return data.decode(encoding).encode()
    except UnicodeDecodeError as error:
        faults.raise_now(f"is damaged {encoding} ({error.reason} at byte {error.start}); save it as UTF-8")


def decode_lines(data: bytes, faults: Faults) -> list[tuple[int, str]]:
    r"""Numbered lines (from 1) of UTF-8 data; a byte-order mark is dropped, lines end at ``\n`` only.

    Lines that are not UTF-8 are left out and noted as one fault, so that the other lines can still be checked.

    Raises:
        DataError: The whole file is UTF-16 or UTF-32.
    """
    encoding = _wide_encoding(data)
    if encoding:
        encoding = encoding[: len("UTF-16")]
        faults.raise_now(f"is {encoding}, not UTF-8 (seen at byte 0); {_REMEDY.format(encoding=encoding)}")
    try:
        # Not splitlines(): it also breaks at U+2028 and U+0085, which may stand inside a JSON text.
        return list(enumerate(data.decode("utf-8-sig").split("\n"), 1))
    except UnicodeDecodeError as error:
        bad_byte = error.object[error.start]
        # The codec hands out positions after the mark it dropped.
        offset = error.start + len(data) - len(error.object)
    data = data.removeprefix(b"\xef\xbb\xbf")
    good, bad, wrong = [], [], []
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            good.append((number, line.decode("utf-8")))
        except UnicodeDecodeError:
            bad.append(number)
            wrong.append(line)
    encoding = "WINDOWS-1256" if _is_arabic_code_page(b"\n".join(wrong)) else "WINDOWS-1252"
    others = f", and {len(bad) - 1} more lines have such bytes" if len(bad) > 1 else ""
    faults.add(
        f"byte 0x{bad_byte:02X} (offset {offset}) is not UTF-8{others}; "
        f"probably {_LIKELY[encoding]}: {_REMEDY.format(encoding=encoding)}",
        bad[0],
    )
    return good


def refuse_no_text(data: bytes, faults: Faults) -> None:
    """Of a picture or a program, say that, not what its bytes would be as text.

    Raises:
        DataError: There are raw control characters among the first bytes that no text has.
    """
    head = data[:512]
    if _wide_encoding(data) is None and b"\0" in head and sum(byte < 9 or 13 < byte < 32 for byte in head) > 8:
        faults.raise_now("is no text (a picture, a program, something packed?); check the file")


def decode_text(data: bytes, faults: Faults) -> str:
    """The whole file as text, line ends untouched.

    Raises:
        DataError: Any byte of it is not UTF-8.
    """
    lines = decode_lines(data, faults)
    if faults:
        raise faults.error()
    return "\n".join(line for _, line in lines)


def _wide_encoding(data: bytes) -> str | None:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return encoding
    # Without a mark: text has no NUL, so what is on every other byte is half of an ASCII character (a space, a comma).
    head = data[:4096]
    high, low = head[::2].count(0), head[1::2].count(0)
    if 20 * max(high, low) <= len(head) or max(high, low) < 10 * min(high, low):
        return None
    return "UTF-16-BE" if high > low else "UTF-16-LE"


def _is_arabic_code_page(data: bytes) -> bool:
    # Accented letters of Western languages stand alone between ASCII ones, Arabic letters together.
    high = sum(byte > 0x7F for byte in data)
    together = sum(one > 0x7F and other > 0x7F for one, other in itertools.pairwise(data))
    return together > high / 2
