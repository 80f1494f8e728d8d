"""The one place that makes untrusted text (model outputs, data, names) safe to show: what may not be shown raw, where.

`printable` and `quoted` for terminals and messages, `one_line` for tables, `markdown`, `latex`, `csv_cell` and
`json_text` for files, `visible` for pages (whose templates escape HTML; `report/page/assets/text.js` does the same).
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

_FORMULA = re.compile(r'(^|;\s*"?)(?=[-=+@＝＋－＠])')
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "^": r"\textasciicircum{}",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "|": r"\textbar{}",
    # after a row's end a bracket would start its optional argument
    "[": "{[}",
    "]": "{]}",
    "→": r"$\rightarrow$",
}
# C1 controls and bidi controls mean something to a terminal even inside a JSON string
_ACTING = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
# Not here: ZWNJ and ZWJ, which Urdu spelling needs, and the marks LRM, RLM and ALM, which reach no further than a word.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u180e\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_ARABIC = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
# the last right-to-left letter before Latin ones, an arrow or the end: numbers inside an Urdu name stay in it
_LAST_LETTER = re.compile(f"[{_ARABIC}](?![^A-Za-z→(,]*[{_ARABIC}])")
_MAX_CHARS = 4000


def printable(text: str) -> str:
    r"""The text with every character that is not plainly visible written as an escape; newlines and tabs stay.

    Example:
        >>> print(printable("a\x1b[31m\u202eb"))
        a\x1b[31m\u202eb
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else repr(char)[1:-1] for char in text)


def quoted(value: object, limit: int = 60) -> str:
    r"""A value as Python would quote it, on one line, cut to about `limit` characters.

    Example:
        >>> print(quoted("نہیں\n"), quoted("x" * 100, limit=8))
        'نہیں\n' 'xxxxxxxx'...
    """
    if isinstance(value, str):
        return repr(value) if len(value) <= limit else f"{value[:limit]!r}..."
    # repr escapes what is not printable in nested texts too.
    shown = repr(value)
    return shown if len(shown) <= limit else f"{shown[:limit]}..."


def one_line(text: str, limit: int = 200) -> str:
    r"""On one line, without control characters and bidi overrides, cut at a limit.

    Example:
        >>> print(one_line("a\n\x1b[31m\u202eb"), one_line("x" * 30, limit=8))
        a \x1b[31m\u202eb xxxxxxx…
    """
    # cut first: a text may be a megabyte
    text = " ".join(text[: limit + 1].split()) if len(text) > limit else " ".join(text.split())
    text = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return printable(text)


def markdown(text: str, limit: int = 200) -> str:
    r"""For a cell of a Markdown table: no markup, no HTML, no new cell.

    Example:
        >>> print(markdown("a|b <script> org/my_model-7b"))
        a\|b &lt;script&gt; org/my\_model-7b
    """
    text = one_line(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~$])", r"\\\1", text)


def latex(text: str, limit: int = 200) -> str:
    r"""For running text in LaTeX: no command, no comment, no mathematics.

    Example:
        >>> print(latex(r"50% of \input{x} & $a_1$"))
        50\% of \textbackslash{}input\{x\} \& \$a\_1\$
    """
    return "".join(_LATEX.get(char, char) for char in one_line(text, limit))


def csv_cell(text: str) -> str:
    """For a spreadsheet: never a formula (OWASP: a leading = + - @ tab or return gets an apostrophe).

    Also behind a semicolon, where spreadsheets of many countries begin a new cell.

    Example:
        >>> csv_cell("=HYPERLINK(1)"), csv_cell("-"), csv_cell("gpt-4o"), csv_cell("a;=B1")
        ("'=HYPERLINK(1)", '-', 'gpt-4o', "a;'=B1")
    """
    text = one_line(text, limit=2000)
    return text if text == "-" else _FORMULA.sub(r"\1'", text)


def json_text(content: Any) -> str:
    r"""JSON with Urdu readable, no character that a terminal could act on, and null for what is no finite number.

    Example:
        >>> json_text(["ہاں\u202e\x1b", float("nan")])
        '[\n "ہاں\\u202e\\u001b",\n null\n]'
    """
    text = json.dumps(finite(content), ensure_ascii=False, indent=1, allow_nan=False)
    return _ACTING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def finite(content: Any) -> Any:
    """The content with None for what is no finite number: strict JSON readers refuse NaN."""
    if isinstance(content, dict):
        return {name: finite(value) for name, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [finite(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def left_to_right(text: str) -> str:
    r"""A label whose parts stand from left to right, also where some are Urdu: `visible` keeps the marks that do it.

    Without them a date or an arrow after an Urdu name is drawn back to front.

    Example:
        >>> left_to_right("ماڈل ہ 2026-12-03")
        '\u200eماڈل ہ\u200e 2026-12-03'
        >>> left_to_right("gpt-4o → judge")
        'gpt-4o → judge'
    """
    marked = _LAST_LETTER.sub("\\g<0>\u200e", text)
    return text if marked == text else f"\u200e{marked}"


def visible(text: str) -> str:
    r"""The text with every acting or invisible character as ``⟦U+...⟧``, cut where it is out of all measure.

    `assets/text.js` does the same for the texts of samples.

    Example:
        >>> visible("a\u202eb\x00"), visible("می\u200cکنم") == "می\u200cکنم"
        ('a⟦U+202E⟧b⟦U+0000⟧', True)
    """
    if len(text) > _MAX_CHARS:
        text = f"{text[:_MAX_CHARS]}… ({len(text):,} characters)"
    return _INVISIBLE.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text)
