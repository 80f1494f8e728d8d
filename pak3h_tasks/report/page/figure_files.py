"""Figures as files for papers: SVG from the page's own drawing, and PDF and PNG made from that SVG by typst."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pak3h_tasks.files import whole_file
from pak3h_tasks.report.names import LANG_NAMES
from pak3h_tasks.report.page.charts import WIDTH, Chart
from pak3h_tasks.report.page.figures import Entry, Figure
from pak3h_tasks.report.page.render import render_svg

_MARGIN, _BETWEEN, _LINE, _TITLE, _SIGN, _LETTER = 12, 28, 20, 26, 30, 6.6
_Form = Literal["pdf", "png"]
_FORMS: tuple[_Form, ...] = ("pdf", "png")
PNG_DPI = 300.0
"""Dots per inch of PNG files; a panel is 400 points (5.6 inches) wide."""


@dataclass(frozen=True)
class _Sheet:
    """A figure with its legend and panels placed; x, y, width and height in points."""

    figure: Figure
    legend: tuple[tuple[Entry, float, float], ...]
    panels: tuple[tuple[Chart, float, float], ...]
    width: float
    height: float


def write_figures(figures: Iterable[Figure], folder: Path) -> tuple[list[Path], bool]:
    """Write each figure as ``KEY.svg``, and as ``KEY.pdf`` and ``KEY.png`` where typst is installed.

    Args:
        figures: From `paper_figures` and `figures`.
        folder: Made when needed; files of the same names are replaced.

    Returns:
        Files written, and whether typst is installed (extra ``figures``).

    Raises:
        DataError: They cannot be written.
    """
    written = []
    has_typst = _has_typst()
    for figure in figures:
        path = folder / f"{figure.key}.svg"
        _write(path, as_svg(figure).encode("utf-8"))
        written.append(path)
        if has_typst:
            for suffix in _FORMS:
                other = path.with_suffix(f".{suffix}")
                _write(other, _converted(path, suffix))
                written.append(other)
    return written, has_typst


def as_svg(figure: Figure) -> str:
    """The figure as a file of its own, on white, with its legend and without caption."""
    return render_svg("figure.svg.j2", {"sheet": _sheet(figure)}, "figure.css")


def _sheet(figure: Figure) -> _Sheet:
    titled = len(figure.charts) > 1
    width = 2 * _MARGIN + len(figure.charts) * (WIDTH + _BETWEEN) - _BETWEEN
    legend = []
    x, y = float(_MARGIN), float(_MARGIN)
    for entry in figure.legend or [Entry(LANG_NAMES[lang], f"lang-{lang}", lang) for lang in figure.langs]:
        size = _SIGN + len(entry.text) * _LETTER
        if x > _MARGIN and x + size > width - _MARGIN:
            x, y = float(_MARGIN), y + _LINE
        legend.append((entry, x, y))
        x += size + _MARGIN
    top = y + _LINE + (_TITLE if titled else _MARGIN)
    panels = tuple((chart, float(_MARGIN + n * (WIDTH + _BETWEEN)), top) for n, chart in enumerate(figure.charts))
    height = top + max(chart.height for chart in figure.charts) + _MARGIN
    return _Sheet(figure, tuple(legend), panels, width, height)


def _has_typst() -> bool:
    try:
        import typst  # noqa: F401
    except ImportError:
        return False
    return True


def _converted(svg: Path, suffix: _Form) -> bytes:
    import typst

    draw: Any = typst.compile  # its types want source and root to be alike
    # a page as large as the figure
    source = f'#set page(width: auto, height: auto, margin: 0pt)\n#image("/{svg.name}")\n'
    found: bytes = draw(source.encode(), root=str(svg.parent), format=suffix, ppi=PNG_DPI)
    return found


def _write(path: Path, content: bytes) -> None:
    with whole_file(path, make_folder=True) as temporary:
        temporary.write_bytes(content)
