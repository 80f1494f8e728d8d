"""Lists of task names as users give them: overlaps, and names that nobody knows.

lm-eval 0.4.13 refuses a list in which a task is in two of the things asked for, such as `pak3h,pak3h_ur`, or
`pak3h_*_ur*`, which matches groups, tags and their members alike (`TaskManager._check_duplicates`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pak3h_tasks.errors import did_you_mean
from pak3h_tasks.resources import task_dir

PREFIX = "pak3h"


@functools.cache
def our_index() -> Mapping[str, Any]:
    """lm-eval's ``TaskManager.task_index`` of our tasks, groups and tags alone, read once a process."""
    from lm_eval.tasks import manager

    index: Mapping[str, Any] = manager.TaskManager(include_defaults=False, include_path=str(task_dir())).task_index
    return index


def is_ours(spec: object) -> bool:
    """Whether an entry of a task list is a name of ours; entries may be lm-eval's config dicts and tasks too.

    Example:
        >>> is_ours("pak3h_ur"), is_ours("mmlu"), is_ours({"task": "pak3h_ur"})
        (True, False, False)
    """
    return isinstance(spec, str) and spec.startswith(PREFIX)


def without_overlaps(specs: Sequence[Any], index: Mapping[str, Any]) -> list[Any]:
    """The same tasks, each in one of the entries: largest groups first, tags as their tasks, nothing twice.

    Entries that are not ours stay as and where they are. Our groups form a tree, so of two that share a task one
    holds the other.

    Args:
        specs: What was asked for.
        index: lm-eval's ``TaskManager.task_index``.
    """
    asked = [spec for spec in specs if is_ours(spec) and spec in index]
    groups = dict.fromkeys(name for name in asked if _kind(index, name) == "GROUP")
    inner = {name for group in groups for name in _below(group, index)}
    kept = {name for name in groups if name not in inner}
    done = {name for name in inner if _kind(index, name) != "GROUP"}  # tasks of a group that is kept
    found: list[Any] = []
    for spec in specs:
        if spec not in asked:
            found.append(spec)
            continue
        for name in _tasks_of_tag(spec, index) if _kind(index, spec) == "TAG" else [spec]:
            if name in kept or (name not in groups and name not in done):
                found.append(name)
                kept.discard(name)
                done.add(name)
    return found


def leaves(specs: Iterable[Any], index: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Name -> configuration of every task of ours that a list asks for.

    A task is ours by its documents (``dataset_kwargs.pak3h``): a user's own may have one of our names.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for spec in filter(is_ours, specs):
        for name in [spec, *_below(spec, index), *_tasks_of_tag(spec, index)]:
            config = getattr(index.get(name), "cfg", None) or {}
            if "pak3h" in (config.get("dataset_kwargs") or {}):
                found[name] = config
    return found


def unknown(names: Iterable[str], known: Sequence[str], *, only_ours: bool) -> list[str]:
    """One line for each name that no task has and that is meant for us.

    Args:
        names: What lm-eval did not find.
        known: Names of all our tasks, groups and tags.
        only_ours: Nobody else's tasks are there (`pak3h run`), so that other names have to be explained too.
    """
    lines = []
    for name in names:
        plain = name.lower().replace("-", "_")
        near = "" if "*" in plain else did_you_mean(plain, known)
        if plain.startswith(PREFIX) or did_you_mean(plain.partition("_")[0], [PREFIX]):
            lines.append(f"--tasks: no task, group or tag {name!r}{near or '; pak3h run ls tasks lists them all'}")
        elif only_ours:
            lines.append(f"--tasks: {name!r} is no Pak3H task, and pak3h run has only those; use lm_eval for it{near}")
    return lines


def _kind(index: Mapping[str, Any], name: str) -> str | None:
    entry = index.get(name)
    return None if entry is None else str(entry.kind.name)


def _below(group: str, index: Mapping[str, Any]) -> Iterator[str]:
    members = (getattr(index.get(group), "cfg", None) or {}).get("task")
    for member in members if isinstance(members, list) else ():
        yield from [member, *_below(member, index)]


def _tasks_of_tag(name: str, index: Mapping[str, Any]) -> list[str]:
    return sorted(index[name].tags) if _kind(index, name) == "TAG" else []
