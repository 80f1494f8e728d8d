"""Rows of an XLSX worksheet as text, through openpyxl."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

from pak3h_tasks.data.spreadsheet_text import from_xlsx
from pak3h_tasks.errors import DataError, MissingExtra
from pak3h_tasks.extras import pip_install

ITEMS_TITLE = "items"


def xlsx_rows(data: bytes, name: str, *, formula_values: bool = False) -> list[list[str]]:
    """All rows of the worksheet called items, or else the first that holds anything; blank cells are "".

    Args:
        data: The file's content.
        name: What messages call it.
        formula_values: Take a formula's value, as the spreadsheet last saved it, instead of refusing it.

    Raises:
        DataError: Not an XLSX file, or a cell holds a formula, an error or a date.
        MissingExtra: No openpyxl.
    """
    openpyxl = import_openpyxl()
    with contextlib.ExitStack() as stack:
        # openpyxl warns of every spreadsheet feature it does not keep; only the text is wanted here.
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        try:
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=formula_values)
            stack.enter_context(contextlib.closing(book))
            sheets = [book[ITEMS_TITLE]] if ITEMS_TITLE in book.sheetnames else book.worksheets
            for sheet in sheets:
                # Some programs write a wrong size into the file.
                sheet.reset_dimensions()
                rows = [[_text(cell, name) for cell in row] for row in sheet.iter_rows()]
                if any(any(row) for row in rows):
                    return rows
        except DataError:
            raise
        except Exception as error:  # noqa: BLE001 - zip, XML, key and value errors, by what is broken
            raise DataError(f"{name}: not a readable XLSX file ({error}); save it again as .xlsx") from None
    return []


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


def _text(cell: Any, name: str) -> str:
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "f":
        raise DataError(f"{name}: cell {cell.coordinate} holds a formula; type an apostrophe before the text")
    if cell.data_type == "e":
        raise DataError(f"{name}: cell {cell.coordinate} holds the error {value}; mend it or clear it")
    if isinstance(value, str):
        return from_xlsx(value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return str(int(value)) if value == int(value) else str(value)
    raise DataError(f"{name}: cell {cell.coordinate} holds a date or time; format it as text and type it again")
