"""What a reviewer must look at before a dataset is built: one finding a row, with the reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from pak3h_tasks.localise import quality_checks
from pak3h_tasks.localise.edits import Edit
from pak3h_tasks.localise.fields import LIST_FIELDS, TEXT_FIELDS, to_cell
from pak3h_tasks.localise.sheets import write_sheet
from pak3h_tasks.localise.xlsx import SheetLayout
from pak3h_tasks.schema import Dataset

REASONS = {
    "unfinished": "nobody has signed as adapter",
    "unreviewed": "needs a second person: no reviewer yet",
    "untranslated": "has no Urdu text",
    "unchanged": "is still the machine translation, but must be adapted",
    "letters": "letters that are not Urdu's",
    "latin": "Latin words",
    "numbers": "numbers of the original are missing",
    "placeholders": "placeholders, links or tags of the original are missing",
    "answer_count": "another number of answers than the original",
    "best_answer": "the best answer is not among the correct ones",
    "length": "much longer or shorter than the other texts of this field, against their originals",
    "duplicate": "same text as another item, whose original differs",
    "two_wordings": "the same prompt is worded otherwise in another item",
    "dictionary": "words that are not in the dictionary",
    "name": "a name that should have been localised",
}
# Fewer texts than this say nothing about what is usual; then Urdu is taken to be as long as English.
_ENOUGH = 5


@dataclass(frozen=True)
class Finding:
    """One thing to look at.

    Attributes:
        reason: Key of `REASONS`.
        field: Where; a list's answers are numbered from 1. Empty: the whole item.
        detail: The words, numbers or ids in question.
    """

    edit: Edit
    reason: str
    field: str = ""
    detail: str = ""
    english: str = ""
    urdu: str = ""


@dataclass(frozen=True)
class Checks:
    """What the user gave to check with.

    Attributes:
        dictionary: From `quality_checks.dictionary_of`; empty: words are not looked up.
        names: From `quality_checks.names_of`: names that should have been localised, in Latin or Urdu letters.
        length_factor: How many times longer or shorter than usual is too much.
    """

    dictionary: Collection[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    length_factor: float = 2.5


def find(
    dataset: Dataset, edits: Sequence[Edit], drafts: Mapping[str, Mapping[str, Any]], checks: Checks
) -> list[Finding]:
    """All findings, in the order of the items; dropped items have none.

    Args:
        dataset: Whose fields the items have.
        edits: Edited items.
        drafts: Machine translations by id, to tell what nobody adapted.
        checks: Dictionary, names and limits.
    """
    kept = [edit for edit in edits if not edit.dropped]
    usual = _usual_lengths(dataset, kept)
    found = [
        finding
        for edit in kept
        for finding in (
            *_people(edit),
            *_item(dataset, edit, drafts.get(edit.item.id)),
            *(found for pair in _pairs(dataset, edit) for found in _text(edit, *pair, usual, checks)),
        )
    ]
    found += [*_duplicates(dataset, kept), *_two_wordings(dataset, kept)]
    order = {edit.item.id: number for number, edit in enumerate(kept)}
    return sorted(found, key=lambda finding: order[finding.edit.item.id])


def write_findings(path: Path, dataset: Dataset, findings: Sequence[Finding], *, force: bool = False) -> None:
    """Write the findings as a sheet.

    Raises:
        DataError: The file exists and `force` is off.
    """
    columns = ("dataset", "id", "localization", "field", "reason", "detail", "english", "urdu", "adapter", "place")
    rows = [
        {
            "dataset": dataset,
            "id": finding.edit.item.id,
            "localization": finding.edit.item.localization.upper(),
            "field": finding.field,
            "reason": REASONS[finding.reason],
            "detail": finding.detail,
            "english": finding.english,
            "urdu": finding.urdu,
            "adapter": finding.edit.adapter,
            "place": finding.edit.place,
        }
        for finding in findings
    ]
    write_sheet(path, SheetLayout(columns, right_to_left=["urdu"]), rows, force=force)


def _people(edit: Edit) -> Iterator[Finding]:
    if not edit.adapter:
        yield Finding(edit, "unfinished")
    if edit.needs_second_person and not edit.reviewer:
        yield Finding(edit, "unreviewed")


def _item(dataset: Dataset, edit: Edit, draft: Mapping[str, Any] | None) -> Iterator[Finding]:
    if edit.needs_second_person and draft and all(edit.texts[name] == draft[name] for name in TEXT_FIELDS[dataset]):
        yield Finding(edit, "unchanged")
    for name in LIST_FIELDS & set(TEXT_FIELDS[dataset]):
        before, after = getattr(edit.item, name), edit.texts[name]
        if len(before) != len(after):
            yield Finding(edit, "answer_count", name, f"{len(before)} -> {len(after)}", to_cell(before), to_cell(after))
    if dataset == "truthfulqa" and edit.texts["best_answer"] not in edit.texts["correct_answers"]:
        yield Finding(edit, "best_answer", "best_answer", urdu=to_cell(edit.texts["best_answer"]))


def _pairs(dataset: Dataset, edit: Edit) -> Iterator[tuple[str, str, str, str]]:
    """(field, place in it, English, Urdu); answers pair where both lists are equally long."""
    for name in TEXT_FIELDS[dataset]:
        before, after = getattr(edit.item, name), edit.texts[name]
        if isinstance(after, str):
            yield name, name, before, after
        elif len(before) == len(after):
            for number, (one, other) in enumerate(zip(before, after, strict=True), 1):
                yield name, f"{name} {number}", one, other


def _text(
    edit: Edit, name: str, place: str, english: str, urdu: str, usual: Mapping[str, float], checks: Checks
) -> Iterator[Finding]:
    def finding(reason: str, detail: str = "") -> Finding:
        return Finding(edit, reason, place, detail, english, urdu)

    if quality_checks.is_untranslated(english, urdu):
        yield finding("untranslated")
        return
    for reason, details in (
        ("letters", quality_checks.foreign_letters(urdu)),
        ("latin", quality_checks.latin_words(urdu, checks.dictionary)),
        ("numbers", quality_checks.lost_numbers(english, urdu)),
        ("placeholders", quality_checks.lost_placeholders(english, urdu)),
        ("dictionary", quality_checks.unknown_words(urdu, checks.dictionary) if checks.dictionary else []),
        ("name", quality_checks.kept_names(urdu, checks.names)),
    ):
        if details:
            yield finding(reason, ", ".join(details))
    ratio = quality_checks.length_ratio(english, urdu)
    if ratio is not None and not 1 / checks.length_factor <= ratio / usual[name] <= checks.length_factor:
        yield finding("length", f"{ratio:.2f} characters a character, usual {usual[name]:.2f}")


def _usual_lengths(dataset: Dataset, edits: Sequence[Edit]) -> dict[str, float]:
    ratios: dict[str, list[float]] = defaultdict(list)
    for edit in edits:
        for name, _, english, urdu in _pairs(dataset, edit):
            if ratio := quality_checks.length_ratio(english, urdu):
                ratios[name].append(ratio)
    return {name: median(ratios[name]) if len(ratios[name]) >= _ENOUGH else 1.0 for name in TEXT_FIELDS[dataset]}


def _duplicates(dataset: Dataset, edits: Sequence[Edit]) -> Iterator[Finding]:
    names = TEXT_FIELDS[dataset][:1] if dataset == "truthfulqa" else TEXT_FIELDS[dataset]
    seen: dict[tuple[str, ...], Edit] = {}
    for edit in edits:
        urdu = tuple(to_cell(edit.texts[name]) for name in names)
        first = seen.setdefault(urdu, edit)
        if any(getattr(first.item, name) != getattr(edit.item, name) for name in names):
            yield Finding(edit, "duplicate", names[0], f"as {first.item.id}", urdu=urdu[0])


def _two_wordings(dataset: Dataset, edits: Sequence[Edit]) -> Iterator[Finding]:
    # Each distinct prompt is asked once: two wordings of one prompt would be asked twice.
    if dataset != "beavertails":
        return
    seen: dict[str, Edit] = {}
    for edit in edits:
        english = getattr(edit.item, "prompt")  # noqa: B009 - the field is this dataset's own
        first = seen.setdefault(english, edit)
        if first.texts["prompt"] != edit.texts["prompt"]:
            yield Finding(edit, "two_wordings", "prompt", f"as {first.item.id}", english, to_cell(edit.texts["prompt"]))
