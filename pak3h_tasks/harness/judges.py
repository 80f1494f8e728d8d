"""The judge of each dataset as the harness uses it: documents and answers in, named verdicts out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pak3h_tasks.backends.cache import AnswerCache, cache_path
from pak3h_tasks.backends.open_classifier import open_classifier
from pak3h_tasks.backends.protocol import Backend, Missing
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.judges.beaver_dam import BeaverDam
from pak3h_tasks.judges.beaver_encoding import PromptResponse
from pak3h_tasks.judges.pairwise import Pair, Pairwise, join_input
from pak3h_tasks.judges.truth_info import QUESTIONS, Row, TruthInfoJudge
from pak3h_tasks.results import Verdict
from pak3h_tasks.settings import Settings

Docs = Sequence[dict[str, Any]]
Verdicts = dict[str, Verdict]
OpenChat = Callable[[str, Settings], Backend]


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


def open_judge(dataset: str, settings: Settings, open_chat: OpenChat | None = None) -> Judge | None:
    """The judge of a dataset; nothing is loaded or asked yet. None: none is configured.

    Args:
        dataset: Which one.
        settings: What the user wants.
        open_chat: Makes the backend of a judge's name; None: `chat_backend`.

    Raises:
        Pak3HError: A setting names no judge.
    """
    if dataset == "beavertails":
        return harmlessness(settings)
    chat_judge = {"truthfulqa": honesty, "alpaca": helpfulness}[dataset]
    return chat_judge(settings, chat_backend if open_chat is None else open_chat)


def answer_cache(settings: Settings) -> AnswerCache | None:
    """Where judges' answers are kept; None: nowhere, as the user said."""
    if settings.cache == "off":
        return None
    return AnswerCache(cache_path(settings.cache_dir), writable=settings.cache == "on")


def check_judge(judge: Judge, settings: Settings) -> None:
    """Check that a judge can be used and that its answers can be kept, before anything is generated or paid for.

    Raises:
        Pak3HError: One of the two cannot.
    """
    if (cache := answer_cache(settings)) is not None:
        cache.require()
    judge.preflight()


def chat_backend(model: str, settings: Settings) -> Backend:
    """The backend behind a judge setting: ``hf:MODEL`` is a local chat model, anything else a served one."""
    if model.startswith("hf:"):
        from pak3h_tasks.backends.local.causal import HFCausal

        return HFCausal(
            model.removeprefix("hf:"),
            device=settings.judge_device,
            dtype=settings.judge_dtype,
            cache=answer_cache(settings),
            ask_again=settings.ask_again,
        )
    return _served(model, settings)


@functools.lru_cache(maxsize=8)
def _served(model: str, settings: Settings) -> Backend:
    """One a server and model, so that what it was found to accept is known to all judges of a run."""
    from pak3h_tasks.backends.batches.ledger import Ledger, batches_path
    from pak3h_tasks.backends.servers.chat import OpenAIChat

    key = settings.judge_key
    return OpenAIChat(
        model,
        base_url=settings.judge_url,
        api_key=key.get_secret_value() if key else None,
        concurrency=settings.judge_concurrency,
        timeout_s=settings.judge_timeout_s,
        cache=answer_cache(settings),
        waiting=Ledger(batches_path(settings.cache_dir)).waiting_keys,
        ask_again=settings.ask_again,
        max_tokens=settings.judge_max_tokens,
        api_version=settings.judge_api_version,
    )


def honesty(settings: Settings, open_chat: OpenChat = chat_backend) -> Judge | None:
    """Truthful and informative, by a chat model or by two models trained for it (``hf:TRUTH_MODEL,INFO_MODEL``).

    Raises:
        SettingsError: ``hf:A,B,C``, or references for judges that were trained without.
    """
    model = settings.ti_judge_model
    if model is None:
        return None
    if not (model.startswith("hf:") and "," in model):
        return HonestyJudge(TruthInfoJudge(open_chat(model, settings), references=settings.ti_references))
    names = [name.strip() for name in model.removeprefix("hf:").split(",")]
    if len(names) != 2 or not all(names):
        raise SettingsError(f"PAK3H_TI_JUDGE: {model!r} must name two models, as hf:TRUTH_MODEL,INFO_MODEL")
    if settings.ti_references:
        raise SettingsError("PAK3H_TI_REFERENCES: GPT-judge style models were trained without references; unset it")
    truth, info = (open_chat(f"hf:{name}", settings) for name in names)
    return HonestyJudge(TruthInfoJudge(truth, info, style="completion"))


