"""Rows of an XLSX worksheet as text, through openpyxl."""

from __future__ import annotations

import contextlib
import io
import warnings
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pak3h_tasks.data.faults import Faults
from pak3h_tasks.data.spreadsheet_text import from_xlsx
from pak3h_tasks.errors import DataError, MissingExtra
from pak3h_tasks.extras import pip_install
from pak3h_tasks.text.escape import quoted

ITEMS_TITLE = "items"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_FORMULA = "a formula; type an apostrophe before the text"
_UNCOMPUTED = "a formula without its value; open the file in a spreadsheet and save it, or paste values"


@dataclass
class Worksheet:
    """Cells of one worksheet.

    Attributes:
        title: Its name.
        rows: Text of every row from the first; blank cells are "".
        odd: (row, column) from 1 -> what a cell holds that is neither text nor number, and what to do; "" in `rows`.
        alone: Whether no other worksheet holds anything.
        rivals: Titles of the other worksheets that begin with the same header.
    """

    title: str
    rows: list[list[str]] = field(default_factory=list)
    odd: dict[tuple[int, int], str] = field(default_factory=dict)
    alone: bool = True
    rivals: tuple[str, ...] = ()

    @property
    def is_table(self) -> bool:
        """Whether it has two rows of two cells, as data has and a page of notes has not."""
        return sum(sum(map(bool, row)) > 1 for row in self.rows) > 1

    @property
    def header(self) -> int:
        """Index of the row with the column names: the first that holds anything, below a title that stands alone."""
        filled = [(index, sum(map(bool, row))) for index, row in enumerate(self.rows) if any(row)]
        if not self.is_table:
            return filled[0][0] if filled else 0
        return next(index for index, cells in filled if cells > 1)


