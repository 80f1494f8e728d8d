"""Untrusted text (model names, topics, answers, replies) made inert for each format a report is written in."""

from __future__ import annotations

import re

from pak3h_tasks.text.terminal import printable

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
}


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
