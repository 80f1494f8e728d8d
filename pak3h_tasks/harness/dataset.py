"""The dataset function of every task: configured data in, lm-eval documents out (YAML: `custom_dataset`)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from pak3h_tasks.data.load import SAMPLE_NOTICE, LoadedSet, load
from pak3h_tasks.data.primer import primer
from pak3h_tasks.data.prompts import asked
from pak3h_tasks.errors import DataError, Pak3HError, SettingsError
from pak3h_tasks.harness.documents import documents, primer_shot, provenance
from pak3h_tasks.harness.evaluation import predictions_alone_asked_for, watch
from pak3h_tasks.harness.judging import made_by, ready_judge, warn_once
from pak3h_tasks.harness.names import task_name
from pak3h_tasks.harness.one_line import end_in_one_line
from pak3h_tasks.settings import Settings

if TYPE_CHECKING:
    import datasets


def _is_no_advice_about_ours(record: logging.LogRecord) -> bool:
    message = str(record.msg)
    return not (message.startswith("pak3h_") and "Custom kwargs can be passed to `--metadata`" in message)


# lm-eval warns in two lines for each task with a dataset function that it takes --metadata, before it calls it: a
# wildcard run had 66 such warnings around two of ours. It imports this module before it does.
logging.getLogger("lm_eval.api.task").addFilter(_is_no_advice_about_ours)


def build(pak3h: dict[str, Any], pak3h_data: str | None = None, **others: Any) -> dict[str, datasets.Dataset]:
    """Documents of one task, as lm-eval calls it: YAML `dataset_kwargs`, `--model_args` and `--metadata` as keywords.

    Args:
        pak3h: The task's `dataset_kwargs.pak3h`: ``dataset``, ``lang``, ``kind`` and, for a split task, ``split``.
            What was loaded (source, fingerprint, count) is written back into this same dict, which lm-eval
            holds by reference in the task's config: that is how the results file tells which data made it.
        pak3h_data: ``--metadata '{"pak3h_data": ...}'``; wins over PAK3H_DATA and the embedded sample.
        others: What else lm-eval was told; not ours, unless it begins as ours do.

    Returns:
        ``{"test": documents, "train": few-shot documents}``; ``train`` only where the dataset has a primer.

    Raises:
        Pak3HError: Data or settings that cannot be used; on a command line it ends the run as one clear line.
    """
    watch()
    try:
        if strange := sorted(name for name in others if name.startswith("pak3h")):
            raise SettingsError(f"--metadata {strange[0]}: no such name; did you mean pak3h_data?")
        return _build(pak3h, pak3h_data)
    except Pak3HError:
        end_in_one_line()
        raise


def _build(task: dict[str, Any], data: str | None) -> dict[str, datasets.Dataset]:
    import datasets

    settings = Settings.from_environment()
    loaded = load(task["dataset"], task["lang"], data or settings.data)
    items = asked(loaded.items, task.get("split"))
    if not items:
        what = "prompt" if task["dataset"] == "beavertails" else "item"
        raise DataError(
            f"{loaded.source} ({task['dataset']}/{task['lang']}): no {what} is in split {task['split']!r}; "
            f"run the task without _{task['split']}"
        )
    task |= provenance(loaded, task["kind"])
    if task["kind"] == "gen":
        judge = None if predictions_alone_asked_for() else ready_judge(task["dataset"], settings)
        task |= made_by(task["dataset"], judge)
    _say_what_was_loaded(loaded)
    name = task_name(task["dataset"], task["lang"], task["kind"], task.get("split"))
    rows = documents(items, task["lang"], task["kind"], name, loaded.short)
    result = {"test": datasets.Dataset.from_list(rows)}
    if task["dataset"] == "truthfulqa":
        shots = [primer_shot(pair, task["lang"]) for pair in primer(task["lang"])]
        result["train"] = datasets.Dataset.from_list(shots)
    return result


def _say_what_was_loaded(loaded: LoadedSet[Any]) -> None:
    if loaded.is_sample:
        warn_once(SAMPLE_NOTICE)
    for warning in loaded.warnings:
        warn_once(warning)
