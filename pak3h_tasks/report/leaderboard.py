"""Many models, one row each: Urdu and English columns, intervals, and ranks that admit ties.

Rank: one more than the number of models whose interval lies wholly on the better side of this model's interval (as on
LMArena). Models whose intervals overlap are not told apart, so ranks can repeat and skip. Only comparable numbers are
ranked against each other: same task version, rules, data and judge or classifier. Where a column holds several makings,
each is ranked by itself under a letter and the board says what differs. Other versions of this package or few-shot
examples are no other making; they are noted.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from pak3h_tasks.data.sample_log import Run
from pak3h_tasks.metrics.registry import HARMLESSNESS, HELPFULNESS, HONESTY, MC, METRICS, reported
from pak3h_tasks.progress import watched
from pak3h_tasks.report.build import load_runs, runs_by_model
from pak3h_tasks.report.model import Place, System
from pak3h_tasks.report.run_choice import Key, Loaded, LoadedSystem
from pak3h_tasks.report.scores import total
from pak3h_tasks.results import Score, without_version

_LANGS = ("ur", "en")
_POOL_BYTES = 100_000_000  # smaller logs are read before other processes have begun
_BASELINES = ("chance", "shortest", "longest")
# numbers that differ in these are comparable all the same, and it is said
_NOTED = ("few-shot examples", "chat template", "system prompt")


@dataclass(frozen=True)
class BoardColumn:
    """One column: a metric in a language.

    Attributes:
        dataset: As in `Place`.
        kind: As in `Place`.
        lang: ur or en.
        metric: Name of the metric.
        makings: How its numbers were made, by letter; one letter: all alike.
    """

    dataset: str
    kind: str
    lang: str
    metric: str
    makings: dict[str, str]

    @property
    def title(self) -> str:
        """Such as ``ur TI``; with the dataset where answers of several have the measure."""
        metric = METRICS[self.metric]
        return f"{self.lang} {metric.title}" + ("" if metric.board else f" ({self.dataset})")


@dataclass(frozen=True)
class BoardCell:
    """One model's number in one column.

    Attributes:
        score: Value, interval, items, scored, signature.
        making: Letter of `BoardColumn.makings`.
        rank: Within the same making; None: no interval (lm-eval's own total of a metric that it gives no error).
        n_ranked: Models it is ranked among.
        is_partial: Whether items are missing.
        n_judged: Scored items whose verdicts came from a judge; None: nothing judges it, or it is not known.
        n_text: Of these, those with a verdict read from the judge's text.
    """

    score: Score
    making: str
    rank: int | None
    n_ranked: int
    is_partial: bool
    n_judged: int | None = None
    n_text: int | None = None


@dataclass(frozen=True)
class BoardRow:
    """One model; `cells` as the board's columns, None: not run."""

    system: System
    cells: tuple[BoardCell | None, ...]


@dataclass(frozen=True)
class Leaderboard:
    """The board; rows by mean rank over the Urdu columns, then by name. `notices` must be shown.

    The mean counts ranks under letter A alone: ranks under different letters are not comparable.
    """

    columns: tuple[BoardColumn, ...]
    rows: tuple[BoardRow, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True)
class _Entry:
    """A number with what decides whether it is comparable; `data` is empty where no items were read."""

    score: Score
    making: str
    is_partial: bool
    n_judged: int | None = None
    n_text: int | None = None
    data: tuple[str, ...] = ()
    served: str = ""
    package: str = ""
    noted: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Standing:
    """What a board needs of a model: its numbers, without its items, which are a thousand times as large.

    Attributes:
        system: Label, model and sources.
        tasks: What it has answers or totals of.
        entries: Task and metric -> number.
    """

    system: System
    tasks: frozenset[Key]
    entries: Mapping[tuple[Key, str], _Entry]


def standing(found: LoadedSystem) -> Standing:
    """Make a model's numbers.

    Args:
        found: From `load_systems`.
    """
    entries = {}
    for dataset, kind, metric in (*_measures(), *((*MC, f"mc1_{name}") for name in _BASELINES)):
        for lang in _LANGS:
            if (entry := _entry(found, dataset, lang, kind, metric)) is not None:
                entries[(dataset, lang, kind), metric] = entry
    of_totals = ((cell.place.dataset, cell.place.lang, cell.place.kind) for cell in found.aggregates)
    return Standing(found.system, frozenset((*found.loaded, *of_totals)), entries)


def leaderboard(systems: Iterable[LoadedSystem | Standing], notices: Sequence[str] = ()) -> Leaderboard:
    """Rank models.

    Args:
        systems: From `load_systems`, or what `standing` kept of them.
        notices: What was said while loading.
    """
    return _ranked([one if isinstance(one, Standing) else standing(one) for one in systems], notices)


def leaderboard_of(paths: Sequence[Path | str], *, by_run: bool = False, n_processes: int = 1) -> Leaderboard:
    """Read the runs of one model after the other, keep their numbers, and rank them.

    Args:
        paths: Run folders, results files, sample logs.
        by_run: Make every run a row of its own.
        n_processes: Models that are read at the same time, where their logs are large; more than one only from a
            script that may be imported (``if __name__ == "__main__"``).

    Raises:
        DataError: A path is unusable, or there is nothing of Pak3H in any of them.
    """
    by_model, notices = runs_by_model(paths, by_run=by_run)
    made: list[Standing] = []
    said = list(notices)
    with contextlib.ExitStack() as stack:
        read = functools.partial(_standings, by_run=by_run)
        found: Iterable[tuple[list[Standing], tuple[str, ...]]] = map(read, by_model)
        if min(n_processes, len(by_model)) > 1 and _size(by_model) >= _POOL_BYTES:
            context = multiprocessing.get_context("spawn")  # tqdm has a thread, which a fork would break
            pool = stack.enter_context(ProcessPoolExecutor(min(n_processes, len(by_model)), context))
            found = pool.map(read, by_model)
        for standings, told in watched(found, "reading logs", len(by_model), unit="model"):
            made += standings
            said += told
    return leaderboard(made, said)


def _size(by_model: Sequence[Sequence[Run]]) -> int:
    logs = (log.path for runs in by_model for run in runs for log in run.tasks.values())
    return sum(path.stat().st_size for path in logs if path.exists())


def _standings(runs: Sequence[Run], *, by_run: bool) -> tuple[list[Standing], tuple[str, ...]]:
    inputs = load_runs(runs, by_run=by_run)
    return [standing(found) for found in inputs.systems], inputs.notices


def _ranked(systems: Sequence[Standing], notices: Sequence[str]) -> Leaderboard:
    columns: list[BoardColumn] = []
    by_system: list[list[BoardCell | None]] = [[] for _ in systems]
    said = list(notices)
    differences: dict[str, list[str]] = {}
    for dataset, kind, metric in _measures():
        for lang in _LANGS if METRICS[metric].board else _unjudged(systems, dataset, kind):
            entries = [found.entries.get(((dataset, lang, kind), metric)) for found in systems]
            if not any(entries):
                continue
            makings = _letters(entries)
            column = BoardColumn(dataset, kind, lang, metric, {letter: text for text, letter in makings.items()})
            columns.append(column)
            for difference in (*_mixed(column), *_ranked_together(column, systems, entries)):
                differences.setdefault(difference, []).append(column.title)
            for cells, entry in zip(by_system, entries, strict=True):
                cells.append(None if entry is None else _cell(entry, entries, makings[entry.making], metric))
    said += [f"{', '.join(titles)}: {difference}" for difference, titles in differences.items()]
    said += [line for lang in _LANGS for line in _baselines(systems, lang)]
    rows = [BoardRow(found.system, tuple(cells)) for found, cells in zip(systems, by_system, strict=True) if any(cells)]
    rows.sort(key=lambda row: (_mean_rank(row, columns), row.system.label))
    return Leaderboard(tuple(columns), tuple(rows), tuple(dict.fromkeys(said)))


def _baselines(systems: Sequence[Standing], lang: str) -> Iterator[str]:
    """What answering without a model would score in MC1, by data: a language's values are to be read beside it."""
    found: dict[str, str] = {}
    for system in systems:
        entries = [system.entries.get(((MC[0], lang, MC[1]), f"mc1_{name}")) for name in _BASELINES]
        known = [entry for entry in entries if entry and entry.data and entry.score.value is not None]
        if len(known) == len(_BASELINES):
            chance, shortest, longest = (100 * (entry.score.value or 0) for entry in known)
            found[" + ".join(known[0].data)] = (
                f"{lang} MC1: chance {chance:.1f}, always the shortest answer {shortest:.1f}, the longest {longest:.1f}"
            )
    for data, line in found.items():
        yield line if len(found) == 1 else f"{line} (data {data})"


def _measures() -> Iterator[tuple[str, str, str]]:
    for dataset, kind in (HONESTY, MC, HELPFULNESS, HARMLESSNESS):
        for metric in reported(dataset, kind):
            if metric.board or metric.stands_in:
                yield dataset, kind, metric.name


def _unjudged(systems: Sequence[Standing], dataset: str, kind: str) -> list[str]:
    """Languages in which a model has answers to a task and none of the numbers that the board is about."""
    board = [metric.name for metric in reported(dataset, kind) if metric.board]
    return [
        lang
        for lang in _LANGS
        if any(
            (task := (dataset, lang, kind)) in found.tasks and not any((task, name) in found.entries for name in board)
            for found in systems
        )
    ]


def ranks(scores: Sequence[Score], higher_is_better: bool | None) -> list[int | None]:
    """Rank of each score among all; None for a score without value, or of whose error nothing is known.

    Example:
        >>> from pak3h_tasks.results import Interval
        >>> scores = [Score("mc1", v, 9, 9, Interval(v - 0.1, v + 0.1, "")) for v in (0.5, 0.9, 0.45, 0.1)]
        >>> ranks(scores, higher_is_better=True)
        [2, 1, 2, 4]
    """
    found: list[int | None] = []
    for score in scores:
        if score.value is None or score.interval is None or higher_is_better is None:
            found.append(None)
            continue
        mine = score.interval
        others = [other.interval for other in scores if other.value is not None and other.interval is not None]
        better = (other.low > mine.high if higher_is_better else other.high < mine.low for other in others)
        found.append(1 + sum(better))
    return found


def _entry(found: LoadedSystem, dataset: str, lang: str, kind: str, metric: str) -> _Entry | None:
    loaded = found.loaded.get((dataset, lang, kind))
    if loaded is not None:
        cell = total(loaded.items, found.system.label, loaded.package, metric)
        if cell is None or cell.score.value is None:
            return None
        items, settings = loaded.items, loaded.source.settings
        served = sorted({name for verdict in METRICS[metric].verdicts for name in items.served.get(verdict, ())})
        noted = {name: settings.get(name, "none") for name in _NOTED}
        return _Entry(
            cell.score, _making(loaded, metric), loaded.source.is_partial, cell.n_judged, cell.n_text,
            items.data or ("?",), " + ".join(served), loaded.package, noted,
        )  # fmt: skip
    wanted = Place(found.system.label, dataset, lang, kind)
    for cell in found.aggregates:
        if cell.place == wanted and cell.score.name == metric:
            return _Entry(cell.score, cell.score.signature, cell.place in found.partial)
    return None


def _making(loaded: Loaded, metric: str) -> str:
    """What must be alike for two numbers to be ranked against each other."""
    items, settings = loaded.items, loaded.source.settings
    makers = [
        " + ".join(dict.fromkeys(map(without_version, items.made_by.get(v, ("?",))))) for v in METRICS[metric].verdicts
    ]
    is_pairwise = "preference" in METRICS[metric].verdicts
    against = [f"against {items.against or 'the outputs of the data'}"] if is_pairwise else []
    rules = [f"{rule} {version}" for rule in METRICS[metric].rules if (version := settings.get(f"{rule} rules"))]
    version = f"task version {settings.get('task version', '?')}"
    return "; ".join([*makers, *against, f"data {' + '.join(items.data) or '?'}", version, *rules])


def _letters(entries: Sequence[_Entry | None]) -> dict[str, str]:
    """Making -> letter, the most frequent first."""
    counts = Counter(entry.making for entry in entries if entry is not None)
    return {making: _letter(number) for number, (making, _) in enumerate(counts.most_common())}


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else f"A{number - 25}"


def _cell(entry: _Entry, entries: Sequence[_Entry | None], letter: str, metric: str) -> BoardCell:
    alike = [other for other in entries if other is not None and other.making == entry.making]
    found = ranks([other.score for other in alike], METRICS[metric].higher_is_better)
    rank = next(rank for other, rank in zip(alike, found, strict=True) if other is entry)
    return BoardCell(
        entry.score, letter, rank, sum(one is not None for one in found), entry.is_partial, entry.n_judged, entry.n_text
    )


def _mixed(column: BoardColumn) -> Iterator[str]:
    if len(column.makings) > 1:
        parts = {letter: making.split("; ") for letter, making in column.makings.items()}
        shared = set.intersection(*map(set, parts.values()))
        differing = (
            f"({letter}) {'; '.join(p for p in of if p not in shared)}" for letter, of in list(parts.items())[:6]
        )
        yield f"numbers made in different ways are not ranked against each other: {', '.join(differing)}"


def _ranked_together(
    column: BoardColumn, systems: Sequence[Standing], entries: Sequence[_Entry | None]
) -> Iterator[str]:
    """What differs within a making and is said: servers' names for an alias that moved on, versions, prompting."""
    for letter, making in column.makings.items():
        members = {
            found.system.label: entry
            for found, entry in zip(systems, entries, strict=True)
            if entry is not None and entry.making == making and entry.data
        }
        where = f" ({letter})" if len(column.makings) > 1 else ""
        if shown := _groups({label: entry.served for label, entry in members.items()}):
            yield f"ranked together{where}, though the judge's server named different models ({shown})"
        if shown := _groups({label: entry.package for label, entry in members.items()}):
            yield f"ranked together{where}, though made with different versions of pak3h-tasks ({shown})"
        for name in _NOTED:
            if shown := _groups({label: entry.noted[name] for label, entry in members.items()}):
                yield f"ranked together{where}, though they differ in {name} ({shown})"


def _groups(values: Mapping[str, str]) -> str:
    """Labels by value, where there are several values; "" where there is one."""
    groups: dict[str, list[str]] = {}
    for label, value in values.items():
        if value:
            groups.setdefault(value, []).append(label)
    return "; ".join(f"{value}: {', '.join(labels)}" for value, labels in groups.items()) if len(groups) > 1 else ""


def _mean_rank(row: BoardRow, columns: Sequence[BoardColumn]) -> tuple[int, float]:
    urdu = [
        cell
        for cell, column in zip(row.cells, columns, strict=True)
        if cell and column.lang == "ur" and METRICS[column.metric].ranked
    ]
    # ranks of another making are among other models
    found = [cell.rank for cell in urdu if cell.rank is not None and cell.making == "A"]
    return (0, sum(found) / len(found)) if found else (1, 0.0)
