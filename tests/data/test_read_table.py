import gzip
import io
import json
import lzma
import sys
import zipfile
from datetime import datetime

import openpyxl
import pyarrow
import pyarrow.parquet
import pytest

from pak3h_tasks.data.read_table import read_table
from pak3h_tasks.errors import DataError, MissingExtra

ROWS = [{"a": "ایک", "b": "1"}, {"a": "two, three", "b": "2"}]
CSV = 'a,b\r\nایک,1\r\n"two, three",2\r\n'


def read(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path)


def parquet(rows):
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), sink)
    return sink.getvalue().to_pybytes()


def xlsx(rows, **more):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title, others in more.items():
        sheet = book.create_sheet(title)
        for row in others:
            sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


xlsx_of_a_row = xlsx([["a"], ["x"]])


def zipped(name):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr(name, "x")
    return sink.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", CSV),
        ("t.csv", "\ufeff" + CSV),
        ("t.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("t", CSV),
        ("t.csv", '\na,,b,\nایک,,1,\n"two, three",,2,\n'),
        ("t.csv", "\ufeff" + CSV.replace(",", ";").replace("two;", "two,")),
        ("t.csv", CSV.replace(",", "\t").replace("two\t", "two,")),
        ("t.tsv", CSV.replace(",", "\t").replace("two\t", "two,")),
        ("t.csv", "a;b\r\nایک;1\r\ntwo, three;2\r\n"),
        ("t.txt", "a\tb\nایک\t1\ntwo, three\t2\n"),
        ("t.json", json.dumps(ROWS)),
        ("t.json", json.dumps({"version": 1, "data": ROWS}, indent=2)),
        ("t.json", "\n".join(map(json.dumps, ROWS))),
        ("t.jsonl", "\r\n\r\n".join(map(json.dumps, ROWS))),
        ("t.jsonl", json.dumps(ROWS)),
        ("t.csv", CSV.encode("utf-16")),
        ("t.csv", CSV.encode("utf-16-be")),
        ("t.csv", CSV.encode("utf-32")),
        ("t.txt", CSV.replace(",", "\t").replace("two\t", "two,").encode("utf-16-le")),
        ("t.json", json.dumps(ROWS, ensure_ascii=False).encode("utf-16")),
        ("t.jsonl", "\n".join(map(json.dumps, ROWS)).encode("utf-16-le")),
        ("t.csv", "sep=;\r\n" + CSV.replace(",", ";").replace("two;", "two,")),
        ("t.csv", "\ufeffsep=,\n" + CSV),
        ("t.csv", '"sep=|"\r\na|b\r\nایک|1\r\ntwo, three|2\r\n'),
        ("t.csv", ("SEP=\t\r\n" + CSV.replace(",", "\t").replace("two\t", "two,")).encode("utf-16")),
        ("t.xlsx", xlsx([["a", "b"], ["ایک", 1], ["two, three", 2.0]])),
        ("t", xlsx([[], ["a ", None, "b", None], [], ["ایک", None, "1"], ["two, three", "", "2"], []])),
        ("t.jsonl.xz", lzma.compress("\n".join(map(json.dumps, ROWS)).encode())),
        ("t.parquet", parquet(ROWS)),
        ("train-00000-of-00001", parquet(ROWS)),
    ],
)
def test_every_format_gives_the_same_rows(tmp_path, name, content):
    table = read(tmp_path, name, content)
    assert [row for _, row in table.rows] == ROWS
    assert table.columns == ("a", "b")


def test_positions_are_the_lines_a_text_editor_shows(tmp_path):
    table = read(tmp_path, "t.csv", 'a,b\n"one\nover\nlines",1\n\nx,2\n')
    assert [position for position, _ in table.rows] == [2, 6]
    assert table.rows[0][1]["a"] == "one\nover\nlines"


def test_lines_below_a_separator_line_are_numbered_as_an_editor_shows_them(tmp_path):
    table = read(tmp_path, "t.csv", 'sep=;\na;b\n"one\nover";1\nx;2\n')
    assert [position for position, _ in table.rows] == [3, 5]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", "؛", "،"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_every_separator_encoding_and_line_end(tmp_path, separator, encoding, end):
    lines = [["id", "prompt"], ["1", "ایک\nدو"], ["2", "a, b; c؛ d، e|\tf"]]
    text = end.join(separator.join(f'"{cell}"' for cell in line) for line in lines)
    for said in ("", f"sep={separator}{end}", f'"SEP={separator}"{end}', f"{separator}{separator}{end}{end}"):
        table = read(tmp_path, "t.csv", (said + text + end).encode(encoding))
        assert [list(row.values()) for _, row in table.rows] == lines[1:], said


