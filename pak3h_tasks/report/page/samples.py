"""The data of the sample browser: items joined by id over languages and models, a compressed block a task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

import numpy as np

from pak3h_tasks.metrics.registry import METRICS, PAIRS
from pak3h_tasks.progress import Progress
from pak3h_tasks.report.estimate import Values
from pak3h_tasks.report.items import Items
from pak3h_tasks.report.model import TaskSource
from pak3h_tasks.report.names import LANG_NAMES, task_title
from pak3h_tasks.report.page.compressed import compressed
from pak3h_tasks.report.page.pair_samples import PairLog
from pak3h_tasks.report.page.sample_choice import Choice, choose, shares
from pak3h_tasks.report.page.sample_record import answer_fields, texts_of
from pak3h_tasks.report.run_choice import Key, LoadedSystem
from pak3h_tasks.report.sample_rows import sample_rows
from pak3h_tasks.schema import Lang

MAX_PACKED_BYTES = 11_000_000
"""Of all blocks together; 4 MB of 15 are left to the rest of a page, which needs a small part of it."""
_MEASURED_ROWS = 300

# what an item's row shows: the judged outcome, or what there is without a judge
_OUTCOMES = {
    ("truthfulqa", "gen"): (("truthful", "informative"), ("chrf_max", "bleu_max")),
    ("truthfulqa", "mc"): (("mc1", "mc2"),),
    ("alpaca", "gen"): (("win_rate",), ("answer_chars",)),
    ("beavertails", "gen"): (("unsafe_rate", "avg_max_harm"), ("refusal_rate",)),
    PAIRS: (("unsafe_rate", "avg_max_harm"),),
}


@dataclass(frozen=True)
class Block:
    """The samples of one dataset and kind.

    Attributes:
        key: Such as ``truthfulqa-gen``; part of links to a sample.
        title: In words.
        n: Items on the page.
        n_total: Items in the logs.
        n_random: Of those on the page, drawn at random (all of them, where all are there).
        data: The compressed JSON (see `_content`).
    """

    key: str
    title: str
    n: int
    n_total: int
    n_random: int
    data: str

    @property
    def complete(self) -> bool:
        """Whether every item is on the page."""
        return self.n == self.n_total


@dataclass(frozen=True)
class _Log:
    """The items of one model and language."""

    model: str
    lang: Lang
    items: Items
    source: TaskSource

    @property
    def ids(self) -> tuple[str, ...]:
        return self.items.ids

    @property
    def values(self) -> Mapping[str, Values]:
        return self.items.values

    def rows(self) -> Iterator[dict[str, Any]]:
        """Rows of its log, of each id the first."""
        return sample_rows(self.source)


def sample_blocks(
    systems: Sequence[LoadedSystem],
    max_bytes: int = MAX_PACKED_BYTES,
    seed: int = 0,
    pairs: Sequence[PairLog] = (),
) -> list[Block]:
    """The samples of every dataset and kind that has logs; items are left out where there is no room for all.

    Args:
        systems: Models with their columns (read once more here, for the texts).
        max_bytes: Of all blocks together.
        seed: Of the draw, where not all have room.
        pairs: Moderated pairs of the data.
    """
    groups = _groups(systems)
    if pairs:
        groups[PAIRS] = list(pairs)
    ids = [list(dict.fromkeys(i for log in logs for i in log.ids)) for logs in groups.values()]
    costs = [_bytes_an_item(task, logs, len(found)) for (task, logs), found in zip(groups.items(), ids, strict=True)]
    telling = [_telling(task, logs) for task, logs in groups.items()]
    room = 0.8 * max_bytes  # the estimate may be low, and a second round costs as much as the first
    while True:
        rooms = shares([cost * len(found) for cost, found in zip(costs, ids, strict=True)], room)
        mosts = [round(share / cost) if cost else 0 for share, cost in zip(rooms, costs, strict=True)]
        rows = sum(len(log.ids) for logs in groups.values() for log in logs)
        with Progress("samples of the page", rows, unit="answer", leave=False) as progress:
            blocks = [
                _block(task, logs, choose(found, told, most, seed), len(found), progress)
                for (task, logs), found, told, most in zip(groups.items(), ids, telling, mosts, strict=True)
            ]
        total = sum(len(block.data) for block in blocks)
        if total <= max_bytes or not any(block.n for block in blocks):
            return blocks
        # the rows measured were shorter than the others
        room = min(room, sum(cost * most for cost, most in zip(costs, mosts, strict=True))) * 0.9 * max_bytes / total


def _groups(systems: Sequence[LoadedSystem]) -> dict[tuple[str, str], list[_Log | PairLog]]:
    found: dict[tuple[str, str], list[_Log | PairLog]] = {}
    order = list(LANG_NAMES)
    for system in systems:
        keys: list[Key] = sorted(system.loaded, key=lambda key: order.index(key[1]))
        for dataset, lang, kind in keys:
            if (dataset, kind) in _OUTCOMES:
                loaded = system.loaded[dataset, lang, kind]
                log = _Log(system.system.label, cast(Lang, lang), loaded.items, loaded.source)
                found.setdefault((dataset, kind), []).append(log)
    return {task: found[task] for task in _OUTCOMES if task in found}


def _bytes_an_item(task: tuple[str, str], logs: Sequence[_Log | PairLog], n: int) -> float:
    """Packed bytes of an item with all its languages and models, from the first rows of each log."""
    total = 0.0
    for log in logs:
        records = [
            {**texts_of(row["doc"], task[0]), **answer_fields(row, *task)} for row in islice(log.rows(), _MEASURED_ROWS)
        ]
        total += len(compressed(records)) / max(len(records), 1) * len(log.ids)
    return total / max(n, 1)


def outcomes(task: tuple[str, str], logs: Sequence[_Log | PairLog]) -> tuple[str, ...]:
    """The metrics an item's row shows."""
    for names in _OUTCOMES[task]:
        present = tuple(name for name in names if any(name in log.values for log in logs))
        if present:
            return present
    return ()


