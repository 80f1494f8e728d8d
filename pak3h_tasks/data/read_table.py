"""Rows out of the files people really have: CSV, TSV, XLSX, JSON, JSON Lines and Parquet, plain, gzip or xz."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pak3h_tasks.data.decode import as_utf8, decode_lines, decode_text, read_bytes, refuse_no_text
from pak3h_tasks.data.faults import Faults
from pak3h_tasks.data.read_xlsx import xlsx_rows
from pak3h_tasks.data.validate import decode_json, explain_json
from pak3h_tasks.text.escape import quoted

_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SEPARATOR_LINE = re.compile(r'\ufeff?"?sep=([^"\r\n])"?[,;\t]*\r?\n', re.IGNORECASE)


@dataclass(frozen=True)
class SourceTable:
    """Rows of a source file, values untouched.

    Attributes:
        name: The file's name, for messages.
        unit: Whether positions are lines (CSV, JSON Lines) or rows (XLSX, JSON, Parquet).
        columns: Every column name, in order of first appearance.
        rows: Position (from 1) and cells by column name.
    """

    name: str
    unit: Literal["line", "row"]
    columns: tuple[str, ...]
    rows: tuple[tuple[int, dict[str, Any]], ...]

    def faults_with(self, needed: Sequence[str], remedy: str) -> Faults:
        """A collector for faults of this table's rows.

        Raises:
            DataError: A needed column is missing; `remedy` says what is needed.
        """
        faults = Faults(self.name, self.unit)
        for name in needed:
            if name not in self.columns:
                faults.add(f"no column {name!r}; {remedy}")
        if faults:
            raise faults.error()
        return faults


def read_table(path: Path) -> SourceTable:
    """Read a source file; the format is seen from its content, then from its name. Text is UTF-8, -16 or -32.

    Raises:
        DataError: It cannot be read or is in no known format; one line a fault.
        MissingExtra: XLSX without openpyxl.
    """
    faults = Faults(path.name)
    data = read_bytes(path, faults)
    suffix = Path(path.name.removesuffix(".gz").removesuffix(".xz")).suffix.lower()
    if data.startswith(b"PAR1"):
        return _parquet(data, path.name, faults)
    if data.startswith(b"PK\x03\x04"):
        return _workbook(data, path.name, faults)
    if data.startswith(_OLD_EXCEL):
        faults.raise_now("is an Excel file of the old kind (.xls); save it as .xlsx or 'CSV UTF-8'")
    refuse_no_text(data, faults)
    data = as_utf8(data, faults)
    if suffix in (".csv", ".tsv"):
        return _separated(decode_text(data, faults), path.name, faults, tabs=suffix == ".tsv")
    if suffix in (".jsonl", ".ndjson"):
        return _json_lines(data, path.name, faults)
    text = decode_text(data, faults)
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("[", "{"):
        if not text.strip("\ufeff \t\r\n"):
            faults.raise_now("is empty, so it is not JSON and has no rows; check the file")
        if suffix == ".json":
            faults.raise_now("is not JSON (it starts with neither '[' nor '{'); check the file")
        return _separated(text, path.name, faults)
    try:
        whole = decode_json(text)
    except json.JSONDecodeError as error:
        # A .json file that holds one object a line is common.
        if error.msg == "Extra data":
            return _json_lines(data, path.name, faults)
        faults.raise_now(f"line {error.lineno}: {explain_json(error, text)}")
    except (ValueError, RecursionError) as error:
        faults.raise_now(explain_json(error, text))
    return _records(_the_list(whole, faults), path.name, "row", faults)


def delimiter_of(header: str) -> str:
    """Comma, semicolon or tab, as the Excel of different countries saves CSV: the one that cuts the header into most.

    Example:
        >>> delimiter_of("id;is_safe"), delimiter_of("prompt"), delimiter_of('"a;b;c",d')
        (';', ',', ',')
    """
    try:
        cells = {separator: len(next(csv.reader([header], delimiter=separator))) for separator in ",;\t"}
    except (csv.Error, StopIteration):
        return ","
    return max(cells, key=cells.__getitem__)


def csv_layout(text: str) -> tuple[str, int]:
    r"""What separates the cells, and where the header begins: behind the line that tells Excel the separator, if any.

    Example:
        >>> csv_layout("sep=;\nid;prompt\n"), csv_layout("id\tprompt\n")
        ((';', 6), ('\t', 0))
    """
    if said := _SEPARATOR_LINE.match(text):
        return said[1], said.end()
    return delimiter_of(text.lstrip("\ufeff \r\n").partition("\n")[0]), 0


def _separated(text: str, name: str, faults: Faults, *, tabs: bool = False) -> SourceTable:
    separator, start = csv_layout(text)
    separator = "\t" if tabs and not start else separator
    # strict: without it, a quote that is never closed silently swallows the rest of the file.
    reader = csv.reader(io.StringIO(text[start:], newline=""), delimiter=separator, strict=True)
    first = 2 if start else 1
    lines: list[tuple[int, list[str]]] = []
    line = first
    try:
        for cells in reader:
            lines.append((line, cells))
            line = reader.line_num + first
    except csv.Error as error:
        faults.add(f"broken CSV ({error}); check that every quote is closed", line)
    return _with_header(lines, name, "line", faults)


def _workbook(data: bytes, name: str, faults: Faults) -> SourceTable:
    try:
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except zipfile.BadZipFile:
        faults.raise_now("is a damaged zip archive or Excel workbook; copy or save it again")
    if "content.xml" in names:
        faults.raise_now("is an OpenDocument sheet; save it as .xlsx or 'CSV UTF-8'")
    if not any(member.startswith("xl/") for member in names):
        faults.raise_now("is a zip archive; unpack it first")
    faults.unit = "row"
    rows = xlsx_rows(data, name, formula_values=True)
    width = max((len(row) for row in rows if any(row)), default=0)
    lines = [(number, row + [""] * (width - len(row))) for number, row in enumerate(rows, 1) if any(row)]
    return _with_header(lines, name, "row", faults)


def _with_header(
    lines: Iterable[tuple[int, list[str]]], name: str, unit: Literal["line", "row"], faults: Faults
) -> SourceTable:
    """The table of numbered rows of cells, the first of which names the columns."""
    rows: list[tuple[int, dict[str, Any]]] = []
    header: list[str] = []
    for number, cells in lines:
        if not header:
            header = [cell.strip() for cell in cells]
            twice = sorted({column for column in header if column and header.count(column) > 1})
            if twice:
                faults.raise_now(f"the header names {quoted(twice[0])} twice; rename one", number)
        elif cells and len(cells) != len(header):
            faults.add(f"has {len(cells)} cells where the header has {len(header)}; check its quotes", number)
        elif cells:
            # Columns without a name are what spreadsheets leave behind.
            rows.append((number, {name: cell for name, cell in zip(header, cells, strict=True) if name}))
    return _checked(SourceTable(name, unit, tuple(filter(None, header)), tuple(rows)), faults)


def _json_lines(data: bytes, name: str, faults: Faults) -> SourceTable:
    values = []
    lines = decode_lines(data, faults)
    first = next((line.lstrip("\ufeff \t\r") for _, line in lines if line.strip("\ufeff \t\r")), "")
    if first.startswith("["):
        text = "\n".join(line for _, line in lines)
        try:
            return _records(_the_list(decode_json(text.lstrip("\ufeff")), faults), name, "row", faults)
        except (ValueError, RecursionError) as error:
            faults.raise_now(explain_json(error, text))
    for number, line in lines:
        text = line.lstrip("\ufeff")
        if not text or text.isspace():
            continue
        try:
            values.append((number, decode_json(text)))
        except (ValueError, RecursionError) as error:
            faults.add(explain_json(error, text), number)
    return _records(values, name, "line", faults)


def _the_list(whole: Any, faults: Faults) -> list[tuple[int, Any]]:
    """The rows of a JSON document: the document itself, the only list of objects in it, or one object as one row."""
    if isinstance(whole, dict):
        lists = [value for value in whole.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
        if len(lists) > 1:
            faults.raise_now("holds several lists of rows; keep one: [{...}, {...}] or one object a line")
        whole = lists[0] if lists else [whole]
    return list(enumerate(whole, 1))


def _records(values: Iterable[tuple[int, Any]], name: str, unit: Literal["line", "row"], faults: Faults) -> SourceTable:
    faults.unit = unit
    columns: dict[str, None] = {}
    rows = []
    for position, value in values:
        if isinstance(value, dict):
            columns.update(dict.fromkeys(value))
            rows.append((position, value))
        else:
            faults.add(f"is {quoted(value)}, not an object with named fields; write {{...}}", position)
    return _checked(SourceTable(name, unit, tuple(columns), tuple(rows)), faults)


def _parquet(data: bytes, name: str, faults: Faults) -> SourceTable:
    import pyarrow
    import pyarrow.parquet

    read: Callable[[Any], Any] = pyarrow.parquet.read_table
    try:
        table = read(pyarrow.BufferReader(data))
    except pyarrow.ArrowException as error:
        faults.raise_now(f"is a damaged Parquet file ({' '.join(str(error).split())[:200]}); download it again")
    rows = tuple(enumerate(table.to_pylist(), 1))
    faults.unit = "row"
    return _checked(SourceTable(name, "row", tuple(table.column_names), rows), faults)


def _checked(table: SourceTable, faults: Faults) -> SourceTable:
    if not table.rows and not faults:
        faults.add("has no rows; check the file")
    if faults:
        raise faults.error()
    return table
