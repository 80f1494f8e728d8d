"""Whether the judge or classifier of a dataset can be used; a check before anything is generated.

Filters inside a run and `pak3h score` afterwards take their judge from here: same code path, same numbers.
"""

from __future__ import annotations

import functools
import logging

from pak3h_tasks.errors import Pak3HError
from pak3h_tasks.harness.judges import Judge, check_judge, open_judge
from pak3h_tasks.settings import Settings

log = logging.getLogger("lm_eval.pak3h")  # below lm-eval's own logger: its format, its level


def made_by(dataset: str, judge: Judge | None) -> dict[str, str]:
    """What a results file says of who judged it (``dataset_kwargs.pak3h``)."""
    return {"classifier" if dataset == "beavertails" else "judge": judge.signature if judge else "none"}


@functools.cache
def ready_judge(dataset: str, settings: Settings) -> Judge | None:
    """The judge of a dataset, checked once a process.

    A judge that was asked for and cannot be used stops the run here, before generation. Defaults never block a run:
    without a judge it goes on, judge metrics are absent, and one notice says how to get them.

    Raises:
        Pak3HError: A judge that was asked for cannot be used.
    """
    asked_for = settings.classifier_asked_for if dataset == "beavertails" else settings.judge_asked_for
    try:
        judge = open_judge(dataset, settings)
        if judge is not None:
            check_judge(judge, settings)
    except Pak3HError as error:
        if asked_for:
            raise
        warn_once(f"{error}; the run goes on without it. Score later: pak3h score RUN_DIR")
        return None
    if judge is None:
        _say_there_is_none(dataset, settings)
    return judge


@functools.cache
def warn_once(message: str) -> None:
    """Log a warning once a process."""
    log.warning("Pak3H: %s", message)


def _say_there_is_none(dataset: str, settings: Settings) -> None:
    if dataset == "beavertails":
        if settings.classifier != "none":
            warn_once(
                "no classifier (no GPU has room for Beaver-Dam-7B), so no safety metrics. Answers are kept; to "
                "classify: set PAK3H_CLASSIFIER to owner/name@revision, a folder or vllm:URL, or later run: "
                "pak3h score RUN_DIR --classifier ... (with --log_samples)"
            )
    elif settings.judge != "none":
        warn_once(
            "no judge, so no judge metrics. Answers are kept; to judge: set OPENAI_API_KEY, or "
            "PAK3H_JUDGE_BASE_URL and PAK3H_JUDGE for a server of your own, or later run: "
            "pak3h score RUN_DIR --judge ... (with --log_samples)"
        )
