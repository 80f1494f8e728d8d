"""Two models, item by item: paired differences with intervals and tests, and what else differs between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pak3h_tasks.errors import DataError
from pak3h_tasks.report.build import LoadedInputs
from pak3h_tasks.report.gaps import gaps
from pak3h_tasks.report.model import ALL, Gap, Place
from pak3h_tasks.report.run_choice import Loaded, LoadedSystem
from pak3h_tasks.report.run_settings import judge_names, labels
from pak3h_tasks.report.table import Table
from pak3h_tasks.report.table_specs import LANG_ORDER
from pak3h_tasks.report.tables import gap_row


@dataclass(frozen=True)
class Comparison:
    """First minus second.

    Attributes:
        first: Label of the first model.
        second: Label of the second.
        gaps: Every paired difference, by judge where several judged both, by language and split.
        notices: Lines the reader must know.
    """

    first: str
    second: str
    gaps: tuple[Gap, ...]
    notices: tuple[str, ...]


def compare(first: LoadedInputs, second: LoadedInputs) -> Comparison:
    """Compare two models on the items both have; where several judges judged both, once for each of these judges.

    Args:
        first: What one path holds: runs of one model.
        second: What the other holds.

    Raises:
        DataError: A path holds none or several models, or the two have no task in common.
    """
    pairs = list(_pairs(first, second))
    unlike: dict[str, list[str]] = {}
    found: list[Gap] = []
    for a, b in pairs:
        names = _names(a, b)
        for key in sorted(a.loaded.keys() & b.loaded.keys(), key=lambda key: (key[0], key[2], LANG_ORDER[key[1]])):
            dataset, lang, kind = key
            one, other = a.loaded[key], b.loaded[key]
            for line in _unlike(one, other):
                of = f" ({names[0]})" if len(pairs) > 1 else ""
                unlike.setdefault(line, []).append(f"{dataset} {lang} {kind}{of}")
            place = Place(names[0], dataset, lang, kind)
            found += gaps(one.items, other.items, place, names, of_systems=True)
    one_first, one_second = pairs[0]
    if not found:
        raise DataError(
            f"{one_first.system.label} and {one_second.system.label} have no scored task in common "
            f"(A: {_tasks(one_first)}; B: {_tasks(one_second)}); run the same tasks with --log_samples"
        )
    said = (one_first.system.generator, one_second.system.generator) if len(pairs) > 1 else names
    notices = [*first.notices, *second.notices, *(f"{line}: {', '.join(where)}" for line, where in unlike.items())]
    return Comparison(*said, tuple(found), tuple(dict.fromkeys(notices)))


def comparison_tables(comparison: Comparison) -> list[Table]:
    """All items first, then a table a split; for each judge where there are several."""
    found = []
    pairs = list(dict.fromkeys((gap.first, gap.second) for gap in comparison.gaps))
    for number, (first, second) in enumerate(pairs):
        own = [gap for gap in comparison.gaps if (gap.first, gap.second) == (first, second)]
        for split in dict.fromkeys(gap.place.split for gap in own):
            rows = [
                (f"{gap.place.dataset} {gap.place.lang}", *gap_row(gap, "")[1:])
                for gap in own
                if gap.place.split == split
            ]
            title = f"A: {first}  minus  B: {second}"
            title += "" if split == ALL else f"; only {split}"
            header = ("task", "measure", "A", "B", "difference", "items", "McNemar p", "chi2", "z")
            notes = (
                "In percent; the difference in points with its 95 % interval, paired by item.",
                "McNemar on yes/no outcomes; z: two-proportion test, unpaired. Many tests: some differ by chance.",
            )
            key = f"compare-{split}" + (f"-{number + 1}" if len(pairs) > 1 else "")
            found.append(Table(key, title, header, tuple(rows), (), notes))
    return found


def _pairs(first: LoadedInputs, second: LoadedInputs) -> Iterator[tuple[LoadedSystem, LoadedSystem]]:
    """One of A with one of B; where a side holds one model judged by several judges, those of the same judges."""
    for inputs, name in ((first, "A"), (second, "B")):
        held = dict.fromkeys(found.system.generator for found in inputs.systems)
        if len(held) != 1:
            raise DataError(
                f"{name} holds {len(held)} models ({', '.join(held) or 'none'}); give the folder or files of one"
            )
    if len(first.systems) == len(second.systems) == 1:
        yield first.systems[0], second.systems[0]
        return
    judges = {judge_names(found.distinction): found for found in second.systems}
    shared = [(one, judges[own]) for one in first.systems if (own := judge_names(one.distinction)) in judges]
    if not shared:
        sides = (", ".join(found.system.label for found in inputs.systems) for inputs in (first, second))
        raise DataError("no judge judged both (A: {}; B: {}); give the files of one judge each".format(*sides))
    yield from shared


def _names(a: LoadedSystem, b: LoadedSystem) -> tuple[str, str]:
    names = (a.system.label, b.system.label)
    if a.base == b.base and a.distinction != b.distinction:  # the same weights: what tells the two runs apart
        names = tuple(label.text for label in labels(a.base, [a.distinction, b.distinction]))  # type: ignore[assignment]
    if names[0] == names[1]:
        names = (f"{names[0]} (A)", f"{names[1]} (B)")
    return names


def _tasks(found: LoadedSystem) -> str:
    return ", ".join(" ".join(key) for key in found.loaded) or "no sample logs"


def _unlike(one: Loaded, other: Loaded) -> list[str]:
    """What differs beside the model; the difference then is not of the models alone."""
    lines = []
    if one.items.data != other.items.data:
        lines.append(f"different data (A {_said(one.items.data)}, B {_said(other.items.data)})")
    for verdict in dict.fromkeys((*one.items.made_by, *other.items.made_by)):
        makers = [part.items.made_by.get(verdict, ()) for part in (one, other)]
        if all(makers) and makers[0] != makers[1]:
            lines.append(f"{verdict} judged differently (A {_said(makers[0])}, B {_said(makers[1])})")
        served = [sorted(part.items.served.get(verdict, ())) for part in (one, other)]
        if all(served) and served[0] != served[1]:
            lines.append(f"the server named different {verdict} judges (A {_said(served[0])}, B {_said(served[1])})")
    for name in dict.fromkeys((*one.source.settings, *other.source.settings)):
        values = [part.source.settings.get(name, "none") for part in (one, other)]
        if values[0] != values[1]:
            lines.append(f"{name} differs (A {values[0]}, B {values[1]})")
    if one.package != other.package:
        lines.append(f"made with pak3h-tasks {one.package or '?'} (A) and {other.package or '?'} (B)")
    only_a, only_b = (len(set(x.items.ids) - set(y.items.ids)) for x, y in ((one, other), (other, one)))
    if only_a or only_b:
        lines.append(f"{only_a} items only in A and {only_b} only in B are left out")
    return lines


def _said(names: Sequence[str]) -> str:
    return " + ".join(names) or "?"
