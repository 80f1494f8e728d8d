"""Tables as terminal text, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pak3h_tasks.report.table import Entry, Number, Table, entry_text
from pak3h_tasks.text.aligned import aligned
from pak3h_tasks.text.escape import latex, markdown, one_line

_PUBLISHED = "Published (Pak3H, arXiv 2608.30065): other models, data or judges; not measured here"
# a note names models, files and signatures
_NOTE_CHARS = 1000


def rendered(tables: Sequence[Table], form: str, notices: Sequence[str] = ()) -> str:
    """Tables as ``table`` (plain text), ``markdown`` or ``latex``."""
    return {"table": terminal, "markdown": as_markdown, "latex": as_latex}[form](tables, notices)


def terminal(tables: Sequence[Table], notices: Sequence[str] = ()) -> str:
    """Plain text, columns aligned, published rows under a heading of their own."""
    blocks = [f"note: {one_line(notice, _NOTE_CHARS)}" for notice in notices]
    found = ["\n".join(blocks)] if blocks else []
    for table in tables:
        cells = [_cells(row, one_line) for row in (table.header, *table.rows, *table.published)]
        lines = aligned(cells, table.left)
        own, paper = lines[1 : 1 + len(table.rows)], lines[1 + len(table.rows) :]
        text = [one_line(table.title), "", lines[0], "-" * max(map(len, lines)), *own]
        text += ["", f"{_PUBLISHED}:", *paper] if paper else []
        notes = (*table.notes, *table.made_by)
        text += ["", *(one_line(note, _NOTE_CHARS) for note in notes)] if notes else []
        found.append("\n".join(text))
    return "\n\n\n".join(found)


def as_markdown(tables: Sequence[Table], notices: Sequence[str] = ()) -> str:
    """GitHub Markdown; published rows in a table of their own."""
    found = ["\n".join(f"> {markdown(notice, _NOTE_CHARS)}  " for notice in notices)] if notices else []
    for table in tables:
        rule = [":---" if left else "---:" for left in table.left]
        parts = [f"### {markdown(table.title)}", _grid(table, table.rows, rule)]
        if table.published:
            parts += [f"*{_PUBLISHED}:*", _grid(table, table.published, rule)]
        notes = (*table.notes, *table.made_by)
        parts += ["\n".join(f"{markdown(note, _NOTE_CHARS)}  " for note in notes)] if notes else []
        found.append("\n\n".join(parts))
    return "\n\n".join(found)


def as_latex(tables: Sequence[Table], notices: Sequence[str] = ()) -> str:
    r"""One ``table`` environment each, for ``\usepackage{booktabs}``."""
    found = [r"% \usepackage{booktabs}; Urdu letters in names need XeLaTeX or LuaLaTeX"]
    found += [f"% {latex(notice, _NOTE_CHARS)}" for notice in notices]
    for table in tables:
        lines = [
            r"\begin{table}",
            r"\centering\small",
            rf"\caption{{{latex(table.title)}. {' '.join(map(latex, table.notes))}}}",
            rf"\label{{tab:pak3h-{table.key}}}",
            rf"\begin{{tabular}}{{{''.join('l' if left else 'r' for left in table.left)}}}",
            r"\toprule",
            _latex_row(table.header),
            r"\midrule",
            *map(_latex_row, table.rows),
        ]
        if table.published:
            heading = rf"\multicolumn{{{len(table.header)}}}{{l}}{{\emph{{{latex(_PUBLISHED)}}}}} \\"
            lines += [r"\midrule", heading, *map(_latex_row, table.published)]
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
        lines += [f"% {latex(note, _NOTE_CHARS)}" for note in table.made_by]
        found.append("\n".join(lines))
    return "\n\n".join(found)


def _cells(row: Sequence[Entry], safe: Callable[[str], str]) -> list[str]:
    return [safe(entry_text(entry)) for entry in row]


def _grid(table: Table, rows: Sequence[Sequence[Entry]], rule: Sequence[str]) -> str:
    lines = [_cells(table.header, markdown), list(rule), *(_cells(row, markdown) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _latex_row(row: Sequence[Entry]) -> str:
    cells = []
    for entry in row:
        if isinstance(entry, Number):
            interval = rf" {{\scriptsize {entry.interval_text}}}" if entry.interval_text else ""
            cells.append(f"{entry.value_text}{interval}")
        else:
            cells.append(latex(entry_text(entry)))
    return " & ".join(cells) + r" \\"
