"""Which runs make up which row of a report, and which run counts where a task was run more than once.

Runs of the same weights under the same settings are one system, so English and Urdu, or generation and multiple choice,
may come from different runs. Runs that differ in what makes numbers differ (chat template, few-shot examples,
generation settings, data, task version, rules, judge) are systems of their own, each labelled with what tells it apart.
Where a task was repeated under the same settings, the log with most judged answers counts, then the one with most
items, then the newest; so a scored copy wins over its original and a full run over a --limit run. What is left out is
said.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pak3h_tasks.data.sample_log import Run, TaskLog
from pak3h_tasks.data.sample_log_names import TaskIdentity, identify
from pak3h_tasks.progress import Progress
from pak3h_tasks.report.aggregates import aggregate_cells, item_counts
from pak3h_tasks.report.items import Items, join, read_log
from pak3h_tasks.report.model import Cell, Place, System, TaskSource
from pak3h_tasks.report.model_names import models_of, without_folders
from pak3h_tasks.report.run_settings import (
    OF_LANGUAGE,
    Distinction,
    RunLabel,
    Scope,
    distinction,
    identity_arguments,
    judge_names,
    labels,
    mapping,
    opponent,
    package_version,
    settings_of_run,
    total_items,
)
from pak3h_tasks.schema import DATASETS, LANGS, SPLITS

Warn = Callable[[str], None]
Key = tuple[str, str, str]
"""Dataset, language, kind."""


@dataclass(frozen=True)
class Loaded:
    """The items of one dataset, language and kind of a model, with where they come from."""

    items: Items
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
        base: The label without what tells it from other runs of the same weights.
        distinction: Its settings, as far as they are known.
        runs: The runs it was put together from.
    """

    system: System
    loaded: dict[Key, Loaded]
    aggregates: tuple[Cell, ...]
    partial: frozenset[Place] = frozenset()
    base: str = ""
    distinction: Distinction = field(default_factory=dict)
    runs: tuple[Run, ...] = ()


@dataclass(frozen=True)
class _Candidate:
    run: Run
    log: TaskLog
    items: Items

    @property
    def rank(self) -> tuple[int, int, str, str]:
        return self.items.judged(), self.items.n, self.run.date, self.run.scored

    def said(self) -> str:
        return f"{self.run.date}{f' scored {self.run.scored}' if self.run.scored else ''} ({self.items.n} items)"


@dataclass
class _Part:
    """One run with those of its logs that say something of their own."""

    run: Run
    candidates: list[_Candidate]
    distinction: dict[tuple[Scope, str], str]


@dataclass
class _Group:
    """Runs of the same weights under the same settings."""

    parts: list[_Part]
    distinction: dict[tuple[Scope, str], str]

    def takes(self, part: _Part, by_judge: bool) -> bool:
        judges, own = judge_names(part.distinction), judge_names(self.distinction)
        if by_judge and judges and own and not judges & own:
            return False
        return all(self.distinction.get(key, value) == value for key, value in part.distinction.items())

    def likeness(self, part: _Part) -> tuple[int, int]:
        """Settings shared, and of equal value anywhere; a run without any is like all."""
        values = {(name, value) for (_, name), value in self.distinction.items()}
        return (
            len(self.distinction.keys() & part.distinction.keys()),
            sum((name, value) in values for (_, name), value in part.distinction.items()),
        )


def load_systems(runs: Sequence[Run], warn: Warn, *, by_run: bool = False) -> list[LoadedSystem]:
    """Read every sample log and put together the runs of the same weights under the same settings.

    Args:
        runs: From `find_runs`.
        warn: Told, in one line each, what is left out, partial or mixed.
        by_run: Make every run a system of its own, labelled with its date.
    """
    by_label: dict[str, list[_Part]] = defaultdict(list)
    size = sum(log.path.stat().st_size for run in runs for log in run.tasks.values() if log.path.exists())
    with Progress("reading logs", size, unit="B", leave=False) as progress:
        for run in runs:
            label = base_label(run, by_run)
            if by_run and label in by_label:  # saved in the same second
                label = f"{label} #{1 + sum(known.startswith(label) for known in by_label)}"
            by_label[label].append(_read(run, warn, progress.add))
    found = []
    for base, parts in by_label.items():
        groups = [_Group(parts, parts[0].distinction)] if by_run else _grouped(parts)
        names = labels(base, [group.distinction for group in groups])
        found += [_load(label, base, group, warn) for label, group in zip(names, groups, strict=True)]
    return found


