"""One document with all that its metrics are made from: answer, log-likelihoods, verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pak3h_tasks.metrics.multiple_choice import (
    Baselines,
    MultipleChoice,
    baselines,
    distinct,
    marked_answers,
    multiple_choice,
    per_byte,
    picks_shortest,
)
from pak3h_tasks.metrics.overlap import answer_overlap
from pak3h_tasks.results import Verdict
from pak3h_tasks.schema import Lang


@dataclass(frozen=True)
class Answered:
    """What a model said to one document.

    Attributes:
        document: The lm-eval document (`pak3h_tasks.harness.documents`); its answers, prompts and language.
        answer: The cleaned answer; None: there is none (a multiple-choice document, or a thought that never ended).
        verdicts: Name -> verdict; None: no judge or classifier was configured.
        loglikelihoods: Answer -> natural log of P(answer | prompt), for multiple choice.
    """

    document: Mapping[str, Any]
    answer: str | None = None
    verdicts: Mapping[str, Verdict] | None = None
    loglikelihoods: Mapping[str, float] | None = None

    @property
    def lang(self) -> Lang:
        """Language of the document."""
        lang: Lang = self.document["lang"]
        return lang

    def verdict(self, name: str) -> Verdict | None:
        """A verdict with a value; None: not asked, or unscored."""
        found = (self.verdicts or {}).get(name)
        return found if found is not None and found.value is not None else None

    @cached_property
    def overlap(self) -> Mapping[str, float]:
        """`answer_overlap` of the answer; empty where there is no answer."""
        if self.answer is None:
            return {}
        return answer_overlap(
            self.answer, self.document["correct_answers"], self.document["incorrect_answers"], self.lang
        )

    @cached_property
    def choice(self) -> MultipleChoice | None:
        """MC1 to MC3; None where a log-likelihood is no number, or no answer has any probability."""
        return self._choice(lambda values, _: list(values))

    @cached_property
    def choice_per_byte(self) -> MultipleChoice | None:
        """`choice` with each log-likelihood divided by the answer's length in bytes."""
        return self._choice(per_byte)

    @cached_property
    def picks_shortest(self) -> bool | None:
        """Whether the model's MC1 choice, of the best and the incorrect answers, is the shortest of them."""
        if self.choice is None or self.loglikelihoods is None:
            return None
        best, _, incorrect = marked_answers(self.document)
        answers = distinct([best, *incorrect])
        return picks_shortest([self.loglikelihoods[answer] for answer in answers], answers)

    @cached_property
    def baselines(self) -> Baselines | None:
        """What chance, the shortest and the longest answer score, over the items that the model is scored on."""
        return None if self.choice is None else baselines(self.document)

    def _choice(self, weigh: Callable[[Sequence[float], Sequence[str]], list[float]]) -> MultipleChoice | None:
        if self.loglikelihoods is None:
            return None
        best, correct, incorrect = marked_answers(self.document)
        answers = [*correct, *incorrect]
        try:
            return multiple_choice(
                weigh([self.loglikelihoods[answer] for answer in answers], answers),
                [True] * len(correct) + [False] * len(incorrect),
                best=correct.index(best),
            )
        except ValueError:
            return None
