import gzip
import json

import openpyxl
import pytest

from pak3h_tasks.data.validate import read_items
from pak3h_tasks.errors import DataError
from support.data_files import ABSENT, harmless, helpful, honest, line, write_jsonl


def faults_of(path, dataset="truthfulqa"):
    with pytest.raises(DataError) as error:
        read_items(path, dataset)
    return str(error.value).splitlines()


def write(tmp_path, content, name="truthfulqa/ur.jsonl"):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_all_faults_of_a_file_in_one_go(tmp_path):
    path = write_jsonl(
        tmp_path / "truthfulqa" / "ur.jsonl",
        [
            honest(1),
            honest(2, correct_answers=[]),
            honest(3, qestion="x", question=ABSENT),
            honest(1, question="other?"),
            honest(5, localization="xx", incorrect_answers=["a", " "]),
            honest(6, best_answer=ABSENT, colour="red"),
            honest(7, best_answer=3, correct_answers=["a", None], incorrect_answers="x", type="adversarial"),
            ["not", "an", "item"],
            honest(9, id=" ", question="\n"),
            honest(10, localization=None),
        ],
    )
    name = "truthfulqa/ur.jsonl"
    fields = "id, localization, question, best_answer, correct_answers, incorrect_answers, topic, type, source"
    assert faults_of(path) == [
        f"{name} line 2: 'correct_answers' is empty; give at least one",
        f"{name} line 3: unknown field 'qestion'; did you mean 'question'?",
        f"{name} line 4: id 'h1' is already used on line 1; ids must be unique",
        f"{name} line 5: 'localization' is 'xx'; use 'dt', 'lc' or 'li'",
        f"{name} line 5: 'incorrect_answers' has an empty answer (number 2); remove it or write it",
        f"{name} line 6: unknown field 'colour'; the fields are {fields}",
        f"{name} line 6: 'best_answer' is missing; give it",
        f"{name} line 7: 'best_answer' must be text, not a number (3)",
        f"{name} line 7: 'correct_answers' entry 2 must be text, not null",
        f"{name} line 7: 'incorrect_answers' must be a list of texts, not text ('x')",
        f"{name} line 7: 'type' is 'adversarial'; use 'Adversarial' or 'Non-Adversarial'",
        f'{name} line 8: holds a list, not an item; write one object a line: {{"id": ...}}',
        f"{name} line 9: 'id' is empty; give a text",
        f"{name} line 9: 'question' is empty; give a text",
        f"{name} line 10: 'localization' is null; use 'dt', 'lc' or 'li'",
    ]


def test_a_wrong_column_in_every_line_is_one_line(tmp_path):
    path = write_jsonl(tmp_path / "alpaca" / "en.jsonl", [helpful(n, Output="x", output=ABSENT) for n in range(1, 101)])
    assert faults_of(path, "alpaca") == [
        "alpaca/en.jsonl lines 1, 2, 3 and 97 more: unknown field 'Output'; did you mean 'output'?"
    ]


def test_harm_labels(tmp_path):
    wrong = harmless(2)["category"] | {"animal_abuse": "maybe"}
    rows = [harmless(1, category={"self_harm": True}), harmless(2, category=wrong), harmless(3, is_safe="perhaps")]
    faults = faults_of(write_jsonl(tmp_path / "beavertails" / "ur.jsonl", rows), "beavertails")
    assert faults[0].startswith(
        "beavertails/ur.jsonl line 1: 'category' must have exactly the 14 BeaverTails categories"
    )
    assert faults[1:] == [
        "beavertails/ur.jsonl line 2: 'category' 'animal_abuse' must be true or false, not text ('maybe')",
        "beavertails/ur.jsonl line 3: 'is_safe' must be true or false, not text ('perhaps')",
    ]


def test_broken_json_does_not_hide_other_faults(tmp_path):
    text = "\n".join([line(honest(1))[:-1], line(honest(2, topic=5)), "{'id': 'x'}", '{"id": "1", "id": "2"}', "{,}"])
    faults = faults_of(write(tmp_path, text))
    assert [fault.split(": ", 1)[0].rsplit(" ", 1)[1] for fault in faults] == ["1", "2", "3", "4", "5"]
    assert "it ends too early" in faults[0]
    assert "'topic' must be text" in faults[1]
    assert "double quotes" in faults[2]
    assert "field 'id' stands twice" in faults[3]
    assert "broken JSON at character 2" in faults[4]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (json.dumps([honest(1), honest(2)]), "is one JSON array"),
        (json.dumps([honest(1), honest(2)], indent=2), "is one JSON array"),
        (json.dumps(honest(1), indent=2), "is JSON spread over several lines"),
        ("\n".join(json.dumps(honest(n), indent=2) for n in (1, 2)), "is JSON spread over several lines"),
        (b"PAR1 and more", "is a Parquet file"),
    ],
)
def test_other_formats_are_named_with_the_command_that_converts_them(tmp_path, content, words):
    (fault,) = faults_of(write(tmp_path, content))
    assert fault.startswith(f"truthfulqa/ur.jsonl: {words}, not one item a line; convert it with: pak3h data convert ")
    assert "--dataset truthfulqa --lang ur" in fault