def _read(run: Run, warn: Warn, read: Callable[[int], None]) -> _Part:
    candidates = []
    for log in run.tasks.values():
        items = read_log(log, warn, read)
        if items.n:
            candidates.append(_Candidate(run, log, items))
        else:
            warn(f"{log.path}: no rows; left out")
    part = _Part(run, candidates, {})
    _distinguish(part)
    return part


def _distinguish(part: _Part) -> None:
    """Read the settings of what is left of a run."""
    part.distinction = {}
    for candidate in part.candidates:
        items = candidate.items
        found = distinction(part.run, candidate.log.name, items.identity, items.data, items.made_by)
        part.distinction = {**found, **part.distinction}
    configs = mapping(part.run.results.get("configs"))
    for task in part.run.missing:
        if (identity := identify(task, mapping(configs.get(task)))) is not None:
            part.distinction = {**distinction(part.run, task, identity, (), {}), **part.distinction}


def _grouped(parts: Sequence[_Part]) -> list[_Group]:
    _drop_copies(parts)
    by_judge = _several_judges(parts)
    groups: list[_Group] = []
    for part in parts:
        if not part.candidates and not part.run.missing and len(parts) > 1:
            continue
        fitting = [group for group in groups if group.takes(part, by_judge)]
        if fitting:
            group = max(fitting, key=lambda group: group.likeness(part))
            group.parts.append(part)
            group.distinction |= part.distinction
        else:
            groups.append(_Group([part], dict(part.distinction)))
    return groups


def _several_judges(parts: Sequence[_Part]) -> bool:
    """Whether any answers were judged by several judges, so that each judge has a row with all that it judged."""
    seen: dict[tuple[Scope, str], frozenset[str]] = {}
    for part in parts:
        for key, value in part.distinction.items():
            judges = judge_names({key: value})
            if judges and seen.setdefault(key, judges) != judges:
                return True
    return False


def _drop_copies(parts: Sequence[_Part]) -> None:
    """Leave out logs that say nothing more: the unjudged original of a scored copy, and what a copy took over."""
    known: dict[tuple[Path, str, str], list[_Candidate]] = defaultdict(list)
    of_parts = [candidate for part in parts for candidate in part.candidates]
    # an original before its copies
    for candidate in sorted(of_parts, key=lambda c: (-c.items.judged(), -c.items.n, c.run.scored)):
        others = known[candidate.run.folder, candidate.run.date, candidate.log.name]
        is_spent = bool(others) and (
            candidate.items.judged() == 0 or any(candidate.items.says_the_same(other.items) for other in others)
        )
        if not is_spent:
            others.append(candidate)
    kept = {id(candidate) for others in known.values() for candidate in others}
    for part in parts:
        part.candidates = [candidate for candidate in part.candidates if id(candidate) in kept]
        _distinguish(part)


def base_label(run: Run, by_run: bool) -> str:
    """What runs of the same weights have in common; runs without it in common are never one system."""
    label = run.model + "".join(f", {name}={value}" for name, value in identity_arguments(run).items())
    # win rates over another model's answers are other numbers than those over the data's own outputs
    label += "".join(f" against {name}" for name in _opponents(run))
    if not by_run:
        return label
    return f"{label} ({run.date[:19]}{f', {run.scored}' if run.scored else ''})"


def _opponents(run: Run) -> list[str]:
    configs = mapping(run.results.get("configs")).values()
    return [name for name in dict.fromkeys(opponent(mapping(config)) for config in configs) if name]


def _load(called: RunLabel, base: str, group: _Group, warn: Warn) -> LoadedSystem:
    label = called.text
    runs = [part.run for part in group.parts]
    candidates: dict[Key, list[_Candidate]] = defaultdict(list)
    for part in group.parts:
        for candidate in part.candidates:
            candidates[_key(candidate.log.identity)].append(candidate)
    loaded = {key: _loaded(label, candidates[key], warn) for key in sorted(candidates, key=_order)}
    totals = list(_aggregates(label, runs, loaded, warn))
    aggregates = tuple(cell for cell, _ in totals)
    partial = frozenset(cell.place for cell, is_partial in totals if is_partial)
    system = System(label, runs[0].model, tuple(found.source for found in loaded.values()), called.generator)
    _say_partial(label, system.sources, warn)
    _say_unjudged(label, loaded, warn)
    _say_mixed(label, loaded, warn)
    if any(_opponents(run) for run in runs):
        warn(f"{label}: head to head, not against the data's own outputs; not comparable with other win rates")
    return LoadedSystem(system, loaded, aggregates, partial, base, group.distinction, tuple(runs))


def _key(identity: TaskIdentity) -> Key:
    return identity.dataset, identity.lang, identity.kind


