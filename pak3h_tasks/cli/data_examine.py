"""Load several files of a data source, keeping each one's faults instead of stopping at the first."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pak3h_tasks.data.load import LoadedSet, load
from pak3h_tasks.data.parallel import parallel_warnings
from pak3h_tasks.data.sources import Source
from pak3h_tasks.errors import DataError
from pak3h_tasks.progress import watched
from pak3h_tasks.schema import Dataset, Item, Lang
from pak3h_tasks.text.escape import printable


@dataclass(frozen=True)
class Examined:
    """One file: loaded, or why not.

    Attributes:
        dataset: Which dataset.
        lang: Which language.
        loaded: The set; None when it is faulty or not there.
        faults: One line a fault; none when it is loaded or simply not there.
    """

    dataset: Dataset
    lang: Lang
    loaded: LoadedSet[Item] | None = None
    faults: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """Whether it is ``ok``, ``faulty`` or ``missing``."""
        return "ok" if self.loaded else "faulty" if self.faults else "missing"


def examine(source: Source, wanted: Iterable[tuple[Dataset, Lang]]) -> list[Examined]:
    """Load each wanted dataset and language of a source."""
    found = []
    for dataset, lang in watched([*wanted], "reading data", unit="file"):
        try:
            found.append(Examined(dataset, lang, load(dataset, lang, source)))
        except DataError as error:
            found.append(Examined(dataset, lang, faults=tuple(str(error).splitlines())))
    return found


def pair_warnings(examined: Iterable[Examined]) -> list[str]:
    """Warnings about languages of one dataset that should hold the same items and do not."""
    files: dict[Dataset, dict[Lang, Sequence[Item]]] = defaultdict(dict)
    for one in examined:
        if one.loaded:
            files[one.dataset][one.lang] = one.loaded.items
    return [warning for dataset, languages in files.items() for warning in parallel_warnings(dataset, languages)]


def print_faults(examined: Iterable[Examined], warnings: Iterable[str]) -> None:
    """Faults and warnings to stderr, one line each."""
    for one in examined:
        for fault in one.faults:
            print(f"pak3h: error: {printable(fault)}", file=sys.stderr)
        for warning in one.loaded.warnings if one.loaded else ():
            print(f"pak3h: warning: {printable(warning)}", file=sys.stderr)
    for warning in warnings:
        print(f"pak3h: warning: {printable(warning)}", file=sys.stderr)
