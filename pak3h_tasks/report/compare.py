"""Two models, item by item: paired differences with intervals and tests, and what else differs between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pak3h_tasks.errors import DataError
from pak3h_tasks.report.build import LoadedInputs
from pak3h_tasks.report.gaps import gaps
from pak3h_tasks.report.model import ALL, Gap, Place
from pak3h_tasks.report.run_choice import Loaded, LoadedSystem
from pak3h_tasks.report.run_settings import labels
from pak3h_tasks.report.table import Table
from pak3h_tasks.report.table_specs import LANG_ORDER
from pak3h_tasks.report.tables import gap_row


@dataclass(frozen=True)
class Comparison:
    """First minus second.

    Attributes:
        first: Label of the first model.
        second: Label of the second.
        gaps: Every paired difference, by language and split.
        notices: Lines the reader must know.
    """

    first: str
    second: str
    gaps: tuple[Gap, ...]
    notices: tuple[str, ...]


def compare(first: LoadedInputs, second: LoadedInputs) -> Comparison:
    """Compare two models on the items both have.

    Args:
        first: What one path holds: runs of one model.
        second: What the other holds.

    Raises:
        DataError: A path holds none or several models, or the two have no task in common.
    """
    a, b = _only(first, "A"), _only(second, "B")
    names = (a.system.label, b.system.label)
    if a.base == b.base and a.distinction != b.distinction:  # the same weights: what tells the two runs apart
        first_label, second_label = labels(a.base, [a.distinction, b.distinction])
        names = (first_label, second_label)
    if names[0] == names[1]:
        names = (f"{names[0]} (A)", f"{names[1]} (B)")
    unlike: dict[str, list[str]] = {}
    found: list[Gap] = []
    for key in sorted(a.loaded.keys() & b.loaded.keys(), key=lambda key: (key[0], key[2], LANG_ORDER[key[1]])):
        dataset, lang, kind = key
        one, other = a.loaded[key], b.loaded[key]
        for line in _unlike(one, other):
            unlike.setdefault(line, []).append(f"{dataset} {lang} {kind}")
        place = Place(names[0], dataset, lang, kind)
        found += gaps(one.items, other.items, place, names, of_systems=True)
    if not found:
        raise DataError(
            f"{names[0]} and {names[1]} have no scored task in common "
            f"(A: {_tasks(a)}; B: {_tasks(b)}); run the same tasks with --log_samples"
        )
    notices = [*first.notices, *second.notices, *(f"{line}: {', '.join(where)}" for line, where in unlike.items())]
    return Comparison(names[0], names[1], tuple(found), tuple(dict.fromkeys(notices)))


def comparison_tables(comparison: Comparison) -> list[Table]:
    """All items first, then a table a split."""
    found = []
    for split in dict.fromkeys(gap.place.split for gap in comparison.gaps):
        rows = [
            (f"{gap.place.dataset} {gap.place.lang}", *gap_row(gap, "")[1:])
            for gap in comparison.gaps
            if gap.place.split == split
        ]
        title = f"A: {comparison.first}  minus  B: {comparison.second}"
        title += "" if split == ALL else f"; only {split}"
        header = ("task", "measure", "A", "B", "difference", "items", "McNemar p", "chi2", "z")
        notes = (
            "In percent; the difference in points with its 95 % interval, paired by item.",
            "McNemar on yes/no outcomes; z: two-proportion test, unpaired. Many tests: some differ by chance.",
        )
        found.append(Table(f"compare-{split}", title, header, tuple(rows), (), notes))
    return found


def _only(inputs: LoadedInputs, name: str) -> LoadedSystem:
    if len(inputs.systems) != 1:
        held = ", ".join(found.system.label for found in inputs.systems) or "none"
        raise DataError(f"{name} holds {len(inputs.systems)} models ({held}); give the folder or files of one")
    return inputs.systems[0]


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
