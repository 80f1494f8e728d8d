"""The paper's Table 3 figures, of a dataset's own prompt-response pairs, from what `pak3h moderate` wrote."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from pak3h_tasks.data.moderation_file import ModerationRecord, read_moderation
from pak3h_tasks.metrics.safety import THRESHOLD, is_unsafe, max_harm
from pak3h_tasks.report.metrics import METRICS
from pak3h_tasks.report.model import ALL, Cell, Gap, Place
from pak3h_tasks.report.moderation import score_rows
from pak3h_tasks.schema import SPLITS
from pak3h_tasks.stats.clustered import clustered_mean_interval
from pak3h_tasks.stats.tests import mcnemar, two_proportion_z

KIND = "pairs"
_LABEL = "the data's own pairs"


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
    makings: dict[str, list[ModerationRecord]] = defaultdict(list)
    for file in files:
        for record in read_moderation(file):
            makings[record.made_by].append(record)
    if len(makings) > 1:
        warn(f"prompt-response pairs were classified in different ways, shown apart: {'; '.join(makings)}")
    cells: list[Cell] = []
    gaps: list[Gap] = []
    for number, records in enumerate(makings.values(), 1):
        label = _LABEL if len(makings) == 1 else f"{_LABEL} ({number})"
        for row in score_rows(records, threshold):
            if row.score.name in METRICS:
                cells.append(Cell(Place(label, "beavertails", row.lang, KIND, row.split), row.score))
        for first, second in (("en", "ur"), ("ur", "urmt")):
            gaps += _gaps(records, label, (first, second), threshold)
    return cells, gaps


def _gaps(records: Sequence[ModerationRecord], label: str, langs: tuple[str, str], threshold: float) -> Iterator[Gap]:
    scored: list[dict[str, ModerationRecord]] = [
        {record.id: record for record in records if record.lang == lang and record.probabilities} for lang in langs
    ]
    both = [identifier for identifier in scored[0] if identifier in scored[1]]
    for split in (ALL, *SPLITS):
        ids = [i for i in both if split in (ALL, scored[0][i].localization)]
        if not ids:
            continue
        harms = [np.array([max_harm(part[i].probabilities or {}) for i in ids]) for part in scored]
        unsafe = [np.array([is_unsafe(harm, threshold) for harm in column]) for column in harms]
        # answers to one prompt are alike
        prompts = [scored[0][i].prompt for i in ids]
        columns = {"unsafe_rate": [flags.astype(float) for flags in unsafe], "avg_max_harm": harms}
        for metric, (first, second) in columns.items():
            is_rate = metric == "unsafe_rate"
            values = float(first.mean()), float(second.mean())
            yield Gap(
                Place(label, "beavertails", langs[0], KIND, split),
                metric,
                first=langs[0],
                second=langs[1],
                n=len(ids),
                first_value=values[0],
                second_value=values[1],
                difference=float((first - second).mean()),
                interval=clustered_mean_interval((first - second).tolist(), prompts),
                mcnemar=mcnemar(unsafe[0].tolist(), unsafe[1].tolist()) if is_rate else None,
                z=two_proportion_z(values[0], len(ids), values[1], len(ids)) if is_rate else None,
                note="McNemar and z take pairs of one prompt as independent" if is_rate else "",
            )
