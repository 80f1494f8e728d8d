"""Which runs make up which model, and which run counts where a task was run more than once.

Runs of the same model are one system, so English and Urdu, or generation and multiple choice, may come from different
runs. Where a task has several logs, the one with most judged answers counts, then the one with most items, then the
newest; so a scored copy wins over its original and a full run over a --limit run. What is left out is said.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pak3h_tasks.data.sample_log import Run, TaskLog
from pak3h_tasks.data.sample_log_names import TaskIdentity, identify
from pak3h_tasks.report.aggregates import aggregate_cells, items
from pak3h_tasks.report.items import Items, join, read_items
from pak3h_tasks.report.model import Cell, Place, System, TaskSource
from pak3h_tasks.report.run_settings import (
    conditions,
    identity_arguments,
    mapping,
    opponent,
    package_version,
    total_items,
)
from pak3h_tasks.schema import DATASETS, LANGS, SPLITS

Warn = Callable[[str], None]
Key = tuple[str, str, str]
"""Dataset, language, kind."""


@dataclass(frozen=True)
class Loaded:
    """The items of one dataset, language and kind of a model, with where they come from."""

    columns: Items
    source: TaskSource
    package: str


@dataclass(frozen=True)
class LoadedSystem:
    """A model with everything that is needed to make numbers.

    Attributes:
        system: Label, model and sources.
        loaded: By dataset, language and kind.
        aggregates: Numbers of tasks without a sample log, from the results file.
        partial: Places of `aggregates` where items are missing.
    """

    system: System
    loaded: dict[Key, Loaded]
    aggregates: tuple[Cell, ...]
    partial: frozenset[Place] = frozenset()


@dataclass(frozen=True)
class _Candidate:
    run: Run
    log: TaskLog
    columns: Items

    @property
    def rank(self) -> tuple[int, int, str, str]:
        return self.columns.judged(), self.columns.n, self.run.date, self.run.scored

    def said(self) -> str:
        return f"{self.run.date}{f' scored {self.run.scored}' if self.run.scored else ''} ({self.columns.n} items)"


def load_systems(runs: Sequence[Run], warn: Warn, *, by_run: bool = False) -> list[LoadedSystem]:
    """Read every sample log and put the runs of a model together.

    Args:
        runs: From `find_runs`.
        warn: Told, in one line each, what is left out, partial or mixed.
        by_run: Make every run a system of its own, labelled with its date.
    """
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        label = _label(run, by_run)
        if by_run and label in groups:  # saved in the same second
            label = f"{label} #{1 + sum(known.startswith(label) for known in groups)}"
        groups[label].append(run)
    return [_load(label, members, warn) for label, members in groups.items()]


def _label(run: Run, by_run: bool) -> str:
    label = run.model + "".join(f", {name}={value}" for name, value in identity_arguments(run).items())
    # win rates over another model's answers are other numbers than those over the data's own outputs
    label += "".join(f" against {name}" for name in _opponents(run))
    if not by_run:
        return label
    return f"{label} ({run.date[:19]}{f', {run.scored}' if run.scored else ''})"


def _opponents(run: Run) -> list[str]:
    configs = mapping(run.results.get("configs")).values()
    return [name for name in dict.fromkeys(opponent(mapping(config)) for config in configs) if name]


def _load(label: str, runs: Sequence[Run], warn: Warn) -> LoadedSystem:
    candidates: dict[Key, list[_Candidate]] = defaultdict(list)
    for run in runs:
        for log in run.tasks.values():
            columns = read_items(log, warn)
            if columns.n:
                candidates[_key(log.identity)].append(_Candidate(run, log, columns))
            else:
                warn(f"{log.path}: no rows; left out")
    loaded = {key: _loaded(label, candidates[key], warn) for key in sorted(candidates, key=_order)}
    totals = list(_aggregates(label, runs, loaded, warn))
    aggregates = tuple(cell for cell, _ in totals)
    partial = frozenset(cell.place for cell, is_partial in totals if is_partial)
    system = System(label, runs[0].model, tuple(found.source for found in loaded.values()))
    _say_partial(label, system.sources, warn)
    _say_unjudged(label, loaded, warn)
    _say_mixed(label, loaded, warn)
    if any(_opponents(run) for run in runs):
        warn(f"{label}: head to head, not against the data's own outputs; not comparable with other win rates")
    return LoadedSystem(system, loaded, aggregates, partial)


def _key(identity: TaskIdentity) -> Key:
    return identity.dataset, identity.lang, identity.kind


def _order(key: Key) -> tuple[int, int, str]:
    return DATASETS.index(key[0]), LANGS.index(key[1]), key[2]


def _loaded(label: str, candidates: Sequence[_Candidate], warn: Warn) -> Loaded:
    whole = [candidate for candidate in candidates if candidate.log.identity.split is None]
    groups = [whole] if whole else [[c for c in candidates if c.log.identity.split == s] for s in SPLITS]
    chosen = [_best(label, group, warn) for group in groups if group]
    columns = join([candidate.columns for candidate in chosen])
    splits = () if columns.whole else tuple(str(candidate.log.identity.split) for candidate in chosen)
    source = _source(chosen, columns, splits)
    packages = {package_version(candidate.log.config) for candidate in chosen}
    return Loaded(columns, source, packages.pop() if len(packages) == 1 else "")


def _best(label: str, group: Sequence[_Candidate], warn: Warn) -> _Candidate:
    best = max(group, key=lambda candidate: candidate.rank)
    others = [candidate for candidate in group if candidate is not best and not _superseded(candidate, best)]
    if others:
        warn(
            f"{label}: {best.log.name} was run {len(others) + 1} times; shown is {best.said()}, left out "
            f"{'; '.join(other.said() for other in others)} (--by-run shows each)"
        )
    return best


def _superseded(candidate: _Candidate, best: _Candidate) -> bool:
    """Whether it says nothing more: the unjudged original of a scored copy, or what a copy took over as it was."""
    same_run = (candidate.run.folder, candidate.run.date) == (best.run.folder, best.run.date)
    return same_run and (candidate.columns.judged() == 0 or candidate.columns.says_the_same(best.columns))


def _source(chosen: Sequence[_Candidate], columns: Items, splits: tuple[str, ...]) -> TaskSource:
    first = chosen[0]
    totals = [total_items(candidate.run, candidate.log.name) for candidate in chosen]
    found: dict[str, str] = {}
    for candidate in chosen:
        for name, value in conditions(candidate.run, candidate.log.name).items():
            found[name] = value if found.get(name, value) == value else f"{found[name]} / {value}"
    return TaskSource(
        dataset=first.log.identity.dataset,
        lang=first.log.identity.lang,
        kind=first.log.identity.kind,
        tasks=tuple(candidate.log.name for candidate in chosen),
        files=tuple(str(candidate.log.path) for candidate in chosen),
        date=max(candidate.run.date for candidate in chosen),
        n=columns.n,
        n_total=None if None in totals else sum(total for total in totals if total is not None),
        splits=splits,
        data=columns.data,
        made_by=columns.made_by,
        served=columns.served,
        conditions=found,
        unscored=columns.unscored,
    )


def _say_partial(label: str, sources: Sequence[TaskSource], warn: Warn) -> None:
    by_size: dict[tuple[int, int | None], list[str]] = defaultdict(list)
    for source in sources:
        if source.is_partial and not source.splits:
            by_size[source.n, source.n_total].extend(source.tasks)
    if by_size:
        shown = "; ".join(f"{n:,} of {total:,} in {', '.join(tasks)}" for (n, total), tasks in by_size.items())
        warn(f"{label}: not all items (--limit, or the run ended early): {shown}")
    for part in sources:
        if part.splits:
            where = f"{part.dataset} {part.lang} {part.kind}"
            warn(f"{label}: of {where} only {', '.join(part.splits)} was run; there is no value over all items")


def _say_unjudged(label: str, loaded: dict[Key, Loaded], warn: Warn) -> None:
    """Answers that no judge or classifier has seen, and spools, which hold answers alone."""
    unjudged = [
        (f"{dataset} {lang}", found.columns.unscored)
        for (dataset, lang, kind), found in loaded.items()
        if kind == "gen" and not found.columns.judged()
    ]
    if parts := [name for name, reasons in unjudged if not reasons]:
        warn(f"{label}: no verdict in {', '.join(parts)}; pak3h score RUN_DIR adds them")
    if failed := {name: reasons for name, reasons in unjudged if reasons}:
        counts = sum((Counter(reasons) for reasons in failed.values()), Counter())
        reason, _ = counts.most_common(1)[0]
        warn(f"{label}: not one verdict in {', '.join(failed)}, though judged (mostly {reason}); try another judge")


def _aggregates(label: str, runs: Sequence[Run], loaded: dict[Key, Loaded], warn: Warn) -> Iterator[tuple[Cell, bool]]:
    newest: dict[str, tuple[Run, TaskIdentity]] = {}
    for run in sorted(runs, key=lambda run: (run.date, run.scored)):
        configs = mapping(run.results.get("configs"))
        for task in run.missing:
            identity = identify(task, mapping(configs.get(task)))
            if identity is not None and _key(identity) not in loaded:
                if task in newest:
                    warn(f"{label}: {task} was run more than once, without sample logs; shown is {run.date}")
                newest[task] = (run, identity)
    if newest:
        warn(f"{label}: no sample logs of {', '.join(newest)}: only lm-eval's own totals are shown (use --log_samples)")
    for task, (run, identity) in newest.items():
        n, total = items(run, task)
        is_partial = total is not None and n < total
        if is_partial:
            warn(f"{label}: not all items (--limit): {n:,} of {total:,} in {task}")
        yield from ((cell, is_partial) for cell in aggregate_cells(label, run, task, identity))


def _say_mixed(label: str, loaded: dict[Key, Loaded], warn: Warn) -> None:
    """Name the conditions in which the languages of a dataset differ: their gap is not of the language alone."""
    by_task: dict[tuple[str, str], list[Loaded]] = defaultdict(list)
    for (dataset, _, kind), found in loaded.items():
        by_task[dataset, kind].append(found)
    for (dataset, kind), parts in by_task.items():
        for name in dict.fromkeys(name for part in parts for name in part.source.conditions):
            values = {part.source.lang: part.source.conditions.get(name, "-") for part in parts}
            if len(set(values.values())) > 1:
                shown = ", ".join(f"{lang}: {value}" for lang, value in values.items())
                warn(f"{label}: {dataset} {kind} differs in {name} between languages ({shown})")
        for verdict in dict.fromkeys(name for part in parts for name in part.columns.made_by):
            makers = {part.source.lang: part.columns.made_by.get(verdict, ()) for part in parts}
            if len(set(filter(None, makers.values()))) > 1 or any(len(found) > 1 for found in makers.values()):
                shown = "; ".join(f"{lang}: {_joined(found)}" for lang, found in makers.items() if found)
                warn(f"{label}: {dataset} {kind} has {verdict} verdicts made in different ways ({shown})")


def _joined(names: Iterable[str]) -> str:
    return " + ".join(names)
