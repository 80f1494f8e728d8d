"""Which source column fills which of our fields: the official layouts, and ``--map ours=theirs``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pak3h_tasks.data.field_values import category_columns
from pak3h_tasks.data.read_table import column_key
from pak3h_tasks.errors import DataError, SettingsError, closest
from pak3h_tasks.schema import DATASETS, ITEM_TYPES, Dataset, item_fields
from pak3h_tasks.text.escape import quoted

# Our field -> other names it goes by, lower case with _ for spaces. TruthfulQA.csv has "Best Answer" and "Category".
# Its 8th column of 2025, "Best Incorrect Answer", is left out on purpose: all but 2 of its 790 texts are among
# "Incorrect Answers" already, and two options are another benchmark (the binary one) than MC1-3.
_ALIASES: dict[Dataset, dict[str, tuple[str, ...]]] = {
    "truthfulqa": {"topic": ("category",)},
    "alpaca": {},
    "beavertails": {},
}
_SHARED_ALIASES = {"id": ("item_id", "uid"), "localization": ("localisation", "localization_type", "locale_label")}


@dataclass(frozen=True)
class Layout:
    """How a source's columns become our fields.

    Attributes:
        dataset: Which dataset the source holds.
        columns: Our field -> source column.
        category_columns: Harm category -> source column, where the 14 are columns of their own.
        unused: Source columns that are left out.
    """

    dataset: Dataset
    columns: Mapping[str, str]
    category_columns: Mapping[str, str] | None
    unused: tuple[str, ...]


def find_layout(name: str, columns: tuple[str, ...], dataset: Dataset | None, mapping: Mapping[str, str]) -> Layout:
    """Match columns to fields; every field that an item needs must be found.

    Args:
        name: The source's name, for messages.
        columns: Its columns.
        dataset: Which dataset; None: the only one whose fields are all there.
        mapping: Our field -> source column, before any guess; an empty column leaves the field out.

    Raises:
        SettingsError: A mapping names no field or no column.
        DataError: A needed field has no column, or the dataset cannot be told.
    """
    if dataset is None:
        fitting = [one for one in DATASETS if not _missing(one, _matches(columns, one, mapping))]
        if len(fitting) != 1:
            raise DataError(
                f"{name}: cannot tell the dataset from columns {_listed(columns)}; give --dataset and --map"
            )
        dataset = fitting[0]
    _check_mapping(name, columns, dataset, mapping)
    matches = _matches(columns, dataset, mapping)
    missing = _missing(dataset, matches)
    if missing:
        raise DataError(
            f"{name}: no column for {', '.join(map(repr, missing))} of {dataset} among {_listed(columns)}; "
            f"name it with --map {missing[0]}=COLUMN"
        )
    apart = category_columns(columns) if dataset == "beavertails" and "category" not in matches else None
    used = set(matches.values()) | set((apart or {}).values())
    return Layout(dataset, matches, apart, tuple(column for column in columns if column not in used))


def _check_mapping(name: str, columns: tuple[str, ...], dataset: Dataset, mapping: Mapping[str, str]) -> None:
    fields = list(item_fields(dataset))
    for ours, theirs in mapping.items():
        if ours not in fields:
            guess = closest(ours, fields)
            remedy = f"did you mean {guess}?" if guess else f"use {', '.join(fields)}"
            raise SettingsError(f"--map {ours}={theirs}: {dataset} has no field {quoted(ours)}; {remedy}")
        if theirs and theirs not in columns:
            raise SettingsError(
                f"--map {ours}={theirs}: {name} has no column {quoted(theirs)}; it has {_listed(columns)}"
            )


def _matches(columns: tuple[str, ...], dataset: Dataset, mapping: Mapping[str, str]) -> dict[str, str]:
    # A column that was named is not guessed for a second field: TruthfulQA's Category is then no topic.
    taken = {theirs for ours, theirs in mapping.items() if ours in item_fields(dataset)}
    by_name: dict[str, str] = {}
    for column in columns:
        if column in taken:
            continue
        by_name.setdefault(column_key(column), column)
    aliases = {**_SHARED_ALIASES, **_ALIASES[dataset]}
    found = {}
    for field in item_fields(dataset):
        names = (field, *aliases.get(field, ()))
        column = mapping.get(field, next((by_name[name] for name in names if name in by_name), ""))
        if column:
            found[field] = column
    return found


def _missing(dataset: Dataset, matches: Mapping[str, str]) -> list[str]:
    # id and localization can also come from content and command line.
    required = [field for field, info in ITEM_TYPES[dataset].model_fields.items() if info.is_required()]
    return [field for field in required if field not in matches and field not in ("id", "localization")]


def _listed(columns: tuple[str, ...]) -> str:
    return ", ".join(quoted(column) for column in columns[:20]) + (", ..." if len(columns) > 20 else "")
