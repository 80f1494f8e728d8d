"""Numbered rows of cells out of CSV, as the spreadsheets of different countries save it."""

from __future__ import annotations

import csv
import io
import re

from pak3h_tasks.data.faults import Faults

# In order of preference where several cut a header into as many cells; the last two are the Arabic semicolon and comma.
_SEPARATORS = (",", ";", "\t", "|", "\N{ARABIC SEMICOLON}", "\N{ARABIC COMMA}")
_SEPARATOR_LINE = re.compile(r'[\ufeff\s]*"?sep= *(\\t|[^"\r\n]) *"?[,;|\t \u060c\u061b]*(?:\r\n|\n|\r)', re.IGNORECASE)
_BLANK = re.compile(r'[\ufeff\s,;|"\u060c\u061b]*')
_LINE_END = re.compile(r"\r\n|\n|\r")


def delimiter_of(header: str) -> str:
    """Comma, semicolon (Latin or Arabic), tab or bar: the one that cuts the header into most.

    Example:
        >>> delimiter_of("id;is_safe"), delimiter_of("prompt"), delimiter_of('"a;b;c",d'), delimiter_of("id،prompt")
        (';', ',', ',', '،')
    """
    try:
        cells = {separator: len(next(csv.reader([header], delimiter=separator))) for separator in _SEPARATORS}
    except (csv.Error, StopIteration):
        return ","
    return max(cells, key=cells.__getitem__)


def csv_layout(text: str) -> tuple[str, int]:
    r"""What separates the cells, and where they begin: behind the line that tells Excel the separator, if any.

    Example:
        >>> csv_layout("sep=;\nid;prompt\n"), csv_layout("id\tprompt\n"), csv_layout(",,\r\nid,prompt")
        ((';', 6), ('\t', 0), (',', 0))
    """
    if said := _SEPARATOR_LINE.match(text):
        return "\t" if said[1] == "\\t" else said[1], said.end()
    blank = _BLANK.match(text)
    start = blank.end() if blank else 0
    # From the start of its line: a quote that opens the header belongs to it.
    start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    return delimiter_of(_LINE_END.split(text[start:].lstrip("\ufeff"), maxsplit=1)[0]), 0


def csv_rows(text: str, faults: Faults, *, delimiter: str | None = None) -> list[tuple[int, list[str]]]:
    """Cells of every row, blank ones too, with the line it begins on.

    Args:
        text: The whole file.
        faults: Where faults go.
        delimiter: What separates the cells; None, or where the file says it: told from the file.

    Raises:
        DataError: A quote is not closed, or it is no CSV at all.
    """
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        faults.raise_now("is HTML or XML, whatever its name; save it as .xlsx or 'CSV UTF-8'")
    told, start = csv_layout(text)
    # The module's own limit, 131,072 characters a field, is shorter than texts may be.
    csv.field_size_limit(2**31 - 1)
    # strict: without it, a quote that is never closed silently swallows the rest of the file.
    reader = csv.reader(
        io.StringIO(text[start:].lstrip("\ufeff"), newline=""),
        delimiter=told if start or delimiter is None else delimiter,
        strict=True,
    )
    before = len(_LINE_END.findall(text[:start]))
    rows: list[tuple[int, list[str]]] = []
    line = before + 1
    try:
        for cells in reader:
            rows.append((line, cells))
            line = reader.line_num + before + 1
    except csv.Error as error:
        faults.raise_now(f"broken CSV ({error}); check that every quote is closed", line)
    return rows
