"""Text of one sheet cell: every character survives CSV and XLSX, and no text is taken for a formula.

Two encodings, both exactly undone on read:

- Characters a sheet cannot hold (control characters but tab and newline, CR, lone surrogates, U+FFFE, U+FFFF) become
  U+241B SYMBOL FOR ESCAPE and four hex digits. Not the ``_x000D_`` of spreadsheets: openpyxl undoes its escaped form
  ``_x005F_`` in the strings Excel writes but not in those it writes itself, so it is not reversible. Text that looks
  like it is broken up for the same reason.
- CSV only: text that a spreadsheet would run as a formula gets a leading apostrophe. In XLSX it is stored as text.

Trigger characters: OWASP, "CSV Injection", with the full-width forms that East Asian versions of Excel accept.
"""

from __future__ import annotations

import re

_ESCAPE = "\N{SYMBOL FOR ESCAPE}"
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff\u241b]|(?<=_)x(?=[0-9A-Fa-f]{4}_)|x(?=005F_)")
_ESCAPED = re.compile(_ESCAPE + "([0-9A-F]{4})")
_EXCEL_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
FORMULA_STARTS = (
    *"=+-@\t\n",
    "\N{FULLWIDTH EQUALS SIGN}",
    "\N{FULLWIDTH PLUS SIGN}",
    "\N{FULLWIDTH HYPHEN-MINUS}",
    "\N{FULLWIDTH COMMERCIAL AT}",
)


def to_xlsx(text: str) -> str:
    r"""Text as an XLSX string may hold it.

    Example:
        >>> to_xlsx("a\rb")
        'a␛000Db'
    """
    return _UNSAFE.sub(lambda match: f"{_ESCAPE}{ord(match.group()):04X}", text)


def from_xlsx(cell: str) -> str:
    r"""Inverse of `to_xlsx`; also undoes what Excel itself escaped in text typed or pasted there.

    Example:
        >>> from_xlsx("a␛000Db"), from_xlsx("typed_x000D_")
        ('a\rb', 'typed\r')
    """
    return _unescape(_EXCEL_ESCAPED.sub(lambda match: chr(int(match[1], 16)), cell))


def to_csv(text: str) -> str:
    """Text as a CSV field that no spreadsheet runs.

    Example:
        >>> to_csv("=1+1"), to_csv("'=1+1"), to_csv("'tis")
        ("'=1+1", "''=1+1", "'tis")
    """
    cell = to_xlsx(text)
    return "'" + cell if cell.startswith(FORMULA_STARTS) or _is_guarded(cell) else cell


def from_csv(cell: str) -> str:
    """Inverse of `to_csv`.

    Example:
        >>> from_csv("'=1+1"), from_csv("''=1+1"), from_csv("'tis")
        ('=1+1', "'=1+1", "'tis")
    """
    return _unescape(cell[1:] if _is_guarded(cell) else cell)


def _is_guarded(cell: str) -> bool:
    return cell.startswith("'") and cell[1:].startswith((*FORMULA_STARTS, "'"))


def _unescape(cell: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), cell)