def test_a_separator_line_with_spaces_or_with_the_name_of_the_tab(tmp_path):
    assert read(tmp_path, "t.csv", "sep= ; \r\na;b\r\nx,y;1\r\n").rows == ((3, {"a": "x,y", "b": "1"}),)
    assert read(tmp_path, "t.csv", "sep=\\t\na\tb\nx,y\t1\n").rows == ((3, {"a": "x,y", "b": "1"}),)


def test_blank_cells_beyond_the_header_are_nothing_and_text_there_is_a_fault(tmp_path):
    assert [row for _, row in read(tmp_path, "t.csv", "a,b\nx,1,,\n,,,\ny,2, \n,\n").rows] == [
        {"a": "x", "b": "1"},
        {"a": "y", "b": "2"},
    ]
    with pytest.raises(DataError, match="line 2: has 4 cells where the header has 2"):
        read(tmp_path, "t.csv", "a,b\nx,1,,z\n")


@pytest.mark.parametrize("mark", ["\ufeff", "\u200f", "\u200e", "\xa0", "\u202b", " \u200b"])
def test_marks_around_the_names_of_columns_are_nothing(tmp_path, mark):
    assert read(tmp_path, "t.csv", f"{mark}a{mark},b\nx,1\n").columns == ("a", "b")
    assert read(tmp_path, "t.xlsx", xlsx([[f"{mark}a", f"b{mark}"], ["x", "1"]])).columns == ("a", "b")


def test_names_in_another_spelling_are_ours_and_the_exact_one_wins(tmp_path):
    table = read(tmp_path, "t.csv", "Is-Safe, PROMPT ,Other\n1,x,y\n").named(("is_safe", "prompt", "id"))
    assert (table.columns, table.rows[0][1]) == (
        ("is_safe", "prompt", "Other"),
        {"is_safe": "1", "prompt": "x", "Other": "y"},
    )
    assert read(tmp_path, "t.csv", "ID,id\n1,2\n").named(("id",)).columns == ("ID", "id")


def test_a_worksheet_is_a_table_and_a_page_of_notes_or_a_hidden_one_is_not(tmp_path):
    notes = [["Made by us"], ["in 2026"]]
    table = read(tmp_path, "t.xlsx", xlsx(notes, data=[["a", "b"], ["x", "1"]]))
    assert (table.name, table.columns) == ("t.xlsx#data", ("a", "b"))
    book = openpyxl.load_workbook(io.BytesIO(xlsx([["c", "d"], ["y", "2"]], data=[["a", "b"], ["x", "1"]])))
    book.active.sheet_state, book.active = "hidden", 1
    book.save(tmp_path / "h.xlsx")
    table = read_table(tmp_path / "h.xlsx")
    assert (table.name, table.columns) == ("h.xlsx", ("a", "b"))


def test_worksheets_with_the_same_columns_are_told_apart_by_name(tmp_path):
    header = ["a", "b"]
    data = xlsx([["x"]], en=[header, ["en", "1"]], ur=[header, ["ur", "2"]])
    with pytest.raises(DataError) as error:
        read(tmp_path, "t.xlsx", data)
    assert str(error.value) == (
        "t.xlsx: worksheets 'en' and 'ur' have the same columns; say which one: 't.xlsx#en', or call it items"
    )
    assert read_table(tmp_path / "t.xlsx#UR").rows == ((2, {"a": "ur", "b": "2"}),)
    with pytest.raises(DataError, match=r"t.xlsx: has no worksheet 'de'; it has 'Sheet', 'en', 'ur'$"):
        read_table(tmp_path / "t.xlsx#de")


def test_a_title_above_the_header_and_blank_rows_are_left_out(tmp_path):
    table = read(tmp_path, "t.xlsx", xlsx([["Our data"], ["of 2026"], [], ["a", "b"], [], ["x", "1"]]))
    assert table.rows == ((6, {"a": "x", "b": "1"}),)


def test_a_merged_cell_counts_for_all_its_rows(tmp_path):
    book = openpyxl.Workbook()
    for row in (["a", "b"], ["x", "1"], [None, "2"], ["y", "3"]):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.save(tmp_path / "t.xlsx")
    assert [row["a"] for _, row in read_table(tmp_path / "t.xlsx").rows] == ["x", "x", "y"]


def test_dates_and_errors_matter_in_used_columns_only(tmp_path):
    day, error = datetime(2026, 3, 4), "#REF!"
    table = read(tmp_path, "t.xlsx", xlsx([["id", "made", "z"], ["1", day, error], ["2", day, error]])).named(("id",))
    assert [row["id"] for _, row in table.rows] == ["1", "2"]
    with pytest.raises(DataError) as fault:
        table.named(("made", "z"))
    assert str(fault.value).splitlines() == [
        "t.xlsx rows 2, 3: 'made' holds a date or time; format it as text and type it again",
        "t.xlsx rows 2, 3: 'z' holds the error #REF!; mend it or clear it",
    ]


