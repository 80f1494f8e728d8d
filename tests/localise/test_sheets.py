import csv
import datetime
import itertools
import re
import zipfile

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.sheets import read_sheet, write_sheet
from pak3h_tasks.localise.xlsx import SheetLayout

LAYOUT = SheetLayout(("id", "text", "label"), {"label": ("DT", "LC", "LI")}, [["DT", "same", "وہی"]], ["text"])
HARD = [
    "=1+1", "'=1+1", "+92 300", "-", "@SUM(A1)", "\t=x", "\n=x", "\uff1d1", "'", "''", "'tis", "#N/A", "TRUE", "007",
    "می\u200cروم", "دِلّی", "اردو\u200d", "\u0622", "\u0627\u0653", "ﷺ", "\u202eabc", " both ends ", "a\r\nb", "\r",
    "_x000D_", "_x005F_x000D_", "x005F_", "␛000D", "\v\f\0\x1b", "\ud800", "\ufffe\uffff", "\ufeff", "\u0085\u2028",
    "🙂", 'a,b;c\td"e"', "<b>&amp;]]>", "1e3", "long " * 6000,
]  # fmt: skip


@pytest.fixture(params=["csv", "xlsx"])
def path(request, tmp_path):
    return tmp_path / f"sheet.{request.param}"


def rows(texts):
    return [{"id": f"i{number}", "text": text, "label": ""} for number, text in enumerate(texts)]


def test_every_character_comes_back(path):
    write_sheet(path, LAYOUT, rows(HARD))
    assert [row.cells for row in read_sheet(path)] == rows(HARD)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(st.text(max_size=20), max_size=5))
def test_any_text_comes_back(path, texts):
    write_sheet(path, LAYOUT, rows(texts), force=True)
    assert [row["text"] for row in read_sheet(path)] == texts


def test_csv_opens_right_in_excel_and_holds_no_formula(tmp_path):
    write_sheet(tmp_path / "s.csv", LAYOUT, rows(HARD))
    data = (tmp_path / "s.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    for line in csv.reader(data.decode("utf-8-sig").splitlines(keepends=True)):
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) for cell in line)


def test_xlsx_is_text_with_a_drop_down_and_guidelines(tmp_path):
    write_sheet(tmp_path / "s.xlsx", LAYOUT, rows(HARD))
    book = openpyxl.load_workbook(tmp_path / "s.xlsx")
    assert book.sheetnames == ["items", "guidelines"]
    cells = [cell for line in book["items"].iter_rows() for cell in line if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s"}
    assert {cell.number_format for cell in cells} == {"@"}
    assert book["items"]["B2"].quotePrefix and not book["items"]["A2"].quotePrefix
    (rule,) = book["items"].data_validations.dataValidation
    assert rule.formula1 == '"DT,LC,LI"'
    assert f"C2:C{len(HARD) + 1}" in str(rule.sqref)
    assert book["items"]["B2"].alignment.readingOrder == 2
    assert b"<f>" not in zipfile.ZipFile(tmp_path / "s.xlsx").read("xl/worksheets/sheet1.xml")


def as_excel_saves(path, texts):
    """A workbook with shared strings, as Excel writes them, instead of openpyxl's inline strings."""
    write_sheet(path, LAYOUT, rows(texts))
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name).decode() for name in old.namelist()}
    inline = re.compile(r"<is>(<t.*?(?:/>|</t>))</is>", re.DOTALL)
    sheet = parts["xl/worksheets/sheet1.xml"]
    strings, numbers = inline.findall(sheet), itertools.count()
    sheet = inline.sub(lambda _: f"<v>{next(numbers)}</v>", sheet).replace('t="inlineStr"', 't="s"')
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    parts |= {
        "xl/worksheets/sheet1.xml": sheet,
        "xl/sharedStrings.xml": '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        + "".join(f"<si>{string}</si>" for string in strings) + "</sst>",
        "[Content_Types].xml": parts["[Content_Types].xml"].replace(
            "</Types>", f'<Override PartName="/xl/sharedStrings.xml" ContentType="{main}"/></Types>'
        ),
        "xl/_rels/workbook.xml.rels": parts["xl/_rels/workbook.xml.rels"].replace(
            "</Relationships>", f'<Relationship Type="{kind}" Target="sharedStrings.xml" Id="rId99"/></Relationships>'
        ),
    }  # fmt: skip
    with zipfile.ZipFile(path, "w") as new:
        for name, text in parts.items():
            new.writestr(name, text)


