"""Which tasks a board asks of which model, and over which data: what its runs must have been made from."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass

from pak3h_tasks.board.config import Board, BoardModel
from pak3h_tasks.data.load import LoadedSet, load
from pak3h_tasks.data.prompts import asked
from pak3h_tasks.data.sample_log_names import TaskIdentity, identify
from pak3h_tasks.errors import SettingsError, did_you_mean
from pak3h_tasks.harness import task_lists
from pak3h_tasks.harness.task_lists import our_index
from pak3h_tasks.schema import Dataset, Item, Lang
from pak3h_tasks.text.escape import quoted


@dataclass(frozen=True)
class Wanted:
    """One task as it is to be run now.

    Attributes:
        name: The task's name.
        identity: Which it is.
        version: Its version.
        data: Short name and fingerprint of the data, as documents carry it.
        fingerprint: Of the data.
        items: Those it asks about, after the limit.
        n_all: How many there are without the limit.
    """

    name: str
    identity: TaskIdentity
    version: str
    data: str
    fingerprint: str
    items: tuple[Item, ...]
    n_all: int

    @property
    def n(self) -> int:
        """How many items it asks about."""
        return len(self.items)


class Tasks:
    """The tasks of a board, with their data, each loaded once.

    Args:
        board: The board.
        data: Where the data comes from.
    """

    def __init__(self, board: Board, data: str | None) -> None:
        self._board, self._data = board, data
        self._loaded: dict[tuple[Dataset, Lang], LoadedSet[Item]] = {}

    def of(self, model: BoardModel) -> list[Wanted]:
        """What is asked of a model; multiple choice is left out where it gives no log-likelihoods.

        Raises:
            SettingsError: A name is none of our tasks, or nothing is left.
            DataError: The data cannot be used.
        """
        field = "tasks" if model.tasks is None else f"models: {model.name}: tasks"
        names = leaves(model.tasks or self._board.tasks, f"{self._board.path.name}: {field}")
        found = [self._wanted(name) for name in names]
        if not model.has_loglikelihoods:
            found = [one for one in found if one.identity.kind != "mc"]
        if not found:
            raise SettingsError(
                f"{self._board.path.name}: {model.name}: {model.model} gives no log-likelihoods, which all its tasks "
                "need; give it tasks: [pak3h_generation_ur]"
            )
        return found

    def left_out(self, model: BoardModel) -> list[str]:
        """Multiple-choice tasks that are not asked of a model."""
        if model.has_loglikelihoods:
            return []
        names = leaves(model.tasks or self._board.tasks, self._board.path.name)
        return [name for name in names if (found := identify(name, {})) is not None and found.kind == "mc"]

    def _wanted(self, name: str) -> Wanted:
        config = our_index()[name].cfg or {}
        identity = identify(name, config)
        if identity is None:
            raise SettingsError(f"{self._board.path.name}: {name} is no task of Pak3H")
        key = (identity.dataset, identity.lang)
        if key not in self._loaded:
            self._loaded[key] = load(*key, self._data)
        loaded = self._loaded[key]
        items = asked(loaded.items, identity.split)
        version = str((config.get("metadata") or {}).get("version", "?"))
        kept = items[: self._board.limit]
        return Wanted(name, identity, version, loaded.short, loaded.fingerprint, kept, len(items))

    @property
    def is_sample(self) -> bool:
        """Whether any of it is the embedded sample."""
        return any(loaded.is_sample for loaded in self._loaded.values())

    @property
    def warnings(self) -> list[str]:
        """What is suspicious in the data."""
        return [warning for loaded in self._loaded.values() for warning in loaded.warnings]


def leaves(names: Iterable[str], where: str) -> list[str]:
    """Leaf tasks of tasks, groups, tags and patterns, each once, in order.

    Args:
        names: As a user gives them.
        where: What a message begins with.

    Raises:
        SettingsError: There is none of that name.

    Example:
        >>> leaves(["pak3h_truthfulqa_ur", "pak3h_truthfulqa_*_mc"], "tasks")[:3]
        ['pak3h_truthfulqa_ur_mc', 'pak3h_truthfulqa_ur_gen', 'pak3h_truthfulqa_en_mc']
    """
    index = our_index()
    found: dict[str, None] = {}
    for name in names:
        matching = [name] if name in index else sorted(fnmatch.filter(index, name))
        if not matching:
            remedy = did_you_mean(name, index) or "; pak3h run ls tasks lists them"
            raise SettingsError(f"{where}: no task, group or tag {quoted(name)}{remedy}")
        found.update(dict.fromkeys(task_lists.leaves(matching, index)))
    return list(found)
