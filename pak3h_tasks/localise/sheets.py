"""Sheets that people fill in: one row an item, as CSV or XLSX that Excel opens right; what was written is read back.

CSV is UTF-8 with a byte order mark (without it Excel guesses the system's code page); on read it may be separated by
commas, semicolons or tabs, as the Excel of different countries saves it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pak3h_tasks.data.read_table import csv_layout
from pak3h_tasks.data.read_xlsx import xlsx_rows
from pak3h_tasks.data.spreadsheet_text import from_csv, to_csv
from pak3h_tasks.errors import DataError
from pak3h_tasks.files import unusable
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
        path: Ends in .csv or .xlsx.
        required: Columns that must be there.

    Raises:
        DataError: The file is missing, of another kind, without a required column, or holds a formula or a date.
        MissingExtra: XLSX without openpyxl.
    """
    kind = _kind(path)
    try:
        header, *lines = (xlsx_rows(path.read_bytes(), path.name) if kind == "xlsx" else _read_csv(path)) or [[]]
    except OSError as error:
        raise DataError(f"{path}: {unusable(error)}") from None
    columns = [name.strip() for name in header]
    if missing := [name for name in required if name not in columns]:
        raise DataError(
            f"{path.name}: no column {', '.join(map(repr, missing))} in row 1; keep the header the sheet was made with"
        )
    if repeated := sorted({name for name in columns if name and columns.count(name) > 1}):
        raise DataError(f"{path.name}: column {', '.join(map(repr, repeated))} is there twice; remove one")
    return [
        SheetRow(number, {name: cell for name, cell in zip(columns, cells, strict=False) if name})
        for number, cells in enumerate(lines, 2)
        if any(cell.strip() for cell in cells)
    ]


def _kind(path: Path) -> str:
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise DataError(f"{path.name}: not a sheet; give a .csv or .xlsx file")
    return kind


def _write_csv(path: Path, rows: Iterable[list[str]]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([to_csv(text) for text in row] for row in rows)


def _read_csv(path: Path) -> list[list[str]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
        delimiter, start = csv_layout(text)
        # The module's own limit, 131,072 characters a field, is shorter than texts may be.
        csv.field_size_limit(2**31 - 1)
        lines = list(csv.reader(io.StringIO(text[start:], newline=""), delimiter=delimiter, strict=True))
    except UnicodeDecodeError:
        raise DataError(f"{path.name}: not UTF-8; save it from the spreadsheet as 'CSV UTF-8' or as .xlsx") from None
    except csv.Error as error:
        raise DataError(f"{path.name}: broken CSV ({error}); save it from the spreadsheet again") from None
    for number, line in enumerate(lines, 1):
        # Text beyond the last column is what a lost quote splits off: dropping it would cut a text short.
        if any(cell.strip() for cell in line[len(lines[0]) :]):
            cells = f"{len(line)} cells where the header has {len(lines[0])}"
            raise DataError(f"{path.name} row {number}: has {cells}; check its quotes")
    return [[from_csv(cell) for cell in line] for line in lines]
