"""XLSX sheets to be filled in, through openpyxl: all cells text, with drop-downs, guidelines, right-to-left columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pak3h_tasks.data.read_xlsx import ITEMS_TITLE, import_openpyxl
from pak3h_tasks.data.spreadsheet_text import FORMULA_STARTS, to_xlsx
from pak3h_tasks.errors import DataError
from pak3h_tasks.progress import watched

# Excel's own limit, in UTF-16 units; openpyxl would cut the text without a word.
_MAX_CELL = 32_767


@dataclass(frozen=True)
class SheetLayout:
    """How a sheet looks and helps; all but the columns is for XLSX only.

    Attributes:
        columns: Column names in order.
        choices: Column -> the values its drop-down offers.
        guide: Rows of a second worksheet, guidelines: topic, English, Urdu.
        right_to_left: Columns that hold Urdu.
    """

    columns: Sequence[str]
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    guide: Sequence[Sequence[str]] = ()
    right_to_left: Collection[str] = ()


def write_xlsx(path: Path, layout: SheetLayout, rows: Sequence[Sequence[str]], name: str) -> None:
    """Write `rows` (text in column order) as the first worksheet; `name` is what errors call the file.

    Raises:
        DataError: A text is longer than a cell may hold.
        MissingExtra: No openpyxl.
    """
    openpyxl = import_openpyxl()
    # Before the workbook is begun: openpyxl cannot give one up cleanly.
    for number, row in enumerate(rows, 2):
        _refuse_long(dict(zip(layout.columns, row, strict=True)), f"{name} row {number}")
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(ITEMS_TITLE)
    sheet.freeze_panes = "A2"
    letters = {column: get_column_letter(number) for number, column in enumerate(layout.columns, 1)}
    for column, letter in letters.items():
        sheet.column_dimensions[letter].width = 14 if column in layout.choices else 40
    for column, values in layout.choices.items():
        rule = DataValidation(type="list", formula1=f'"{",".join(values)}"', allow_blank=True, showErrorMessage=True)
        rule.error = f"Choose one of: {', '.join(values)}"
        rule.add(f"{letters[column]}2:{letters[column]}{max(2, len(rows) + 1)}")
        sheet.data_validations.append(rule)
    look = {
        column: Alignment(wrap_text=True, vertical="top", readingOrder=2 if column in layout.right_to_left else 0)
        for column in layout.columns
    }
    sheet.append([_text_cell(sheet, column, look[column], Font(bold=True)) for column in layout.columns])
    for row in watched(rows, f"writing {name}", unit="row"):
        sheet.append([_text_cell(sheet, text, look[column]) for column, text in zip(layout.columns, row, strict=True)])
    if layout.guide:
        guide = book.create_sheet("guidelines")
        looks = [Alignment(wrap_text=True, vertical="top", readingOrder=order) for order in (0, 0, 2)]
        for letter, width in zip("ABC", (12, 80, 80), strict=True):
            guide.column_dimensions[letter].width = width
        for row in layout.guide:
            guide.append([_text_cell(guide, text, look) for text, look in zip(row, looks, strict=True)])
    book.save(path)


def _refuse_long(cells: Mapping[str, str], where: str) -> None:
    for column, text in cells.items():
        # Five units is what an escaped character takes; most texts need not be encoded to know.
        if len(text) * 5 > _MAX_CELL and len(to_xlsx(text).encode("utf-16-le")) // 2 > _MAX_CELL:
            raise DataError(
                f"{where}: {column!r} has {len(text):,} characters, an XLSX cell holds {_MAX_CELL:,}; "
                "use --sheet-format csv"
            )


def _text_cell(sheet: Any, text: str, alignment: Any, font: Any = None) -> Any:
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(sheet, value=to_xlsx(text) or None)
    if text:
        # openpyxl takes '=' for a formula and '#N/A' for an error.
        cell.data_type = "s"
    cell.number_format = "@"
    cell.alignment = alignment
    if text.startswith((*FORMULA_STARTS, "'")):
        cell.quotePrefix = True
    if font is not None:
        cell.font = font
    return cell
