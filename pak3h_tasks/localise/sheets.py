"""Sheets that people fill in: one row an item, as CSV or XLSX that Excel opens right; what was written is read back.

CSV is UTF-8 with a byte order mark (without it Excel guesses the system's code page); on read it may be separated by
commas, semicolons or tabs, as the Excel of different countries saves it.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pak3h_tasks.data.decode import as_utf8, decode_text, read_bytes
from pak3h_tasks.data.faults import Faults
from pak3h_tasks.data.read_csv import csv_rows
from pak3h_tasks.data.read_table import column_name
from pak3h_tasks.data.read_xlsx import column_letter, is_workbook, read_worksheet
from pak3h_tasks.data.spreadsheet_text import from_csv, to_csv
from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.outputs import new_file
from pak3h_tasks.localise.xlsx import SheetLayout, write_xlsx

# XLSX first: what does not fit into its cells then stops a step before it has written anything.
FORMATS = ("xlsx", "csv")


@dataclass(frozen=True)
class SheetRow:
    """One row as read: its number in the spreadsheet (the header is 1) and its text by column name."""

    number: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")


def write_sheet(path: Path, layout: SheetLayout, rows: Iterable[Mapping[str, str]], *, force: bool = False) -> None:
    """Write `rows` to a new file; its suffix says which format.

    Args:
        path: Ends in .csv or .xlsx.
        layout: Columns, drop-downs and looks.
        rows: Text by column name; a missing column is an empty cell.
        force: Replace a file that is there; the old one stays beside it as ``NAME.bak``.

    Raises:
        DataError: The file exists, the suffix is unknown, or a text is too long for an XLSX cell.
        MissingExtra: XLSX without openpyxl.
    """
    kind = _kind(path)
    lines = [[row.get(column, "") for column in layout.columns] for row in rows]
    with new_file(path, force=force, keep_old=True) as temporary:
        if kind == "xlsx":
            write_xlsx(temporary, layout, lines, path.name)
        else:
            _write_csv(temporary, [list(layout.columns), *lines])


def read_sheet(path: Path, required: Collection[str] = ()) -> list[SheetRow]:
    """Read a sheet back: the text that was written, plus what people changed. Blank rows are left out.

    Args:
        path: CSV (whatever separates it, UTF-8 or -16) or XLSX; its content says which.
        required: Columns that must be there.

    Raises:
        DataError: The file is missing, of another kind, without a required column, or holds a formula or a date.
        MissingExtra: XLSX without openpyxl.
    """
    faults = Faults(path.name, "row")
    data = read_bytes(path, faults)
    rows = _xlsx_cells(data, faults) if is_workbook(data, faults) else _csv_cells(data, faults)
    _, header = next(rows, (1, []))
    columns = [column_name(cell) for cell in header]
    if missing := [name for name in required if name not in columns]:
        names = ", ".join(map(repr, missing))
        faults.raise_now(f"no column {names}; keep the header the sheet was made with")
    if repeated := sorted({name for name in columns if name and columns.count(name) > 1}):
        faults.raise_now(f"column {', '.join(map(repr, repeated))} is there twice; remove one")
    found = []
    for number, cells in rows:
        # Text beyond the last column is what a lost quote splits off: dropping it would cut a text short.
        if any(cell.strip() for cell in cells[len(columns) :]):
            faults.raise_now(f"has {len(cells)} cells where the header has {len(columns)}; check its quotes", number)
        named = {name: cell for name, cell in zip(columns, cells, strict=False) if name}
        found.append(SheetRow(number, named))
    return found


def _kind(path: Path) -> str:
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise DataError(f"{path.name}: not a sheet; give a .csv or .xlsx file")
    return kind


def _write_csv(path: Path, rows: Iterable[list[str]]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([to_csv(text) for text in row] for row in rows)


def _csv_cells(data: bytes, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    faults.unit = "line"
    text = decode_text(as_utf8(data, faults), faults)
    if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        faults.raise_now("not a sheet; give a .csv or .xlsx file")
    lines = csv_rows(text, faults)
    faults.unit = "row"
    for number, (_, cells) in enumerate(lines, 1):
        if any(cell.strip() for cell in cells):
            yield number, [from_csv(cell) for cell in cells]


def _xlsx_cells(data: bytes, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    sheet = read_worksheet(data, faults.name)
    for (row, column), what in sheet.odd.items():
        raise DataError(f"{faults.name}: cell {column_letter(column)}{row} holds {what}")
    for number, cells in list(enumerate(sheet.rows, 1))[sheet.header :]:
        if any(cell.strip() for cell in cells):
            yield number, cells
