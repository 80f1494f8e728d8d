"""Contextualise before translating, as the paper does: English items made local, reviewed, and revised where flagged.

LC items are adapted by one person and reviewed by another; LI items get a second pass, and their reviewers are other
people than those of LC items. What is flagged is revised and then included; DT items stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from pak3h_tasks.data.check_rows import fault_messages
from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.edits import Edit, Task, read_edits, write_drafts
from pak3h_tasks.localise.pseudonyms import same_person
from pak3h_tasks.schema import ITEM_TYPES, Dataset, HarmlessItem, Item
from pak3h_tasks.text.escape import quoted

CONTEXTUALISE = Task("new", "contextualise", ("keep", "revise", "drop"))


def write_adaptation_sheets(
    folder: Path, dataset: Dataset, english: Sequence[Item], formats: Sequence[str], *, force: bool = False
) -> list[Path]:
    """Write ``lc`` and ``li`` sheets, those that have an item, in each format.

    Raises:
        DataError: A file exists and `force` is off.
    """
    written = []
    for label in ("lc", "li"):
        if items := [item for item in english if item.localization == label]:
            paths = [folder / f"{label}.{suffix}" for suffix in formats]
            drafts = [item.model_dump() for item in items]
            write_drafts(paths, dataset, items, drafts, task=CONTEXTUALISE, force=force)
            written += paths
    return written


def read_adaptations(paths: Sequence[Path], dataset: Dataset, english: Sequence[Item]) -> dict[str, Edit]:
    """What people made of LC and LI items, by id; of an item that was flagged the later sheet counts.

    Args:
        paths: Sheets in the order in which they were filled in.
        dataset: Whose fields they have.
        english: The originals, labelled.

    Raises:
        DataError: A fault that `read_edits` names, an item twice that was not flagged, an item without a row or without
            signatures, or an LI item reviewed by somebody who reviewed LC items; one line a fault.
    """
    found: dict[str, Edit] = {}
    faults = []
    for path in paths:
        for identifier, edit in read_edits([path], dataset, english, task=CONTEXTUALISE).items():
            earlier = found.get(identifier)
            if earlier is not None and not earlier.flagged:
                faults.append(f"{edit.place}: the item is in {earlier.place} already, not flagged; give one of the two")
            found[identifier] = edit
    wanted = [item.id for item in english if item.localization != "dt"]
    if missing := [identifier for identifier in wanted if identifier not in found]:
        faults.append(
            f"{len(missing):,} LC and LI items are in no sheet, such as {quoted(missing[0])}; give all sheets"
        )
    kept = [edit for edit in found.values() if not edit.dropped and not edit.flagged]
    for role in ("adapter", "reviewer"):
        faults += [f"{edit.place}: no {role} has signed" for edit in kept if not getattr(edit, role)]
    of_lc = {edit.reviewer for edit in kept if edit.item.localization == "lc" and edit.reviewer}
    faults += [
        f"{edit.place}: {quoted(edit.reviewer)} reviewed LC items; LI items have reviewers of their own"
        for edit in kept
        if edit.item.localization == "li" and any(same_person(edit.reviewer, name) for name in of_lc)
    ]
    if faults:
        raise DataError("\n".join(faults))
    return found


def contextualised(english: Sequence[Item], adaptations: Mapping[str, Edit], dataset: Dataset) -> list[Item]:
    """The items with their new texts, in order, without the dropped ones; a prompt is new in all of its pairs.

    Raises:
        DataError: Texts that the schema refuses; one line a fault.
    """
    items, faults = [], []
    prompts = {
        edit.item.prompt: edit.texts["prompt"]
        for edit in adaptations.values()
        if not edit.dropped and isinstance(edit.item, HarmlessItem)
    }
    for item in english:
        edit = adaptations.get(item.id)
        if edit is None:
            # another pair of its prompt may have been adapted
            new = prompts.get(item.prompt) if isinstance(item, HarmlessItem) else None
            items.append(item.model_copy(update={"prompt": new}) if new else item)
        elif not edit.dropped:
            try:
                items.append(ITEM_TYPES[dataset].model_validate(item.model_dump() | edit.texts))
            except ValidationError as error:
                faults += [f"{edit.place}: {message}" for message in fault_messages(error, dataset)]
    if faults:
        raise DataError("\n".join(faults))
    return items


def people(adaptations: Mapping[str, Edit]) -> dict[str, dict[str, int]]:
    """Role -> pseudonym -> number of items."""
    kept = [edit for edit in adaptations.values() if not edit.dropped]
    return {
        role: dict(sorted(Counter(name for edit in kept if (name := getattr(edit, role))).items()))
        for role in ("adapter", "reviewer")
    }
