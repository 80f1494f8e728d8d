"""Which judge or classifier scores a dataset under the current settings, and whether it can be used.

Filters inside a run and `pak3h score` afterwards take their judge from here: same code path, same numbers.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from typing import Any, Protocol

from pak3h_tasks.backends.cache import AnswerCache, cache_path
from pak3h_tasks.backends.protocol import Backend, Missing
from pak3h_tasks.errors import Pak3HError
from pak3h_tasks.results import Verdict
from pak3h_tasks.settings import Settings

log = logging.getLogger("lm_eval.pak3h")  # below lm-eval's own logger: its format, its level

Verdicts = dict[str, Verdict]


class Judge(Protocol):
    """Scores the answers of one dataset."""

    @property
    def signature(self) -> str:
        """What makes its verdicts; goes into the results file."""

    def preflight(self) -> None:
        """Check, before anything is generated, that it can be used.

        Raises:
            Pak3HError: It cannot; one line says why and what to do.
        """

    def verdicts(self, docs: Sequence[dict[str, Any]], answers: Sequence[str]) -> list[Verdicts]:
        """Named verdicts for each document; what fails is unscored with a reason, not an exception."""

    def missing(self, docs: Sequence[dict[str, Any]], answers: Sequence[str]) -> Missing:
        """What `verdicts` would still have to ask for."""


def made_by(dataset: str, judge: Judge | None) -> dict[str, str]:
    """What a results file says of who judged it (``dataset_kwargs.pak3h``)."""
    return {"classifier" if dataset == "beavertails" else "judge": judge.signature if judge else "none"}


def open_judge(dataset: str, settings: Settings) -> Judge | None:
    """The judge of a dataset; nothing is loaded or asked yet. None: none is configured.

    Raises:
        Pak3HError: A setting names no judge.
    """
    from pak3h_tasks.harness import judges_of

    return {
        "truthfulqa": judges_of.honesty,
        "alpaca": judges_of.helpfulness,
        "beavertails": judges_of.harmlessness,
    }[dataset](settings)


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
            judge.preflight()
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


def chat_backend(model: str, settings: Settings) -> Backend:
    """The backend behind a judge setting: ``hf:MODEL`` is a local chat model, anything else a served one."""
    cache = AnswerCache(cache_path(settings.cache_dir))
    if model.startswith("hf:"):
        from pak3h_tasks.backends.local.causal import HFCausal

        return HFCausal(
            model.removeprefix("hf:"), device=settings.judge_device, dtype=settings.judge_dtype, cache=cache
        )
    from pak3h_tasks.backends.servers.chat import OpenAIChat

    key = settings.judge_key
    return OpenAIChat(
        model,
        base_url=settings.judge_url,
        api_key=key.get_secret_value() if key else None,
        concurrency=settings.judge_concurrency,
        timeout_s=settings.judge_timeout_s,
        cache=cache,
    )
