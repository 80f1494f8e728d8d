"""The folder that is served: leaderboard, a page a model, tables; nothing in it loads anything from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pak3h_tasks.board.config import Board
from pak3h_tasks.data.sample_log import Run
from pak3h_tasks.errors import DataError
from pak3h_tasks.files import write_text
from pak3h_tasks.report.build import LoadedInputs, load_runs, report_of
from pak3h_tasks.report.leaderboard import leaderboard
from pak3h_tasks.report.leaderboard_tables import board_csv
from pak3h_tasks.report.page.leaderboard_page import Site, leaderboard_page
from pak3h_tasks.report.page.report_page import report_page
from pak3h_tasks.report.scores import Options

MANIFEST = ".pak3h_board.json"
"""Names the files that a board has written, so that those of a model that is gone can be removed, and no other."""
_REMEDY = "name another folder for output:"


@dataclass
class BoardSite:
    """Writes the folder.

    Args:
        board: The board.
        options: What the models' pages leave out.

    Raises:
        DataError: The folder has a page that no board wrote.
    """

    board: Board
    options: Options = field(default_factory=Options)
    _written: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        folder = self.board.site
        if (folder / "index.html").exists() and not (folder / MANIFEST).exists():
            raise DataError(f"{folder / 'index.html'}: no board wrote this page; {_REMEDY}")

    def write(self, runs: Mapping[str, Sequence[Run]], failed: Mapping[str, str]) -> Path:
        """Write everything; what an earlier board wrote and this one does not is removed.

        Args:
            runs: Model's name -> what is shown of it.
            failed: Models without a run -> why.

        Returns:
            The first page.

        Raises:
            DataError: The folder cannot be written.
        """
        # first of all: killed half-way, the next one must know the page for its own
        self._note([*self._known(), "index.html"])
        self._written = []
        slugs = self.board.slugs()
        loaded = {name: load_runs(found) for name, found in runs.items() if found}
        systems = [system for inputs in loaded.values() for system in inputs.systems]
        made = leaderboard(systems, [notice for inputs in loaded.values() for notice in inputs.notices])
        pages: dict[str, str] = {}
        for name, inputs in loaded.items():
            page = f"models/{slugs[name]}.html"
            pages |= {system.system.label: page for system in inputs.systems}
            self._put(page, self._report(inputs))
        self._put("leaderboard.csv", board_csv(made))
        files = {"All numbers (CSV)": "leaderboard.csv"}
        self._put("index.html", leaderboard_page(made, Site(self.board.title, pages, files, failed)))
        self._forget()
        return self.board.site / "index.html"

    def _report(self, inputs: LoadedInputs) -> str:
        return report_page(report_of(inputs, self.options), inputs.systems, home="../index.html")

    def _put(self, name: str, text: str) -> None:
        write_text(self.board.site / name, text, _REMEDY, make_folder=True)
        self._written.append(name)

    def _forget(self) -> None:
        for name in set(self._known()) - set(self._written):
            path = self.board.site / name
            if self.board.site.resolve() in path.resolve().parents:
                path.unlink(missing_ok=True)
        self._note(self._written)

    def _known(self) -> list[str]:
        try:
            return [str(name) for name in json.loads((self.board.site / MANIFEST).read_text("utf-8"))["files"]]
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def _note(self, names: Sequence[str]) -> None:
        text = json.dumps({"files": sorted(set(names))}, indent=1)
        write_text(self.board.site / MANIFEST, text, _REMEDY, make_folder=True)
