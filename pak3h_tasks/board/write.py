"""The folder that is served: leaderboard, a page a model, tables; nothing in it loads anything from elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ValidationError

from pak3h_tasks import __version__
from pak3h_tasks.board.config import Board
from pak3h_tasks.data.sample_log import Run
from pak3h_tasks.errors import DataError
from pak3h_tasks.files import write_text
from pak3h_tasks.progress import watched
from pak3h_tasks.publish.publish import Choices, NotWholeError, publish
from pak3h_tasks.report.build import LoadedInputs, load_runs, report_of
from pak3h_tasks.report.leaderboard import leaderboard
from pak3h_tasks.report.leaderboard_tables import board_csv
from pak3h_tasks.report.page.leaderboard_page import Site, leaderboard_page
from pak3h_tasks.report.page.report_page import report_page
from pak3h_tasks.report.run_choice import LoadedSystem
from pak3h_tasks.report.scores import Options

PUBLISHED = "publish"
"""Folder of the files for publishing."""
MANIFEST = ".pak3h_board.json"
"""Names the files that a board has written, so that those of a model that is gone can be removed, and no other."""
_REMEDY = "name another folder for output:"


class _Published(BaseModel):
    stamp: str
    files: list[str]


class _Manifest(BaseModel):
    files: list[str] = []
    published: dict[str, _Published] = {}

    @classmethod
    def read(cls, site: Path) -> _Manifest:
        """Of a folder; empty where there is none that can be read."""
        try:
            return cls.model_validate_json((site / MANIFEST).read_bytes())
        except (OSError, ValidationError):
            return cls()


@dataclass
class BoardSite:
    """Writes the folder.

    Args:
        board: The board.
        options: What the models' pages leave out.

    Attributes:
        unpublished: Why there are no files for publishing -> names of models.

    Raises:
        DataError: The folder has a page that no board wrote.
    """

    board: Board
    options: Options = field(default_factory=Options)
    unpublished: dict[str, list[str]] = field(default_factory=dict, init=False)
    _written: list[str] = field(default_factory=list, init=False)
    _published: dict[str, _Published] = field(default_factory=dict, init=False)

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
        known = _Manifest.read(self.board.site)
        self._note([*known.files, "index.html"], known.published)
        self._written, self._published = [], {}
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
        self._publish(loaded)
        self._forget()
        return self.board.site / "index.html"

    def _report(self, inputs: LoadedInputs) -> str:
        return report_page(report_of(inputs, self.options), inputs.systems, home="../index.html")

    def _publish(self, loaded: Mapping[str, LoadedInputs]) -> None:
        """Files for publishing of the models that have an id; those of runs that are the same stay as they are."""
        by_id: dict[str, list[str]] = {}
        for model in self.board.models:
            if model.id and model.name in loaded:
                by_id.setdefault(model.id, []).append(model.name)
        known = _Manifest.read(self.board.site).published
        for model_id, names in watched(list(by_id.items()), "files for publishing", unit="model"):
            # one model with other settings is published together with itself
            systems = tuple(system for name in names for system in loaded[name].systems)
            stamp = _stamp(model_id, systems)
            before = known.get(model_id)
            if before is None or before.stamp != stamp or not all(map(self._is_there, before.files)):
                try:
                    before = _Published(stamp=stamp, files=self._published_files(systems))
                except DataError as error:
                    why = error.caveat if isinstance(error, NotWholeError) else str(error)
                    self.unpublished.setdefault(why, []).extend(names)
                    continue
            self._published[model_id] = before
            self._written += before.files

    def _published_files(self, systems: tuple[LoadedSystem, ...]) -> list[str]:
        folder = self.board.site / PUBLISHED
        made = publish([], folder, Choices(below_models=True), inputs=LoadedInputs(systems, (), ()))
        return [path.relative_to(self.board.site).as_posix() for model in made.models for path in model.files]

    def _is_there(self, name: str) -> bool:
        return (self.board.site / name).is_file()

    def _put(self, name: str, text: str) -> None:
        write_text(self.board.site / name, text, _REMEDY, make_folder=True)
        self._written.append(name)

    def _forget(self) -> None:
        for name in set(_Manifest.read(self.board.site).files) - set(self._written):
            path = self.board.site / name
            if self.board.site.resolve() in path.resolve().parents:
                path.unlink(missing_ok=True)
        self._note(self._written, self._published)

    def _note(self, names: Sequence[str], published: dict[str, _Published]) -> None:
        text = _Manifest(files=sorted(set(names)), published=published).model_dump_json(indent=1)
        write_text(self.board.site / MANIFEST, text, _REMEDY, make_folder=True)


def _stamp(model_id: str, systems: Sequence[LoadedSystem]) -> str:
    """Changes with everything that the files for publishing are made from."""
    runs = [run for system in systems for run in system.runs]
    paths = {path for run in runs for path in (run.path, *(task.path for task in run.tasks.values())) if path}
    found = [(str(path), status.st_size, status.st_mtime_ns) for path in sorted(paths) for status in [path.stat()]]
    names = [system.system.label for system in systems]
    return hashlib.sha256(repr((__version__, model_id, names, found)).encode("utf-8", "surrogatepass")).hexdigest()