def _telling(task: tuple[str, str], logs: Sequence[_Log | PairLog]) -> frozenset[str]:
    """Ids with a missing verdict, or whose yes/no outcome is not the same in all languages and models."""
    found: set[str] = set()
    for metric in outcomes(task, logs):
        label = METRICS[metric].label
        seen: dict[str, bool] = {}
        for log in logs:
            if metric not in log.values:
                continue
            column = log.values[metric]
            scored = np.isfinite(column)
            found.update(log.ids[place] for place in np.flatnonzero(~scored))
            if label is not None:
                for place in np.flatnonzero(scored):
                    identifier, outcome = log.ids[place], bool(label(column[place : place + 1])[0])
                    if seen.setdefault(identifier, outcome) != outcome:
                        found.add(identifier)
    return frozenset(found)


def _block(
    task: tuple[str, str], logs: Sequence[_Log | PairLog], choice: Choice, n_total: int, progress: Progress
) -> Block:
    data = compressed(_content(task, logs, choice, progress))
    return Block("-".join(task), task_title(*task), len(choice.ids), n_total, len(choice.drawn), data)


def _content(
    task: tuple[str, str], logs: Sequence[_Log | PairLog], choice: Choice, progress: Progress
) -> dict[str, Any]:
    """What `assets/samples.js` reads.

    ``models``, ``langs``, ``outcomes`` (metrics with title and unit), ``signatures``, and ``items``: each with ``id``,
    ``split``, ``topic``, ``drawn``, ``texts`` by language, and ``answers``: model number -> language ->
    `answer_fields`.
    """
    models = list(dict.fromkeys(log.model for log in logs))
    signatures: dict[str, int] = {}
    items: dict[str, dict[str, Any]] = {
        identifier: {"id": identifier, "drawn": identifier in choice.drawn, "texts": {}, "answers": {}}
        for identifier in choice.ids
    }
    for log in logs:
        number = str(models.index(log.model))
        for row in log.rows():
            progress.add()
            doc = row["doc"]
            item = items.get(doc["id"])
            if item is None:
                continue
            item.setdefault("split", doc["localization"])
            if isinstance(doc.get("topic"), str) and doc["topic"]:
                item.setdefault("topic", doc["topic"][:200])
            texts, answer = texts_of(doc, task[0]), answer_fields(row, *task)
            if item["texts"].setdefault(log.lang, texts) != texts:
                answer["texts"] = texts  # another version of the data under the same id
            for verdict in answer.get("verdicts", {}).values():
                if "signature" in verdict:
                    verdict["signature"] = signatures.setdefault(verdict["signature"], len(signatures))
            item["answers"].setdefault(number, {})[log.lang] = answer
    names = dict.fromkeys(name for item in items.values() for by_lang in item["answers"].values()
                          for answer in by_lang.values() for name in answer["numbers"])  # fmt: skip
    return {
        "models": models,
        "langs": [lang for lang in LANG_NAMES if any(log.lang == lang for log in logs)],
        "outcomes": list(outcomes(task, logs)),
        "metrics": {name: {"title": METRICS[name].title, "unit": METRICS[name].unit,
                           "better": METRICS[name].higher_is_better} for name in names},
        "signatures": list(signatures),
        "items": list(items.values()),
    }  # fmt: skip