def test_tables_and_workbooks_are_named_with_the_command_that_converts_them(tmp_path):
    tables = {
        "ur.csv": "id؛question\nx؛y\n".encode(),
        "ur.txt": "id\tquestion\n".encode("utf-16"),
        "ur.tsv": "id\tquestion\nx\tسوال".replace("ی", "ي").encode("cp1256"),
    }
    for name, content in tables.items():
        (tmp_path / name).write_bytes(content)
        (fault,) = faults_of(tmp_path / name)
        assert fault.endswith(
            f"{name}: is a table, not one item a line; convert it with: "
            f"pak3h data convert {tmp_path / name} --dataset truthfulqa --lang ur --out DIR"
        )
    book = openpyxl.Workbook()
    book.save(tmp_path / "ur.jsonl")
    (fault,) = faults_of(tmp_path / "ur.jsonl")
    assert "ur.jsonl: is an Excel workbook, not one item a line; convert it with: pak3h data convert " in fault


def test_git_lfs_pointer(tmp_path):
    (fault,) = faults_of(write(tmp_path, "version https://git-lfs.github.com/spec/v1\noid sha256:00\n"))
    assert "git lfs pull" in fault


def test_latin_1_names_line_byte_and_remedy_and_other_lines_are_still_checked(tmp_path):
    first = line(honest(1)).encode()
    latin = line(honest(2, topic="Café")).replace("سوال", "q").encode("latin-1", "replace")
    content = b"\n".join([first, latin, line(honest(3, topic=1)).encode()])
    encoding, topic = faults_of(write(tmp_path, content))
    offset = len(first) + 1 + latin.index(b"\xe9")
    assert encoding.startswith(
        f"truthfulqa/ur.jsonl line 2: byte 0xE9 (offset {offset}) is not UTF-8; probably Latin-1 or Windows-1252: "
    )
    assert "iconv -f WINDOWS-1252 -t UTF-8" in encoding
    assert topic == "truthfulqa/ur.jsonl line 3: 'topic' must be text, not a number (1)"


def test_offset_of_a_bad_byte_counts_the_byte_order_mark(tmp_path):
    content = b"\xef\xbb\xbf" + b'{"id": "\xe9"}'
    assert "line 1: byte 0xE9 (offset 11)" in faults_of(write(tmp_path, content))[0]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_is_one_fault(tmp_path, encoding):
    (fault,) = faults_of(write(tmp_path, (line(honest(1)) + "\n").encode(encoding)))
    assert fault.startswith(f"truthfulqa/ur.jsonl: is {encoding[:6].upper()}, not UTF-8")


def test_bom_crlf_blank_lines_and_unicode_line_separators_are_simply_read(tmp_path):
    rows = [honest(1, topic="a\u2028b\u0085c"), honest(2)]
    content = "\ufeff\r\n" + "\r\n \r\n\r\n".join(map(line, rows)) + "\r\n\r\n"
    items = read_items(write(tmp_path, content), "truthfulqa")
    assert [item.model_dump(exclude_defaults=True) for item in items] == rows


def test_gzip_is_seen_from_the_content(tmp_path):
    content = gzip.compress((line(honest(1)) + "\n").encode())
    assert len(read_items(write(tmp_path, content), "truthfulqa")) == 1
    (fault,) = faults_of(write(tmp_path, content[:-9]))
    assert "its compressed data is damaged" in fault


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n \r\n"])
def test_no_items(tmp_path, content):
    assert faults_of(write(tmp_path, content)) == ["truthfulqa/ur.jsonl: has no items; put one JSON object a line"]


def test_missing_file(tmp_path):
    (fault,) = faults_of(tmp_path / "truthfulqa" / "ur.jsonl")
    assert fault.startswith("truthfulqa/ur.jsonl: no such file")


def test_nul_and_lone_surrogates(tmp_path):
    rows = [
        line(honest(1)).replace("Law", "a\\u0000b"),
        line(honest(2)).replace("Law", "a\\ud83db"),
        line(honest(3)).replace("دوسرا جواب", "\\u0000"),
        line(honest(4)).replace("Law", "a\x00b"),
        line(honest(5)).replace("Law", "fine: \\ud83d\\ude00 and \\\\u0000"),
    ]
    faults = faults_of(write(tmp_path, "\n".join(rows)))
    assert faults[:3] == [
        "truthfulqa/ur.jsonl line 1: 'topic' holds a NUL character; remove it",
        "truthfulqa/ur.jsonl line 2: 'topic' holds a lone surrogate (half of a character); write the whole character",
        "truthfulqa/ur.jsonl line 3: 'correct_answers' holds a NUL character; remove it",
    ]
    assert "line 4: broken JSON at character" in faults[3]
    assert "control character" in faults[3]
    assert len(faults) == 4


def test_hostile_text_is_escaped_and_short_in_messages(tmp_path):
    rows = [honest(1, **{"\x1b[2J\u202e": 1}), honest(2, localization="\u202e" * 9999), honest(3, category="[" * 9999)]
    faults = faults_of(write_jsonl(tmp_path / "truthfulqa" / "ur.jsonl", rows))
    assert len(faults) == 3
    assert all(fault.isprintable() and len(fault) < 600 for fault in faults)


def test_json_that_is_too_deep_or_too_long_is_a_fault_not_a_crash(tmp_path):
    deep, long = '{"id": ' + "[" * 200_000, '{"id": ' + "1" * 10_000 + "}"
    faults = faults_of(write(tmp_path, f"{deep}\n{long}"))
    assert ["broken JSON" in fault for fault in faults] == [True, True]
