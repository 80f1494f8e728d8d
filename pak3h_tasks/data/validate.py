"""Read one JSONL data file with all its faults in one go: file, line, field and remedy."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any, NoReturn

from pak3h_tasks.data.check_rows import RowChecker
from pak3h_tasks.data.decode import as_utf8, decode_lines, read_bytes, refuse_no_text
from pak3h_tasks.data.faults import Faults
from pak3h_tasks.data.read_xlsx import is_workbook
from pak3h_tasks.progress import watched
from pak3h_tasks.schema import LANGS, Dataset, Item
from pak3h_tasks.text.escape import quoted


class RepeatedFieldError(ValueError):
    """A JSON object names a field twice; Python would silently keep the last."""


def read_items(path: Path, dataset: Dataset, name: str | None = None) -> tuple[Item, ...]:
    """The items of a ``.jsonl`` or ``.jsonl.gz`` file, in file order.

    Args:
        path: The file; UTF-8, one JSON object a line, blank lines ignored, BOM and CRLF accepted.
        dataset: Whose fields its items have.
        name: What messages call it; default: its folder and file name, such as ``truthfulqa/ur.jsonl``.

    Raises:
        DataError: Anything is wrong with it: one line a fault, at most 50 and a count of the rest.
    """
    faults = Faults(name or "/".join(path.parts[-2:]))
    data = read_bytes(path, faults)
    _refuse_no_lines(path, dataset, data, faults)
    lines = decode_lines(data, faults)
    _refuse_other_formats(path, dataset, lines, faults)
    checker = RowChecker(dataset, faults)
    items = []
    for number, line in watched(lines, f"reading {path.name}", unit="line"):
        # Files joined with `cat` carry byte-order marks inside.
        text = line.lstrip("\ufeff")
        if not text or text.isspace():
            continue
        try:
            row = decode_json(text)
        except (ValueError, RecursionError) as error:
            faults.add(explain_json(error, text), number)
            continue
        # UTF-8 itself holds neither, and JSON allows no raw control character: only an escape can bring them.
        item = checker.check(row, number, may_hold_odd_characters="\\u" in text)
        if item is not None:
            items.append(item)
    if not items and not faults:
        faults.add("has no items; put one JSON object a line")
    if faults:
        raise faults.error()
    return tuple(items)


def decode_json(text: str) -> Any:
    """`json.loads` that refuses a field named twice.

    Raises:
        ValueError: Not JSON (`json.JSONDecodeError`), or a `RepeatedFieldError`.
        RecursionError: Nested too deeply.
    """
    return _DECODER.decode(text)


def explain_json(error: Exception, text: str) -> str:
    """What is wrong with a JSON text and what to do, on one line."""
    if isinstance(error, RepeatedFieldError):
        return str(error)
    if not isinstance(error, json.JSONDecodeError):
        return f"broken JSON ({type(error).__name__}: nested too deeply or a number too long); write a plain item"
    if error.msg.startswith("Invalid control character"):
        char = error.doc[error.pos : error.pos + 1]
        remedy = "write it as \\n or \\t, or remove it"
        return f"broken JSON at character {error.pos + 1}: raw control character {char!r}; {remedy}"
    if text.lstrip().startswith("{'"):
        return "broken JSON: names stand in single quotes; JSON wants double quotes"
    if error.pos >= len(text.rstrip()):
        return (
            f"broken JSON: it ends too early ({error.msg.lower()}); was the file cut off, or an item spread over lines?"
        )
    return f"broken JSON at character {error.pos + 1} ({error.msg.lower()}); write one JSON object a line"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in fields if names.count(name) > 1)
        raise RepeatedFieldError(f"field {quoted(twice)} stands twice; keep one")
    return fields


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def _refuse_no_lines(path: Path, dataset: Dataset, data: bytes, faults: Faults) -> None:
    """Raise one fault for a file whose bytes make no lines of JSON, whatever their encoding."""
    if data.startswith(b"PAR1"):
        _refuse(path, "a Parquet file", dataset, faults)
    if is_workbook(data, faults):
        _refuse(path, "an Excel workbook", dataset, faults)
    refuse_no_text(data, faults)
    # Excel's 'Unicode Text' ends in .txt.
    if path.suffix.lower() in (".csv", ".tsv", ".txt", ".xls", ".xlsx"):
        start = as_utf8(data, faults).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        if start not in (b"", b"{", b"["):
            _refuse(path, "a table", dataset, faults)


def _refuse_other_formats(path: Path, dataset: Dataset, lines: list[tuple[int, str]], faults: Faults) -> None:
    """Raise one fault for a file that is no JSONL at all, instead of one for each of its lines."""
    first = next((line.lstrip("\ufeff").strip() for _, line in lines if line.strip("\ufeff \t\r")), "")
    if first.startswith("version https://git-lfs"):
        faults.raise_now("is a Git LFS pointer, not the data; fetch it with: git lfs pull")
    elif first.startswith("["):
        kind = "one JSON array"
    elif first.startswith("{") and _is_pretty_printed(lines):
        kind = "JSON spread over several lines"
    else:
        return
    _refuse(path, kind, dataset, faults)


def _refuse(path: Path, kind: str, dataset: Dataset, faults: Faults) -> NoReturn:
    lang = next((one for one in LANGS if one == path.name.split(".")[0]), "LANG")
    command = f"pak3h data convert {shlex.quote(str(path))} --dataset {dataset} --lang {lang} --out DIR"
    faults.raise_now(f"is {kind}, not one item a line; convert it with: {command}")


def _is_pretty_printed(lines: list[tuple[int, str]]) -> bool:
    first_line = next(line for _, line in lines if line.strip("\ufeff \t\r"))
    try:
        decode_json(first_line.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        pass
    else:
        return False
    text = "\n".join(line for _, line in lines).lstrip("\ufeff \t\r\n")
    try:
        _, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return "\n" in text[:end]
