"""One document with all that its metrics are made from: answer, log-likelihoods, verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pak3h_tasks.metrics.multiple_choice import MultipleChoice, marked_answers, multiple_choice
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
        """MC1 to MC3 and their variants; None where a log-likelihood is no number, or none has any probability."""
        if self.loglikelihoods is None:
            return None
        best, correct, incorrect = marked_answers(self.document)
        answers = [*correct, *incorrect]
        try:
            return multiple_choice(
                [self.loglikelihoods[answer] for answer in answers],
                [True] * len(correct) + [False] * len(incorrect),
                best=correct.index(best),
            )
        except ValueError:
            return None
