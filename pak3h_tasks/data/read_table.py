"""Rows out of the files people really have: CSV, TSV, XLSX, JSON, JSON Lines and Parquet, plain, gzip or xz."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pak3h_tasks.data.decode import as_utf8, decode_lines, decode_text, read_bytes, refuse_no_text
from pak3h_tasks.data.faults import Faults
from pak3h_tasks.data.read_csv import csv_rows
from pak3h_tasks.data.read_xlsx import is_workbook, read_worksheet, split_sheet
from pak3h_tasks.data.validate import decode_json, explain_json
from pak3h_tasks.text.escape import quoted

# What editors and right-to-left spreadsheets leave around the names of columns.
_MARKS = " \t\r\n\xa0\ufeff\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@dataclass(frozen=True)
class SourceTable:
    """Rows of a source file, values untouched.

    Attributes:
        name: The file's name, for messages; with the worksheet's, where a workbook has several.
        unit: Whether positions are lines (CSV, JSON Lines) or rows (XLSX, JSON, Parquet).
        columns: Every column name, in order of first appearance.
        rows: Position (from 1) and cells by column name.
        odd: (position, column) -> what a cell of a workbook holds that is neither text nor number, and what to do.
    """

    name: str
    unit: Literal["line", "row"]
    columns: tuple[str, ...]
    rows: tuple[tuple[int, dict[str, Any]], ...]
    odd: Mapping[tuple[int, str], str] = field(default_factory=dict)

    def named(self, known: Iterable[str]) -> SourceTable:
        """The same table with our names for the columns that differ from them in case, spaces, - and _ only.

        Raises:
            DataError: One of these columns holds a date, an error or the like; one line a column and kind.
        """
        ours = {column_key(name): name for name in known if name not in self.columns}
        new: dict[str, str] = {}
        for column in self.columns:
            if name := ours.pop(column_key(column), None):
                new[column] = name
        if new:
            rows = tuple((position, {new.get(name, name): row[name] for name in row}) for position, row in self.rows)
            odd = {(position, new.get(name, name)): what for (position, name), what in self.odd.items()}
            columns = tuple(new.get(name, name) for name in self.columns)
            return replace(self, columns=columns, rows=rows, odd=odd).named(known)
        self.refuse_odd(set(known))
        return self

    def refuse_odd(self, columns: Collection[str]) -> None:
        """Dates, errors and the like do no harm in columns that are not used.

        Raises:
            DataError: One of `columns` holds such a cell; one line a column and kind.
        """
        faults = Faults(self.name, self.unit)
        for (position, column), what in self.odd.items():
            if column in columns:
                faults.add(f"{quoted(column)} holds {what}", position)
        if faults:
            raise faults.error()

    def faults_with(self, needed: Sequence[str], remedy: str) -> Faults:
        """A collector for faults of this table's rows.

        Raises:
            DataError: A needed column is missing; `remedy` says what is needed.
        """
        faults = Faults(self.name, self.unit)
        missing = [name for name in needed if name not in self.columns]
        if missing:
            there = ", ".join(quoted(column) for column in self.columns[:8])
            faults.raise_now(f"no column {' and no '.join(map(repr, missing))} (it has {there}); {remedy}")
        return faults


def column_name(cell: str) -> str:
    """A cell of the header without the spaces and invisible marks around it."""
    return cell.strip(_MARKS)


def column_key(name: str) -> str:
    """What two spellings of a column's name have in common.

    Example:
        >>> column_key(" Best Answer"), column_key("best-answer")
        ('best_answer', 'best_answer')
    """
    return "_".join(name.lower().replace("-", " ").replace("_", " ").split())


def read_table(path: Path) -> SourceTable:
    """Read a source file; the format is seen from its content, then from its name. Text is UTF-8, -16 or -32.

    ``FILE.xlsx#SHEET`` names a worksheet; without it, that called items counts, or the first that holds a table.

    Raises:
        DataError: It cannot be read or is in no known format; one line a fault.
        MissingExtra: XLSX without openpyxl.
    """
    file, sheet = split_sheet(path)
    faults = Faults(file.name)
    data = read_bytes(file, faults)
    suffix = Path(path.name.removesuffix(".gz").removesuffix(".xz")).suffix.lower()
    if data.startswith(b"PAR1"):
        return _parquet(data, path.name, faults)
    if is_workbook(data, faults):
        return _workbook(data, sheet, faults)
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


def _separated(text: str, name: str, faults: Faults, *, tabs: bool = False) -> SourceTable:
    return _with_header(csv_rows(text, faults, delimiter="\t" if tabs else None), {}, name, faults)


def _workbook(data: bytes, title: str | None, faults: Faults) -> SourceTable:
    sheet = read_worksheet(data, faults.name, title=title, formula_values=True)
    if sheet.rivals:
        others = ", ".join(map(quoted, sheet.rivals))
        faults.raise_now(
            f"worksheets {quoted(sheet.title)} and {others} have the same columns; "
            f"say which one: '{faults.name}#{sheet.title}', or call it items"
        )
    faults.unit = "row"
    name = faults.name if sheet.alone else f"{faults.name}#{sheet.title}"
    width = max((len(row) for row in sheet.rows if any(row)), default=0)
    lines = [(number, row + [""] * (width - len(row))) for number, row in enumerate(sheet.rows, 1)]
    return _with_header(lines[sheet.header :], sheet.odd, name, faults)


def _with_header(
    lines: Iterable[tuple[int, list[str]]], odd: Mapping[tuple[int, int], str], name: str, faults: Faults
) -> SourceTable:
    """The table of numbered rows of cells, the first of which names the columns; blank rows are left out."""
    faults.name = name
    rows: list[tuple[int, dict[str, Any]]] = []
    header: list[str] = []
    for number, cells in lines:
        if not any(cell.strip() for cell in cells) and not any((number, at) in odd for at in range(1, len(cells) + 1)):
            continue
        if not header:
            header = [column_name(cell) for cell in cells]
            twice = sorted({column for column in header if column and header.count(column) > 1})
            if twice:
                faults.raise_now(f"the header names {quoted(twice[0])} twice; rename one", number)
            continue
        # Spreadsheets write blank cells beyond the last column; text there is what a lost quote splits off.
        while len(cells) > len(header) and not cells[-1].strip():
            cells = cells[:-1]
        if len(cells) != len(header):
            faults.add(f"has {len(cells)} cells where the header has {len(header)}; check its quotes", number)
        else:
            # Columns without a name are what spreadsheets leave behind.
            rows.append((number, {name: cell for name, cell in zip(header, cells, strict=True) if name}))
    strange = {(row, header[at - 1]): what for (row, at), what in odd.items() if header[at - 1 : at] not in ([], [""])}
    return _checked(SourceTable(name, faults.unit, tuple(filter(None, header)), tuple(rows), strange), faults)


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
