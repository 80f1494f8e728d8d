"""Turn a source file (official layouts or any table) into checked items with ids that pair across languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pak3h_tasks.data import field_values
from pak3h_tasks.data.check_rows import RowChecker
from pak3h_tasks.data.faults import Faults
from pak3h_tasks.data.ids import content_ids, different_rows, partners_by_position, partners_by_text
from pak3h_tasks.data.layouts import Layout, find_layout
from pak3h_tasks.data.parallel import parallel_warnings
from pak3h_tasks.data.read_table import SourceTable, read_table
from pak3h_tasks.data.validate import read_items
from pak3h_tasks.errors import DataError, SettingsError
from pak3h_tasks.progress import watched
from pak3h_tasks.schema import LANGS, Dataset, Item, Lang, Localization, item_fields
from pak3h_tasks.text.escape import quoted

_LISTS = ("correct_answers", "incorrect_answers")
_SEMICOLONS = (";", "\N{ARABIC SEMICOLON}")
_ARABIC_COMMA = "\N{ARABIC COMMA}"
_PartnerList = Sequence[Item | None]


@dataclass(frozen=True)
class Recipe:
    """How to convert a source.

    Attributes:
        lang: Language of the texts that are taken.
        dataset: Which dataset; None: told from the columns.
        mapping: Our field -> source column, before any guess; an empty column leaves the field out.
        localization: Label of rows that have none of their own.
        pair_with: JSONL of the same items in another language: ids, and labels that nothing else gives, come from it.
        pair_on: Its field -> source column that holds the same text; empty: rows pair by position.
        separator: What stands between answers in one cell; None: told from the cells.
        skip_faulty: Leave faulty rows out, and say so, instead of stopping.
    """

    lang: Lang
    dataset: Dataset | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    localization: Localization | None = None
    pair_with: Path | None = None
    pair_on: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    skip_faulty: bool = False


@dataclass(frozen=True)
class Converted:
    """What came of a source.

    Attributes:
        dataset: Which dataset it turned out to be.
        items: In source order.
        notes: What was decided or left out on the way, one line each.
    """

    dataset: Dataset
    items: tuple[Item, ...]
    notes: tuple[str, ...]


def convert(path: Path, recipe: Recipe) -> Converted:
    """Read a source file and make an item of every row.

    Raises:
        SettingsError: The recipe contradicts itself or names unknown fields or columns.
        DataError: The source cannot be used; one line a fault.
    """
    _refuse_contradictions(recipe)
    table = read_table(path)
    layout = find_layout(table.name, table.columns, recipe.dataset, recipe.mapping)
    table.refuse_odd({*layout.columns.values(), *(layout.category_columns or {}).values(), *recipe.pair_on.values()})
    faults = Faults(table.name, table.unit)
    separator = recipe.separator or _separator(table, layout)
    rows = [_our_fields(row, layout, separator) for _, row in table.rows]
    notes = _layout_notes(table, layout, recipe, separator)
    partner = read_items(recipe.pair_with, layout.dataset) if recipe.pair_with else None
    if partner is not None:
        partners = _partners(table, layout, rows, partner, recipe, faults)
        _take_from_partners(rows, partners, labels=recipe.localization is None)
        if not recipe.pair_on:
            notes.extend(_order_notes(rows, partner))
    elif "id" not in layout.columns:
        ids, repeated = content_ids(layout.dataset, rows)
        for row, name in zip(rows, ids, strict=True):
            row["id"] = name
        notes.append("ids: made from content; give --pair-with FILE when you convert the other language")
        if repeated:
            notes.append(f"ids: {repeated:,} rows repeat an earlier row's content and got a counter (-2, -3, ...)")
    _label(rows, layout, recipe, faults)
    items = _checked(table, layout, rows, recipe, faults)
    if len(items) < len(rows):
        notes += [f"left out: {len(rows) - len(items):,} faulty rows", *faults.lines()]
    if partner is not None and recipe.pair_with is not None:
        base = _partner_lang(recipe)
        notes.extend(parallel_warnings(layout.dataset, {base: partner, recipe.lang: items}, base))
    return Converted(layout.dataset, tuple(items), tuple(notes))


def _refuse_contradictions(recipe: Recipe) -> None:
    if recipe.pair_with is None:
        if recipe.pair_on:
            raise SettingsError("--pair-on needs a partner; add --pair-with FILE")
        return
    if recipe.mapping.get("id"):
        raise SettingsError("--pair-with and --map id=COLUMN both say where ids come from; give one")
    if _partner_lang(recipe) == recipe.lang:
        raise SettingsError(f"--pair-with must be another language than --lang {recipe.lang}; give the other file")


def _partner_lang(recipe: Recipe) -> Lang:
    stem = recipe.pair_with.name.split(".")[0] if recipe.pair_with else ""
    return next((lang for lang in LANGS if lang == stem), "ur" if recipe.lang == "en" else "en")


def _our_fields(row: Mapping[str, Any], layout: Layout, separator: str) -> dict[str, Any]:
    """Our fields of a source row; what it does not say is left out."""
    fields: dict[str, Any] = {}
    may_be_absent = {field for field, info in item_fields(layout.dataset).items() if not info.is_required()}
    may_be_absent.add("localization")
    for name, column in layout.columns.items():
        value = row.get(column)
        if field_values.is_missing(value) or (value == "" and name in may_be_absent):
            continue
        if name in _LISTS:
            fields[name] = field_values.answers(value, separator)
        elif name == "category":
            fields[name] = field_values.categories(value)
        elif name == "is_safe":
            fields[name] = field_values.boolean(value)
        else:
            fields[name] = field_values.text(value)
            # The official code strips TruthfulQA's cells; the other datasets' texts are kept to the last space.
            if isinstance(fields[name], str) and (layout.dataset == "truthfulqa" or name in ("id", "localization")):
                fields[name] = fields[name].strip()
    if isinstance(fields.get("type"), str):
        fields["type"] = fields["type"].title()
    if layout.category_columns:
        gathered = field_values.gathered_categories(row, layout.category_columns)
        fields.update({"category": gathered} if gathered else {})
    return fields


def _answer_cells(table: SourceTable, layout: Layout, name: str) -> list[str]:
    """Cells of a list field that are plain text, not a list written out."""
    cells = [row.get(layout.columns.get(name, "")) for _, row in table.rows]
    return [cell for cell in cells if isinstance(cell, str) and not cell.lstrip().startswith("[")]


def _separator(table: SourceTable, layout: Layout) -> str:
    """The semicolon, Latin or Arabic, that the answer cells have; a file with both says nothing of either."""
    cells = [cell for name in _LISTS for cell in _answer_cells(table, layout, name)]
    counts = {mark: sum(mark in cell for cell in cells) for mark in _SEMICOLONS}
    if all(counts.values()):
        said = " and ".join(f"{count:,} cells of answers hold {mark!r}" for mark, count in counts.items())
        raise DataError(f"{table.name}: {said}; say which one stands between answers with --separator")
    return max(_SEMICOLONS, key=lambda mark: counts[mark])


def _layout_notes(table: SourceTable, layout: Layout, recipe: Recipe, separator: str) -> list[str]:
    notes = []
    if layout.unused:
        notes.append(f"left out: {', '.join(map(quoted, layout.unused))} (no such field)")
    if recipe.pair_with is not None and "id" in layout.columns:
        notes.append(f"ids: from the partner, not from column {quoted(layout.columns['id'])}")
    for name in _LISTS:
        texts = _answer_cells(table, layout, name)
        commas = sum(_ARABIC_COMMA in text for text in texts)
        if texts and not any(separator in text for text in texts):
            notes.append(
                f"check '{name}': no cell holds the separator {separator!r}, so each is one answer"
                + (f", though {commas:,} hold {_ARABIC_COMMA!r}" if commas else "")
                + "; say what stands between answers with --separator"
            )
        elif commas and separator == _ARABIC_COMMA:
            notes.append(f"check '{name}': split at {separator!r}, which also stands inside Urdu sentences")
    return notes


def _partners(
    table: SourceTable,
    layout: Layout,
    rows: Sequence[Mapping[str, Any]],
    partner: Sequence[Item],
    recipe: Recipe,
    faults: Faults,
) -> _PartnerList:
    name = str(recipe.pair_with)
    if not recipe.pair_on:
        return partners_by_position(rows, partner, name, faults)
    for ours, theirs in recipe.pair_on.items():
        if ours not in item_fields(layout.dataset) or ours in (*_LISTS, "category", "is_safe"):
            raise SettingsError(f"--pair-on {ours}={theirs}: {layout.dataset} has no text field {quoted(ours)}")
        if theirs not in table.columns:
            raise SettingsError(f"--pair-on {ours}={theirs}: {table.name} has no column {quoted(theirs)}")
    texts = [{ours: str(row.get(theirs) or "") for ours, theirs in recipe.pair_on.items()} for _, row in table.rows]
    return partners_by_text(texts, partner, [position for position, _ in table.rows], name, faults)


def _take_from_partners(rows: Sequence[dict[str, Any]], partners: _PartnerList, *, labels: bool) -> None:
    for row, partner in zip(rows, partners, strict=True):
        row.pop("id", None)
        if partner is not None:
            row["id"] = partner.id
            if labels:
                row.setdefault("localization", partner.localization)


def _order_notes(rows: Sequence[Mapping[str, Any]], partner: Sequence[Item]) -> list[str]:
    differ, compared = different_rows(rows, partner)
    if not compared:
        return ["check the order: nothing in the rows tells whether it is the partner's; look at a few pairs"]
    if not differ:
        return []
    first = ", ".join(map(str, differ[:3]))
    return [f"check the order: {len(differ):,} rows have other labels than their partner (first: row {first})"]


def _label(rows: Sequence[dict[str, Any]], layout: Layout, recipe: Recipe, faults: Faults) -> None:
    if recipe.localization is not None:
        for row in rows:
            row.setdefault("localization", recipe.localization)
    elif recipe.pair_with is None and not any("localization" in row for row in rows):
        column = layout.columns.get("localization")
        why = f"column {quoted(column)} is empty" if column else "no column says how items are localised"
        faults.raise_now(f"{why}; give --localization dt|lc|li for all rows, or --map localization=COLUMN")


def _checked(
    table: SourceTable, layout: Layout, rows: Sequence[Mapping[str, Any]], recipe: Recipe, faults: Faults
) -> list[Item]:
    checker = RowChecker(layout.dataset, faults)
    items = []
    for (position, _), row in watched(zip(table.rows, rows, strict=True), "checking rows", len(rows), unit="row"):
        if recipe.pair_with is not None and "id" not in row:
            continue  # its fault is noted: it has no partner
        item = checker.check(row, position)
        if item is not None:
            items.append(item)
    if faults and not recipe.skip_faulty:
        raise faults.error()
    if not items:
        raise DataError("\n".join([*faults.lines(), f"{table.name}: no row is left"]))
    return items
