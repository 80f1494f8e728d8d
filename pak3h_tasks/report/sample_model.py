"""What the sample browser shows of an item: texts by language, each model's answer, its verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class SampleVerdict:
    """One verdict as logged; texts may be cut (`Limits.chars`).

    Attributes:
        name: truthful, informative, preference or safety.
        value: None: not scored.
        probability: Behind the value, where there is one.
        raw: The judge's reply.
        reason: Why there is no value, or which rule gave it.
        details: Further JSON values: category probabilities, both orders.
    """

    name: str
    value: float | None
    probability: float | None
    raw: str | None
    reason: str | None
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SampleChoice:
    """One answer of a multiple-choice question with its log-likelihood; None: not logged or NaN."""

    text: str
    is_correct: bool
    loglikelihood: float | None


@dataclass(frozen=True)
class SampleAnswer:
    """What one model made of an item in one language.

    Attributes:
        system: Label of the model.
        lang: Language of the item.
        text: The answer that was judged, or as generated; "" for multiple choice.
        is_cut: Whether a text of it is cut.
        metrics: Metric -> value, where scored.
        verdicts: Verdicts of judges and classifiers.
        choices: The choices of a multiple-choice question.
        reason: Why a multiple-choice question is not scored.
    """

    system: str
    lang: str
    text: str
    is_cut: bool
    metrics: dict[str, float]
    verdicts: tuple[SampleVerdict, ...] = ()
    choices: tuple[SampleChoice, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class SampleTexts:
    """An item's texts in one language; `references` correct ones, `wrong` incorrect ones."""

    prompt: str
    references: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sample:
    """One item, all languages and models.

    Attributes:
        dataset: Its dataset.
        kind: mc or gen.
        id: Its id, shared by the languages.
        split: dt, lc or li.
        topic: TruthfulQA topic, where there is one.
        texts: By language.
        answers: By model and language.
    """

    dataset: str
    kind: str
    id: str
    split: str
    topic: str | None
    texts: dict[str, SampleTexts]
    answers: tuple[SampleAnswer, ...]


@dataclass(frozen=True)
class Limits:
    """How much is shown.

    Attributes:
        items: Most items of a dataset and kind; they are spread evenly over the log.
        chars: Most characters of a text.
    """

    items: int = 500
    chars: int = 4000


@dataclass(frozen=True)
class SampleSet:
    """Samples, and how many items there are of each (dataset, kind) in all."""

    samples: tuple[Sample, ...]
    totals: dict[tuple[str, str], int]
    limits: Limits
