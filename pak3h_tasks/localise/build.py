"""From edited sheets to the dataset: checked like any data set, with ids that pair with English."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pak3h_tasks.data.check_rows import fault_messages
from pak3h_tasks.data.load import LoadedSet, load
from pak3h_tasks.data.parallel import parallel_warnings
from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.edits import Edit
from pak3h_tasks.localise.outputs import refuse_existing, write_jsonl
from pak3h_tasks.schema import ITEM_TYPES, LANGS, Dataset, Item, Lang
from pak3h_tasks.text.escape import quoted


@dataclass(frozen=True)
class Built:
    """A dataset on disk.

    Attributes:
        sets: The three languages, loaded back from what was written.
        dropped: Item id -> reason.
        people: Role -> pseudonym -> number of items.
        warnings: Suspicious but usable things, one line each.
    """

    sets: Mapping[Lang, LoadedSet[Item]]
    dropped: Mapping[str, str]
    people: Mapping[str, Mapping[str, int]]
    warnings: tuple[str, ...]


def urdu_items(dataset: Dataset, english: Sequence[Item], edits: Mapping[str, Edit]) -> list[Item]:
    """The finished items, in the order of `english`, without the dropped ones.

    Raises:
        DataError: Items without a row, without adapter, LC or LI items without reviewer, or texts the schema refuses.
    """
    faults = []
    if missing := [item.id for item in english if item.id not in edits]:
        faults.append(
            f"{dataset}: {len(missing):,} of {len(english):,} items are in none of the sheets, such as "
            f"{quoted(missing[0])}; give all sheets"
        )
    kept = [edits[item.id] for item in english if item.id in edits and not edits[item.id].dropped]
    unsigned = [edit for edit in kept if not edit.adapter]
    unreviewed = [edit for edit in kept if edit.needs_second_person and not edit.reviewer]
    if unsigned:
        faults.append(f"{_places(unsigned)}: no adapter has signed; finish the item, or choose drop and say why")
    if unreviewed:
        faults.append(f"{_places(unreviewed)}: no reviewer has signed; LC and LI items need a second person")
    items = []
    for edit in kept:
        try:
            items.append(ITEM_TYPES[dataset].model_validate(edit.item.model_dump() | edit.texts))
        except ValidationError as error:
            faults += [f"{edit.place}: {message}" for message in fault_messages(error, dataset)]
    if faults:
        raise DataError("\n".join(faults))
    if not items:
        raise DataError(f"{dataset}: every item is dropped; there is nothing to build")
    return items


def build(
    out: Path,
    dataset: Dataset,
    english: Sequence[Item],
    drafts: Sequence[Item],
    edits: Mapping[str, Edit],
    *,
    force: bool = False,
) -> Built:
    """Write ``{dataset}/ur.jsonl`` with the English and machine-translated items of the same ids, and check them.

    Args:
        out: Data folder, new or with other datasets in it.
        dataset: Which dataset.
        english: The originals, labelled.
        drafts: Their machine translations.
        edits: Edited sheets.
        force: Replace files that are there.

    Raises:
        DataError: Anything is unfinished or does not pass `pak3h data validate`; then nothing is written.
    """
    urdu = urdu_items(dataset, english, edits)
    ids = {item.id for item in urdu}
    files: dict[Lang, list[Item]] = {
        "ur": urdu,
        "en": [item for item in english if item.id in ids],
        "urmt": [item for item in drafts if item.id in ids],
    }
    targets = {lang: out / dataset / f"{lang}.jsonl" for lang in LANGS}
    refuse_existing(targets.values(), force=force)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".build-") as folder:
        for lang in LANGS:
            write_jsonl(Path(folder) / dataset / f"{lang}.jsonl", map(_record, files[lang]))
        sets = {lang: load(dataset, lang, folder) for lang in LANGS}
        (out / dataset).mkdir(exist_ok=True)
        for lang, target in targets.items():
            (Path(folder) / dataset / f"{lang}.jsonl").replace(target)
    warnings = [line for lang in LANGS for line in sets[lang].warnings]
    kept = [edits[item_id] for item_id in ids]
    return Built(
        sets=sets,
        dropped={edit.item.id: edit.comment for edit in edits.values() if edit.dropped},
        people={
            role: dict(sorted(Counter(name for edit in kept if (name := getattr(edit, role))).items()))
            for role in ("adapter", "reviewer")
        },
        warnings=(*warnings, *parallel_warnings(dataset, {lang: sets[lang].items for lang in LANGS})),
    )


def _places(edits: Sequence[Edit]) -> str:
    rest = f" and {len(edits) - 1:,} more" if len(edits) > 1 else ""
    return f"{edits[0].place}{rest}"


def _record(item: Item) -> dict[str, Any]:
    return item.model_dump(exclude_none=True)