def test_the_way_excel_stores_strings_changes_nothing(tmp_path):
    as_excel_saves(tmp_path / "s.xlsx", HARD)
    assert [row["text"] for row in read_sheet(tmp_path / "s.xlsx")] == HARD


def edited(path, cell, value):
    write_sheet(path, LAYOUT, rows(["a", "b"]))
    book = openpyxl.load_workbook(path)
    book["items"][cell] = value
    book.save(path)
    return path


def test_numbers_people_type_are_text(tmp_path):
    assert read_sheet(edited(tmp_path / "s.xlsx", "B3", 1947))[1]["text"] == "1947"
    assert read_sheet(edited(tmp_path / "t.xlsx", "B3", 2.5))[1]["text"] == "2.5"


@pytest.mark.parametrize(
    ("value", "message"), [("=A1", "B3 holds a formula"), (datetime.date(2026, 1, 1), "B3 holds a date")]
)
def test_formulas_and_dates_are_refused_by_cell(tmp_path, value, message):
    with pytest.raises(DataError, match=message):
        read_sheet(edited(tmp_path / "s.xlsx", "B3", value))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("delimiter", [";", "\t", ",", "؛", "،"])
def test_csv_of_any_country(tmp_path, delimiter, encoding):
    path = tmp_path / "s.txt"
    path.write_text(
        delimiter.join(["\u200fid", "label "]) + "\r\n" + delimiter.join(["i1", "LC"]) + "\r\n", encoding=encoding
    )
    assert [row.cells for row in read_sheet(path)] == [{"id": "i1", "label": "LC"}]


def test_blank_rows_are_left_out_and_rows_keep_their_number(tmp_path):
    (tmp_path / "s.csv").write_text("id,label\n\ni1,LC,,\n,\n", encoding="utf-8")
    (row,) = read_sheet(tmp_path / "s.csv")
    assert (row.number, row["id"], row["no such column"]) == (3, "i1", "")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("s.csv", b"id,text\n1,\xe9\n", "not UTF-8"),
        ("s.csv", b'id,text\n1,"open\n', "broken CSV"),
        ("s.csv", b"id,text\n1,it, cut short\n", "row 2: has 3 cells where the header has 2; check its quotes"),
        ("s.csv", b"id,id\n1,2\n", "'id' is there twice"),
        ("s.csv", b"id,words\n1,2\n", ": no column 'text'"),
        ("s.csv", b"", ": no column 'id', 'text'"),
        ("s.xlsx", b"PK\x03\x04no zip", "is a damaged zip archive or Excel workbook"),
        ("s.xls", b"<html>", "is HTML or XML"),
    ],
)
def test_unusable_files_are_told_in_one_line(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=message) as error:
        read_sheet(tmp_path / name, ("id", "text") if "twice" not in message else ())
    assert "\n" not in str(error.value)


def test_a_missing_file_is_told(path):
    with pytest.raises(DataError, match="check the path"):
        read_sheet(path)


def test_a_sheet_is_never_overwritten_and_force_keeps_the_old_one(path):
    write_sheet(path, LAYOUT, rows(["mine"]))
    with pytest.raises(DataError, match="--force"):
        write_sheet(path, LAYOUT, rows(["new"]))
    assert read_sheet(path)[0]["text"] == "mine"
    for _ in range(2):
        write_sheet(path, LAYOUT, rows(["new"]), force=True)
    assert read_sheet(path)[0]["text"] == "new"
    assert sorted(p.name for p in path.parent.iterdir()) == [path.name, f"{path.name}.bak", f"{path.name}.bak2"]


def test_a_failing_write_leaves_nothing(tmp_path):
    with pytest.raises(DataError, match=r"row 2: 'text' has 32,768 characters.*--sheet-format csv"):
        write_sheet(tmp_path / "s.xlsx", LAYOUT, rows(["x" * 32_768]))
    assert list(tmp_path.iterdir()) == []
    write_sheet(tmp_path / "s.xlsx", LAYOUT, rows(["x" * 32_767]))


def test_an_unwritable_folder_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        write_sheet(tmp_path / "file" / "s.csv", LAYOUT, [])
