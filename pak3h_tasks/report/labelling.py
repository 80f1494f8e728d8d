"""How far annotators agreed on DT, LC and LI: the first round of the ``agreement.json`` files of `pak3h localise`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pak3h_tasks.data.sample_log import as_float
from pak3h_tasks.report.model import Labelling
from pak3h_tasks.report.run_settings import mapping
from pak3h_tasks.schema import DATASETS

FILE_NAME = "agreement.json"


def labelling_files(path: Path) -> Iterator[Path]:
    """Files of that name at or below a path that `pak3h localise agree` wrote."""
    if path.is_file():
        found: Iterator[Path] = iter([path] if path.name == FILE_NAME else [])
    else:
        found = (Path(folder) / FILE_NAME for folder, _, names in os.walk(path) if FILE_NAME in names)
    yield from (file for file in found if _first_round(file))


def read_labelling(files: Sequence[Path]) -> tuple[Labelling, ...]:
    """The agreement of each dataset, as the last of its files says."""
    found: dict[str, Labelling] = {}
    for said in map(_first_round, files):
        values = {name: as_float(said.get(name)) for name in ("items", "majority", "pairwise", "kappa")}
        found[said["dataset"]] = Labelling(
            said["dataset"], int(values["items"] or 0), values["majority"], values["pairwise"], values["kappa"]
        )
    return tuple(found[name] for name in DATASETS if name in found)


def _first_round(file: Path) -> dict[str, Any]:
    """What a file says of the first round; empty where it is another kind of file."""
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    rounds = mapping(content).get("rounds")
    first = mapping(rounds[0]) if isinstance(rounds, list) and rounds else {}
    return dict(first) if first.get("dataset") in DATASETS else {}
