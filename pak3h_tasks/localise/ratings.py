"""Labels that annotators gave, read back from their sheets: every fault is named, a skipped item is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from pak3h_tasks.data.faults import Faults
from pak3h_tasks.errors import DataError
from pak3h_tasks.localise.pseudonyms import plain_name
from pak3h_tasks.localise.sheets import SheetRow, read_sheet
from pak3h_tasks.progress import watched
from pak3h_tasks.schema import DATASETS, SPLITS, Dataset, Localization, parse_localization
from pak3h_tasks.text.escape import quoted

COLUMNS = ("dataset", "id", "label")


@dataclass(frozen=True)
class Ratings:
    """All labels of one dataset in one round.

    Attributes:
        labels: Item id -> annotator -> label; None: the annotator left it empty.
        rows: Item id -> the texts the annotators saw, by column.
    """

    dataset: Dataset
    labels: dict[str, dict[str, Localization | None]] = field(default_factory=dict)
    rows: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def annotators(self) -> list[str]:
        """Pseudonyms in order of appearance."""
        return list(dict.fromkeys(name for given in self.labels.values() for name in given))

    def votes(self, item_id: str) -> Counter[Localization]:
        """How many annotators gave each label."""
        return Counter(label for label in self.labels[item_id].values() if label is not None)

    def counts(self) -> list[list[int]]:
        """(n_items, 3) labels given per item, in order DT, LC, LI."""
        return [[self.votes(item_id)[label] for label in SPLITS] for item_id in self.labels]


def read_ratings(paths: Sequence[Path], *, partial: bool = False) -> dict[Dataset, Ratings]:
    """Labels of all sheets, by dataset.

    Whose a label is says the ``annotator`` column, or the file's stem where that is empty; two spellings of one name
    (`same_person`) are one annotator.

    Args:
        paths: Sheets as `sample` wrote them, filled in; several sheets of one annotator may share out the items.
        partial: Accept annotators of one dataset who were given different items.

    Raises:
        DataError: Unknown labels or datasets, an item labelled twice by one annotator, or (without `partial`)
            annotators with different items: one line a fault.
    """
    found: dict[Dataset, Ratings] = {}
    places: dict[tuple[str, str, str], str] = {}
    names: dict[str, str] = {}
    lines: list[str] = []
    for path in watched(paths, "reading sheets", unit="sheet"):
        faults = Faults(path.name, "row")
        for row in read_sheet(path, COLUMNS):
            given = row["annotator"].strip() or path.stem
            annotator = names.setdefault(plain_name(given), given)
            _add(row, annotator, path, faults, found, places)
        lines += faults.lines()
    if lines:
        raise DataError("\n".join(lines))
    for ratings in found.values():
        if not partial:
            _refuse_different_items(ratings)
    return found


def _add(
    row: SheetRow,
    annotator: str,
    path: Path,
    faults: Faults,
    found: dict[Dataset, Ratings],
    places: dict[tuple[str, str, str], str],
) -> None:
    dataset, item_id = row["dataset"].strip(), row["id"].strip()
    label = parse_localization(row["label"])
    if dataset not in DATASETS:
        faults.add(f"unknown dataset {quoted(dataset)}; use one of {', '.join(DATASETS)}", row.number)
    elif not item_id:
        faults.add("'id' is empty; restore the id the sheet was made with", row.number)
    elif label not in (*SPLITS, ""):
        faults.add(f"unknown label {quoted(row['label'])}; use DT, LC, LI, or leave it empty", row.number)
    else:
        key = (dataset, item_id, annotator)
        if key in places:
            faults.add(
                f"{quoted(annotator)} labels the item in {places[key]} already; give every sheet once, as CSV or XLSX",
                row.number,
            )
            return
        places[key] = path.name
        ratings = found.setdefault(dataset, Ratings(dataset))
        ratings.labels.setdefault(item_id, {})[annotator] = cast("Localization | None", label or None)
        ratings.rows.setdefault(
            item_id, {k: v for k, v in row.cells.items() if k not in ("label", "comment", "annotator")}
        )


def _refuse_different_items(ratings: Ratings) -> None:
    for annotator in ratings.annotators:
        missing = [item_id for item_id, given in ratings.labels.items() if annotator not in given]
        if missing:
            raise DataError(
                f"{ratings.dataset}: {quoted(annotator)} has no row for {len(missing):,} of {len(ratings.labels):,} "
                f"items, such as {quoted(missing[0])}; give all sheets of one round, or pass --partial if the items "
                "were shared out"
            )
