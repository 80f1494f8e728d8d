import gzip
import json
import lzma

import pyarrow
import pyarrow.parquet
import pytest

from pak3h_tasks.data.read_table import read_table
from pak3h_tasks.errors import DataError

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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", CSV),
        ("t.csv", "\ufeff" + CSV),
        ("t.csv.gz", gzip.compress(CSV.encode())),
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
        ("t.csv", CSV.encode("utf-16"), "t.csv: is UTF-16, not UTF-8"),
        ("t.xlsx", b"PK\x03\x04...", "t.xlsx: is a zip archive or an Excel workbook"),
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