class HonestyJudge:
    """Asks whether each answer is truthful, and whether it is informative."""

    def __init__(self, judge: TruthInfoJudge) -> None:
        self._judge = judge

    @property
    def signature(self) -> str:
        """As `Judge`."""
        return " ".join(self._judge.signature(question).text for question in QUESTIONS)

    def preflight(self) -> None:
        """As `Judge`."""
        self._judge.preflight()

    def verdicts(self, docs: Docs, answers: Sequence[str]) -> list[Verdicts]:
        """As `Judge`; the verdicts are called ``truthful`` and ``informative``."""
        return [verdicts._asdict() for verdicts in self._judge.judge(_rows(docs, answers))]

    def missing(self, docs: Docs, answers: Sequence[str]) -> Missing:
        """As `Judge`."""
        return self._judge.missing(_rows(docs, answers))


def _rows(docs: Docs, answers: Sequence[str]) -> list[Row]:
    return [
        Row(doc["question"], answer, tuple(doc["correct_answers"]), tuple(doc["incorrect_answers"]))
        for doc, answer in zip(docs, answers, strict=True)
    ]


def helpfulness(settings: Settings, open_chat: OpenChat = chat_backend) -> Judge | None:
    """Pairwise judging against the dataset's own output."""
    model = settings.judge_model
    if model is None:
        return None
    return HelpfulnessJudge(
        Pairwise(open_chat(model, settings), both_orders=settings.judge_both_orders, prompt=settings.pairwise_prompt)
    )


class HelpfulnessJudge:
    """Compares each answer with ``doc["output"]``."""

    def __init__(self, judge: Pairwise) -> None:
        self._judge = judge
        self.signature = self._judge.signature().text

    def preflight(self) -> None:
        """As `Judge`."""
        self._judge.preflight()

    def verdicts(self, docs: Docs, answers: Sequence[str]) -> list[Verdicts]:
        """As `Judge`; the verdict is called ``preference``."""
        return [{"preference": verdict} for verdict in self._judge.judge(_pairs(docs, answers))]

    def missing(self, docs: Docs, answers: Sequence[str]) -> Missing:
        """As `Judge`."""
        return self._judge.missing(_pairs(docs, answers))


def _pairs(docs: Docs, answers: Sequence[str]) -> list[Pair]:
    return [
        Pair(join_input(doc["instruction"], doc["input"]), answer, doc["output"])
        for doc, answer in zip(docs, answers, strict=True)
    ]


def harmlessness(settings: Settings) -> Judge | None:
    """The Beaver-Dam classifier."""
    classifier = open_classifier(
        settings.classifier,
        device=settings.classifier_device,
        dtype=settings.classifier_dtype,
        tokenizer=settings.classifier_tokenizer,
    )
    if classifier is None:
        return None
    return HarmlessnessJudge(
        BeaverDam(
            classifier,
            profile=settings.classifier_profile,
            max_length=settings.classifier_max_length,
            threshold=settings.classifier_threshold,
            store=answer_cache(settings),
        )
    )


class HarmlessnessJudge:
    """Classifies each answer to ``doc["prompt"]``."""

    def __init__(self, judge: BeaverDam) -> None:
        self._judge = judge

    @property
    def signature(self) -> str:
        """As `Judge`."""
        return self._judge.signature

    def preflight(self) -> None:
        """As `Judge`; no weights are loaded: the evaluated model comes first."""
        self._judge.check()

    def verdicts(self, docs: Docs, answers: Sequence[str]) -> list[Verdicts]:
        """As `Judge`; the verdict is called ``safety``."""
        return [{"safety": verdict} for verdict in self._judge.judge(_prompts(docs, answers))]

    def missing(self, docs: Docs, answers: Sequence[str]) -> Missing:
        """As `Judge`."""
        return self._judge.missing(_prompts(docs, answers))


def _prompts(docs: Docs, answers: Sequence[str]) -> list[PromptResponse]:
    return [PromptResponse(doc["prompt"], answer) for doc, answer in zip(docs, answers, strict=True)]
