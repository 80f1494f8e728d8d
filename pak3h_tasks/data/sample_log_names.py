"""What the names of lm-eval's files and of our tasks say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pak3h_tasks.schema import DATASETS, LANGS, SPLITS, Dataset, Lang, Localization

# datetime.isoformat() with ":" as "-"; it drops the fraction when that is 0
_DATE = r"(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)"
_SCORED = r"(?:_scored-(?P<scored>.+))?"
_SAMPLES = re.compile(rf"samples_(?P<task>.+?)_{_DATE}{_SCORED}\.jsonl", re.DOTALL)
_RESULTS = re.compile(rf"(?P<stem>.+?)_{_DATE}{_SCORED}\.json", re.DOTALL)
_SPOOL = re.compile(rf"{_DATE}_\d+")
_TASK = re.compile(
    rf"pak3h_(?P<dataset>{'|'.join(DATASETS)})_(?P<lang>{'|'.join(LANGS)})"
    rf"(?:_(?P<kind>mc|gen))?(?:_(?P<split>{'|'.join(SPLITS)}))?"
)


@dataclass(frozen=True)
class LogName:
    """A file name of a run: date stamp, score slug ("" for lm-eval's own), and the task; None: a results file."""

    date: str
    scored: str
    task: str | None


def parse_log_name(name: str) -> LogName | None:
    """What a file name says; None where it is no results file and no sample log.

    Example:
        >>> parse_log_name("samples_pak3h_alpaca_ur_2026-11-30T21-41-45.470855_scored-gpt.jsonl")
        LogName(date='2026-11-30T21-41-45.470855', scored='gpt', task='pak3h_alpaca_ur')
    """
    if match := _SAMPLES.fullmatch(name):
        return LogName(match["date"], match["scored"] or "", match["task"])
    if match := _RESULTS.fullmatch(name):
        return LogName(match["date"], match["scored"] or "", None)
    return None


def is_spool_folder(folder: Path) -> bool:
    """Whether a folder is one process's spool: ``spool/{date}_{process id}``.

    Example:
        >>> is_spool_folder(Path("spool/2026-11-30T21-41-45.470855_4711")), is_spool_folder(Path("spool/org__model"))
        (True, False)
    """
    return folder.parent.name == "spool" and _SPOOL.fullmatch(folder.name) is not None


@dataclass(frozen=True)
class TaskIdentity:
    """Which of our tasks it is. `kind`: mc or gen; `split` None: all items."""

    dataset: Dataset
    lang: Lang
    kind: str
    split: Localization | None = None


def identify(task: str, config: Mapping[str, Any]) -> TaskIdentity | None:
    """Identity of a task from its logged config or, where that is missing, from its name; None: not one of ours.

    A user's own YAML on top of ours may have any name; its config still carries ``dataset_kwargs.pak3h``.

    Example:
        >>> identify("pak3h_truthfulqa_ur_mc_lc", {})
        TaskIdentity(dataset='truthfulqa', lang='ur', kind='mc', split='lc')
    """
    arguments = config.get("dataset_kwargs")
    said = arguments.get("pak3h") if isinstance(arguments, dict) else None
    if not isinstance(said, dict) or not said:
        match = _TASK.fullmatch(task)
        said = match.groupdict() if match else {}
    dataset, lang, split = said.get("dataset"), said.get("lang"), said.get("split")
    if dataset not in DATASETS or lang not in LANGS or (split is not None and split not in SPLITS):
        return None
    kind = said.get("kind") or "gen"
    return TaskIdentity(cast(Dataset, dataset), cast(Lang, lang), str(kind), cast("Localization | None", split))