def _order(key: Key) -> tuple[int, int, str]:
    return DATASETS.index(key[0]), LANGS.index(key[1]), key[2]


def _loaded(label: str, candidates: Sequence[_Candidate], warn: Warn) -> Loaded:
    whole = [candidate for candidate in candidates if candidate.log.identity.split is None]
    groups = [whole] if whole else [[c for c in candidates if c.log.identity.split == s] for s in SPLITS]
    chosen = [_best(label, group, warn) for group in groups if group]
    columns = join([candidate.items for candidate in chosen])
    if repeated := sum(candidate.items.n for candidate in chosen) - columns.n:
        what = chosen[0].log.identity.dataset
        warn(f"{label}: {repeated} prompts of {what} were asked in several splits; they count once")
    splits = () if columns.whole else tuple(str(candidate.log.identity.split) for candidate in chosen)
    source = _source(chosen, columns, splits)
    packages = {package_version(candidate.log.config) for candidate in chosen}
    return Loaded(columns, source, packages.pop() if len(packages) == 1 else "")


def _best(label: str, group: Sequence[_Candidate], warn: Warn) -> _Candidate:
    best = max(group, key=lambda candidate: candidate.rank)
    others = [candidate for candidate in group if candidate is not best]
    if others:
        warn(
            f"{label}: {best.log.name} was run {len(others) + 1} times; shown is {best.said()}, left out "
            f"{'; '.join(other.said() for other in others)} (--by-run shows each)"
        )
    return best


def _source(chosen: Sequence[_Candidate], columns: Items, splits: tuple[str, ...]) -> TaskSource:
    first = chosen[0]
    totals = [total_items(candidate.run, candidate.log.name) for candidate in chosen]
    repeated = sum(candidate.items.n for candidate in chosen) - columns.n
    found: dict[str, str] = {}
    for candidate in chosen:
        for name, value in settings_of_run(candidate.run, candidate.log.name).items():
            found[name] = value if found.get(name, value) == value else f"{found[name]} / {value}"
    return TaskSource(
        dataset=first.log.identity.dataset,
        lang=first.log.identity.lang,
        kind=first.log.identity.kind,
        tasks=tuple(candidate.log.name for candidate in chosen),
        files=tuple(str(candidate.log.path) for candidate in chosen),
        names=tuple(_shown(candidate) for candidate in chosen),
        date=max(candidate.run.date for candidate in chosen),
        n=columns.n,
        n_total=None if None in totals else sum(total for total in totals if total is not None) - repeated,
        splits=splits,
        data=columns.data,
        made_by=columns.made_by,
        served=columns.served,
        settings=found,
        unscored=columns.unscored,
    )


def _shown(candidate: _Candidate) -> str:
    run = candidate.run
    return without_folders(str(candidate.log.path), [run.root or run.folder.parent], models_of([run]))


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
        (f"{dataset} {lang}", found.items.unscored)
        for (dataset, lang, kind), found in loaded.items()
        if kind == "gen" and not found.items.judged()
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
        n, total = item_counts(run, task)
        is_partial = total is not None and n < total
        if is_partial:
            warn(f"{label}: not all items (--limit): {n:,} of {total:,} in {task}")
        yield from ((cell, is_partial) for cell in aggregate_cells(label, run, task, identity))


def _say_mixed(label: str, loaded: dict[Key, Loaded], warn: Warn) -> None:
    """Name the settings in which the languages of a dataset differ: their gap is not of the language alone."""
    by_task: dict[tuple[str, str], list[Loaded]] = defaultdict(list)
    for (dataset, _, kind), found in loaded.items():
        by_task[dataset, kind].append(found)
    for (dataset, kind), parts in by_task.items():
        names = dict.fromkeys(name for part in parts for name in part.source.settings)
        for name in (name for name in names if name not in OF_LANGUAGE):
            values = {part.source.lang: part.source.settings.get(name, "-") for part in parts}
            if len(set(values.values())) > 1:
                shown = ", ".join(f"{lang}: {value}" for lang, value in values.items())
                warn(f"{label}: {dataset} {kind} differs in {name} between languages ({shown})")
        for verdict in dict.fromkeys(name for part in parts for name in part.items.made_by):
            makers = {part.source.lang: part.items.made_by.get(verdict, ()) for part in parts}
            if len(set(filter(None, makers.values()))) > 1 or any(len(found) > 1 for found in makers.values()):
                shown = "; ".join(f"{lang}: {_joined(found)}" for lang, found in makers.items() if found)
                warn(f"{label}: {dataset} {kind} has {verdict} verdicts made in different ways ({shown})")


def _joined(names: Iterable[str]) -> str:
    return " + ".join(names)