def is_workbook(data: bytes, faults: Faults) -> bool:
    """Whether a file is an XLSX workbook, by its content.

    Raises:
        DataError: It is another kind of spreadsheet or archive; the message says what to do.
    """
    if data.startswith(_OLD_OFFICE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            faults.raise_now("is locked with a password; save it without one")
        faults.raise_now("is an Excel file of the old kind (.xls); save it as .xlsx or 'CSV UTF-8'")
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except zipfile.BadZipFile:
        faults.raise_now("is a damaged zip archive or Excel workbook; copy or save it again")
    if "content.xml" in names:
        faults.raise_now("is an OpenDocument sheet; save it as .xlsx or 'CSV UTF-8'")
    if any(name.endswith(".iwa") for name in names):
        faults.raise_now("is a Numbers document; export it as .xlsx or CSV")
    if not any(name.startswith("xl/") for name in names):
        faults.raise_now("is a zip archive; unpack it first")
    return True


def split_sheet(path: Path) -> tuple[Path, str | None]:
    """A file and the worksheet that ``FILE.xlsx#SHEET`` names.

    Example:
        >>> split_sheet(Path("book.xlsx#ur")), split_sheet(Path("a#b.csv"))
        ((PosixPath('book.xlsx'), 'ur'), (PosixPath('a#b.csv'), None))
    """
    file, mark, title = path.name.rpartition("#")
    if mark and file.lower().endswith((".xlsx", ".xlsm")) and not path.exists():
        return path.with_name(file), title
    return path, None


def read_worksheet(data: bytes, name: str, *, title: str | None = None, formula_values: bool = False) -> Worksheet:
    """The worksheet called `title`, else that called items, else the first visible one that holds a table.

    A cell merged over several rows counts for all of them.

    Args:
        data: The file's content.
        name: What messages call it.
        title: Which worksheet; None: see above.
        formula_values: Take a formula's value, as the spreadsheet last saved it, instead of calling it odd.

    Raises:
        DataError: Not an XLSX file, or no such worksheet.
        MissingExtra: No openpyxl.
    """
    import_openpyxl()
    try:
        # openpyxl warns of every spreadsheet feature it does not keep; only the text is wanted here.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sheets, shown = _all_worksheets(data, formula_values=formula_values)
    except Exception as error:  # noqa: BLE001 - zip, XML, key and value errors, by what is broken
        raise DataError(f"{name}: not a readable XLSX file ({error}); save it again as .xlsx") from None
    named = [sheet for sheet in sheets if sheet.title.strip().casefold() == (title or ITEMS_TITLE).strip().casefold()]
    if title is not None and not named:
        there = ", ".join(quoted(sheet.title) for sheet in sheets)
        raise DataError(f"{name}: has no worksheet {quoted(title)}; it has {there}")
    if named:
        return named[0]
    filled = [sheet for sheet in shown if any(map(any, sheet.rows))]
    tables = [sheet for sheet in filled if sheet.is_table]
    if not filled:
        return Worksheet("")
    chosen = (tables or filled)[0]
    chosen.alone = len(filled) == 1
    header = chosen.rows[chosen.header]
    chosen.rivals = tuple(one.title for one in tables if one is not chosen and one.rows[one.header] == header)
    return chosen


def import_openpyxl() -> Any:
    """The package.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import openpyxl
    except ImportError:
        install = pip_install("localise")
        raise MissingExtra(f"XLSX files need openpyxl: {install}; or save the sheet as 'CSV UTF-8'") from None
    return openpyxl


def column_letter(number: int) -> str:
    """What spreadsheets call a column.

    Example:
        >>> column_letter(2), column_letter(28)
        ('B', 'AB')
    """
    more, last = divmod(number - 1, 26)
    return (column_letter(more) if more else "") + chr(ord("A") + last)


def _all_worksheets(data: bytes, *, formula_values: bool) -> tuple[list[Worksheet], list[Worksheet]]:
    """Every worksheet, and those that are not hidden."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        xml = [archive.read(name) for name in archive.namelist() if name.startswith("xl/worksheets/")]
    # Reading as a stream takes a tenth of the memory, but tells nothing of merged cells or of a formula's kind.
    merged, formulas = (any(mark in part for part in xml) for mark in (b"mergeCell ", b"f>"))
    with contextlib.ExitStack() as stack:

        def load(*, values: bool) -> Any:
            stream = not (merged or formulas)
            book = import_openpyxl().load_workbook(io.BytesIO(data), read_only=stream, data_only=values)
            return stack.enter_context(contextlib.closing(book))

        book = load(values=formula_values)
        written = load(values=False) if formula_values and formulas else None
        sheets, shown = [], []
        for sheet in book.worksheets:
            sheets.append(_worksheet(sheet, written and written[sheet.title]))
            if sheet.sheet_state == "visible":
                shown.append(sheets[-1])
        return sheets, shown


def _worksheet(sheet: Any, written: Any) -> Worksheet:
    """Cells of openpyxl's worksheet; `written`: the same one with formulas in place of values, where there are any."""
    found = Worksheet(sheet.title)
    formulas: set[tuple[int, int]] = set()
    if hasattr(sheet, "reset_dimensions"):  # some programs write a wrong size into the file
        sheet.reset_dimensions()
    if written is not None:
        formulas = {(cell.row, cell.column) for row in written.iter_rows() for cell in row if cell.data_type == "f"}
    for row, cells in enumerate(sheet.iter_rows(), 1):
        found.rows.append([])
        for column, cell in enumerate(cells, 1):
            text, odd = _text(cell)
            # A formula that gave an empty text is marked as text ("str").
            if cell.value is None and (row, column) in formulas and cell.data_type == "n":
                odd = _UNCOMPUTED
            found.rows[-1].append(text)
            if odd:
                found.odd[row, column] = odd
    for area in sheet.merged_cells.ranges if hasattr(sheet, "merged_cells") else ():
        if area.min_col == area.max_col:
            for row in range(area.min_row, area.max_row):
                found.rows[row][area.min_col - 1] = found.rows[area.min_row - 1][area.min_col - 1]
    return found


def _text(cell: Any) -> tuple[str, str | None]:
    """A cell's text, or what it holds instead and what to do."""
    value = cell.value
    if value is None:
        return "", None
    if cell.data_type == "f":
        return "", _FORMULA
    if cell.data_type == "e":
        return "", f"the error {value}; mend it or clear it"
    if isinstance(value, str):
        return from_xlsx(value), None
    if isinstance(value, bool):
        return str(value).upper(), None
    if isinstance(value, int | float):
        return str(int(value)) if value == int(value) else str(value), None
    return "", "a date or time; format it as text and type it again"
