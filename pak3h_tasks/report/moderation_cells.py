"""The paper's Table 3 figures, of a dataset's own prompt-response pairs, from what `pak3h moderate` wrote."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pak3h_tasks.data.moderation_file import ModerationRecord, read_moderation
from pak3h_tasks.data.moderation_pairs import OWN_FILE
from pak3h_tasks.metrics.registry import METRICS, PAIRS, reported
from pak3h_tasks.metrics.safety import THRESHOLD
from pak3h_tasks.report.estimate import difference
from pak3h_tasks.report.gaps import gap
from pak3h_tasks.report.model import ALL, Cell, Gap, Place
from pak3h_tasks.report.moderation import OWN_PAIRS, pair_columns, score_rows
from pak3h_tasks.results import without_version
from pak3h_tasks.schema import SPLITS

KIND = "pairs"


def pair_cells(
    files: Sequence[Path], warn: Callable[[str], None], threshold: float = THRESHOLD
) -> tuple[list[Cell], list[Gap]]:
    """Scores and language gaps of every classifier and data set in the files.

    Args:
        files: Outputs of `pak3h moderate`.
        warn: Told where several classifiers or settings made the records.
        threshold: Unsafe above it.

    Raises:
        DataError: A file cannot be read.
    """
    cells: list[Cell] = []
    gaps: list[Gap] = []
    for label, records in by_label(files, warn).items():
        for row in score_rows(records, threshold):
            if row.score.name in METRICS:
                cells.append(Cell(Place(label, "beavertails", row.lang, KIND, row.split), row.score))
        for first, second in (("en", "ur"), ("ur", "urmt")):
            gaps += _gaps(records, label, (first, second), threshold)
    return cells, gaps


def by_label(files: Sequence[Path], warn: Callable[[str], None]) -> dict[str, list[ModerationRecord]]:
    """Records by the name their row has: the data's own pairs or a user's file, with a number a classifier.

    Args:
        files: Outputs of `pak3h moderate`.
        warn: As for `pair_cells`.

    Raises:
        DataError: A file cannot be read.
    """
    makings = _makings(files, warn)
    ways = list(dict.fromkeys(made_by for made_by, _ in makings))
    if len(ways) > 1:
        warn(f"prompt-response pairs were classified in different ways, shown apart: {'; '.join(ways)}")
    found = {}
    for (made_by, own), records in makings.items():
        label = f"pairs of {own}" if own else OWN_PAIRS
        found[label + (f" ({ways.index(made_by) + 1})" if len(ways) > 1 else "")] = records
    return found


def _makings(files: Sequence[Path], warn: Callable[[str], None]) -> dict[tuple[str, str], list[ModerationRecord]]:
    """Records by what made them and, for pairs of a user's own, by their file; each pair once."""
    found: dict[tuple[str, str], dict[tuple[str, str], ModerationRecord]] = defaultdict(dict)
    replaced = 0
    for file in files:
        for record in read_moderation(file):
            pairs = found[without_version(record.made_by), record.data if record.lang == OWN_FILE else ""]
            known = pairs.get((record.lang, record.id))
            # a second copy of a file changes nothing; a text that changed since does
            replaced += known is not None and known.key != record.key
            pairs[record.lang, record.id] = record
    if replaced:
        warn(f"{replaced} prompt-response pairs were classified with other texts too; the last of each counts")
    return {making: list(pairs.values()) for making, pairs in found.items()}


def _gaps(records: Sequence[ModerationRecord], label: str, langs: tuple[str, str], threshold: float) -> Iterator[Gap]:
    scored: list[dict[str, ModerationRecord]] = [
        {record.id: record for record in records if record.lang == lang and record.probabilities} for lang in langs
    ]
    both = [identifier for identifier in scored[0] if identifier in scored[1]]
    for split in (ALL, *SPLITS):
        ids = [i for i in both if split in (ALL, scored[0][i].localization)]
        if not ids:
            continue
        columns = [pair_columns([part[i] for i in ids], threshold) for part in scored]
        prompts = [scored[0][i].prompt for i in ids]  # answers to one prompt are alike
        place = Place(label, "beavertails", langs[0], KIND, split)
        for metric in (m for m in reported(*PAIRS) if m.compared):
            found = difference(metric, columns[0], columns[1], prompts)
            note = "McNemar and z take pairs of one prompt as independent" if found.mcnemar else ""
            yield gap(place, metric, langs, found, note=note)