def test_a_formula_is_its_last_value_and_one_without_value_is_a_fault_where_it_is_used(tmp_path):
    written = xlsx([["a", "b", "c"], ["x", "=1+1", '=""']])
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    # as spreadsheets save it: 1+1 with its value, "" as an empty text; openpyxl saves no values
    for old, new in (
        (b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>"),
        (b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>"),
        (b'r="C2"><f>', b'r="C2" t="str"><f>'),
    ):
        sheet = sheet.replace(old, new)
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        for name, part in (parts | {"xl/worksheets/sheet1.xml": sheet}).items():
            archive.writestr(name, part)
    assert read_table(tmp_path / "t.xlsx").named(("a", "b", "c")).rows == ((2, {"a": "x", "b": "2", "c": ""}),)
    table = read(tmp_path, "t.xlsx", written)
    assert table.named(("a",)) is table
    with pytest.raises(DataError, match=r"t.xlsx row 2: 'b' holds a formula without its value; open the file"):
        table.named(("b",))


def test_the_first_worksheet_with_cells_or_the_one_called_items(tmp_path):
    assert read(tmp_path, "t.xlsx", xlsx([], second=[["a"], ["x"]])).rows == ((2, {"a": "x"}),)
    assert read(tmp_path, "t.xlsx", xlsx([["b"], ["y"]], items=[["a"], ["x"]])).columns == ("a",)


def test_xlsx_without_openpyxl_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r'^XLSX files need openpyxl: pip install "openpyxl>=3.1"; or save'):
        read(tmp_path, "t.xlsx", xlsx_of_a_row)


def test_one_object_is_one_row(tmp_path):
    assert read(tmp_path, "t.json", json.dumps({"a": "x", "answers": ["y"]})).rows == (
        (1, {"a": "x", "answers": ["y"]}),
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "t.csv",
            'a,b\n"x,1\ny,2\n',
            "t.csv line 2: broken CSV (unexpected end of data); check that every quote is closed",
        ),
        ("t.csv", "a,b\nx\n", "t.csv line 2: has 1 cells where the header has 2; check its quotes"),
        ("t.csv", "a,b,a\n", "t.csv line 1: the header names 'a' twice; rename one"),
        ("t.csv", "a,b\n", "t.csv: has no rows; check the file"),
        ("t.csv", b"a,b\nCaf\xe9,1\n", "t.csv line 2: byte 0xE9 (offset 7) is not UTF-8"),
        ("t.csv", CSV.encode("utf-16")[:-1], "t.csv: is damaged UTF-16 (truncated data at byte "),
        ("t.xlsx", b"PK\x03\x04...", "t.xlsx: is a damaged zip archive or Excel workbook"),
        ("t.zip", zipped("t.csv"), "t.zip: is a zip archive; unpack it first"),
        ("t.ods", zipped("content.xml"), "t.ods: is an OpenDocument sheet; save it as .xlsx or 'CSV UTF-8'"),
        ("t.xlsx", zipped("xl/workbook.xml"), "t.xlsx: not a readable XLSX file"),
        ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "t.xls: is an Excel file of the old kind (.xls)"),
        (
            "t.xlsx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "t.xlsx: is locked with a password; save it without one",
        ),
        ("t.xls", "<html><table><tr><td>a</td></tr></table>", "t.xls: is HTML or XML, whatever its name"),
        ("t.numbers", zipped("Index/Document.iwa"), "t.numbers: is a Numbers document; export it as .xlsx or CSV"),
        (
            "t.csv",
            "a,b\nسوال,یہ\n".replace("ی", "ي").encode("cp1256"),
            "t.csv line 2: byte 0xD3 (offset 4) is not UTF-8; probably Windows-1256, which has no ی: save",
        ),
        ("t.xlsx", xlsx([["a", "a"], ["x", "1"]]), "t.xlsx row 1: the header names 'a' twice"),
        ("t.xlsx", xlsx([["a", "b"]]), "t.xlsx: has no rows"),
        ("t.json", "a,b\n", "t.json: is not JSON"),
        ("t.json", '[{"a": 1},\n{"a" 2}]', "t.json: line 2: broken JSON"),
        ("t.json", '[{"a": 1, "a": 2}]', "t.json: field 'a' stands twice"),
        ("t.json", '{"x": [{"a": 1}], "y": [{"a": 1}]}', "t.json: holds several lists of rows"),
        ("t.json", "[1]", "t.json row 1: is 1, not an object"),
        ("t.jsonl", '{"a": 1}\n{"a": 2\n', "t.jsonl line 2: broken JSON: it ends too early"),
        ("t.parquet", b"PAR1 but not really PAR1", "t.parquet: is a damaged Parquet file"),
    ],
)
def test_faults_are_one_line(tmp_path, name, content, message):
    with pytest.raises(DataError) as error:
        read(tmp_path, name, content)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_missing_file(tmp_path):
    with pytest.raises(DataError, match=r"t.csv: no such file"):
        read_table(tmp_path / "t.csv")
