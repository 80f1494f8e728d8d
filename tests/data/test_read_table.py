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


def test_the_first_worksheet_with_cells_or_the_one_called_items(tmp_path):
    assert read(tmp_path, "t.xlsx", xlsx([], second=[["a"], ["x"]])).rows == ((2, {"a": "x"}),)
    assert read(tmp_path, "t.xlsx", xlsx([["b"], ["y"]], items=[["a"], ["x"]])).columns == ("a",)


def test_a_formula_is_its_last_value_and_an_error_is_refused(tmp_path):
    assert read(tmp_path, "t.xlsx", xlsx([["a", "b"], ["x", "=1+1"]])).rows == ((2, {"a": "x", "b": ""}),)
    with pytest.raises(DataError, match="cell B2 holds the error #N/A"):
        read(tmp_path, "t.xlsx", xlsx([["a", "b"], ["x", "#N/A"]]))


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
        ("t.xlsx", xlsx([["a", "b"], ["x", "1"], ["y", datetime(2026, 3, 4)]]), "t.xlsx: cell B3 holds a date or time"),
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
