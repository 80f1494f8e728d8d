"""Pairwise judging of a model's answer against a reference (AlpacaEval; Li et al. 2023, Dubois et al. 2024).

Order of the answers, label algebra and win rate are AlpacaEval's (utils/parity_alpaca_eval.py shows it); prompt building,
fall-backs and the treatment of unreadable verdicts are not, because its own have faults (scoring.md, section 4).
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pak3h_tasks import __version__
from pak3h_tasks.backends.exchange import Answer, Backend, Missing, Reply, Request
from pak3h_tasks.judges.label_mass import label_masses
from pak3h_tasks.judges.prompt import as_data, load_template, mark_of
from pak3h_tasks.results import Signature, Verdict
from pak3h_tasks.text.clean import without_thinking

FIRST, SECOND = "m", "M"  # the answer shown first, and the one shown second
_PARAMS = {"temperature": 0, "max_tokens": 8, "logprobs": True, "top_logprobs": 20}
_WRAPPING = " \t\r\n*_`\"'“”‘’()[]{}.:"
_PROMPT = "pairwise"


@dataclass(frozen=True)
class Pair:
    """One comparison.

    Attributes:
        instruction: Instruction and input, joined by `join_input`.
        output: The model's answer.
        reference: The answer it is compared with.
    """

    instruction: str
    output: str
    reference: str


@dataclass(frozen=True)
class Preference:
    """What a reply says: probability in [0, 1] that the answer shown first is better, and where it was read."""

    first: float
    read_from: str


def join_input(instruction: str, input_text: str) -> str:
    """Instruction and input as one text, joined by a blank line, as AlpacaEval's users are told to.

    Example:
        >>> join_input("Translate.", "سلام")
        'Translate.\\n\\nسلام'
    """
    return f"{instruction}\n\n{input_text}" if input_text.strip() else instruction


def model_is_first(instruction: str, seed: int = 0) -> bool:
    """Whether the model's answer is shown first: AlpacaEval 0.6.6's rule, bit for bit.

    It depends on the instruction alone, so every model is shown in the same order on the same instruction.
    Seeding with a string is stable over processes, platforms and Python versions.
    """
    return random.Random(f"is_switched_outputs{instruction}{seed}").choices([False, True], k=1)[0]


def read_preference(reply: Reply) -> Preference | None:
    """Read a judge's reply: label probabilities where they can be trusted, its text otherwise.

    Probabilities count only where both labels are among the top tokens at the first position with content, and
    together carry at least half of the mass: AlpacaEval would take certainty from a label that has 3e-9 of it.

    Returns:
        None: neither labels nor text say which answer is better.
    """
    masses = label_masses(reply.logprobs, {FIRST: 0, SECOND: 1}.get, 2, reply.text)
    if masses is not None and min(masses) > 0 and sum(masses) >= 0.5:
        return Preference(masses[0] / sum(masses), "logprobs")
    label = parse_label(reply.text)
    return None if label is None else Preference(float(label == FIRST), "text")


def parse_label(text: str) -> str | None:
    """The label a text answers with; None where it is not clear.

    The text may be wrapped in markdown, quotes or brackets, and a reason may follow the label after a line break or a
    punctuation mark. Elsewhere in a sentence a label counts only if the other one does not occur.

    Example:
        >>> parse_label("**M**"), parse_label("m\\nIt is clearer than M."), parse_label("Answer M is better than m")
        ('M', 'm', None)
    """
    text = without_thinking(text).strip(_WRAPPING)
    if leading := re.match(r"([mM])(?=$|[\s]*[\n.,:;!*\"')\]])", text):
        return leading[1]
    # not part of a word, nor the m of "I'm"
    found = set(re.findall(r"(?<![\w'’])[mM](?![\w'’])", text))
    return found.pop() if len(found) == 1 else None


class Pairwise:
    """Judges pairs with a chat backend.

    Args:
        backend: Who answers.
        both_orders: Ask twice, each answer first once, and average; half of the calls buys `consistent`.
    """

    def __init__(self, backend: Backend, *, both_orders: bool = False) -> None:
        self._backend, self._both_orders = backend, both_orders
        self._template = load_template(_PROMPT)
        self._version = f"{_PROMPT}-{self._template.version}"

    @property
    def signature(self) -> str:
        """What makes the verdicts, but for what only a reply can tell."""
        return Signature(
            (
                ("pairwise", ""),
                *self._backend.signature,
                ("prompt", self._version),
                ("orders", "2" if self._both_orders else "1"),
                ("v", __version__),
            )
        ).text

    def preflight(self) -> None:
        """Check that the judge can be used, before anything is generated.

        Raises:
            BackendError: It cannot.
        """
        self._backend.preflight(self._request(Pair("Name a fruit.", "Apple.", "Brick."), model_first=True))

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """A verdict for each pair, in order: the probability that the model's answer is better.

        Pairs that need no judge get none: equal answers (after strip) and two empty ones are 0.5, an empty answer
        loses. With both orders, a pair is scored only where both replies could be read.
        """
        asked = [number for number, pair in enumerate(pairs) if _without_call(pair) is None]
        asked_for = self._backend.ask(self._requests(pairs), read_preference, total=len(asked) * self._calls)
        self._backend.release()
        answers = iter(asked_for)
        verdicts = []
        for pair in pairs:
            if (known := _without_call(pair)) is not None:
                verdicts.append(Verdict(known[0], reason=known[1], signature=self.signature))
            else:
                verdicts.append(self._verdict(pair, [next(answers) for _ in range(self._calls)]))
        return verdicts

    def missing(self, pairs: Sequence[Pair]) -> Missing:
        """What `judge` would still have to ask."""
        return self._backend.missing(self._requests(pairs), read_preference)

    @property
    def _calls(self) -> int:
        return 2 if self._both_orders else 1

    def _orders(self, pair: Pair) -> tuple[bool, ...]:
        first = model_is_first(pair.instruction)
        return (first, not first) if self._both_orders else (first,)

    def _requests(self, pairs: Sequence[Pair]) -> Iterator[Request]:
        for pair in pairs:
            if _without_call(pair) is None:
                for model_first in self._orders(pair):
                    yield self._request(pair, model_first=model_first)

    def _request(self, pair: Pair, *, model_first: bool) -> Request:
        shown = (pair.output, pair.reference) if model_first else (pair.reference, pair.output)
        instruction, first, second = as_data(pair.instruction), *map(as_data, shown)
        messages = self._template.fill(
            {
                "mark": mark_of(instruction, *sorted((first, second))),
                "instruction": instruction,
                "first": first,
                "second": second,
            }
        )
        return Request(messages=messages, params=_PARAMS, version=self._version)

    def _verdict(self, pair: Pair, answers: Sequence[Answer[Preference]]) -> Verdict:
        shown = []
        for model_first, answer in zip(self._orders(pair), answers, strict=True):
            preference = answer.parsed
            shown.append(
                {
                    "model_first": model_first,
                    "preference": None if preference is None else _of_model(preference.first, model_first),
                    "read_from": None if preference is None else preference.read_from,
                    "raw": answer.reply.text if answer.reply else None,
                    "reason": answer.reason,
                    "judge_model": answer.reply.model if answer.reply else None,
                    "system_fingerprint": answer.reply.fingerprint if answer.reply else None,
                }
            )
        values = [entry["preference"] for entry in shown]
        reasons = [str(entry["reason"]) for entry in shown if entry["preference"] is None]
        details: dict[str, object] = {"orders": shown}
        value = None
        if all(isinstance(v, float) for v in values):
            scored = [v for v in values if isinstance(v, float)]
            value = math.fsum(scored) / len(scored)
            if len(scored) == 2:
                details["consistent"] = _side(scored[0]) == _side(scored[1])
        return Verdict(
            value,
            probability=value,
            raw=str(shown[0]["raw"]) if shown[0]["raw"] is not None else None,
            reason="; ".join(reasons) or None,
            details=details,
            signature=self.signature,
        )


def _without_call(pair: Pair) -> tuple[float, str] | None:
    output, reference = pair.output.strip(), pair.reference.strip()
    if output == reference:
        return 0.5, "both answers are empty" if not output else "both answers are the same"
    if not output:
        return 0.0, "the answer is empty"
    if not reference:
        return 1.0, "the reference is empty"
    return None


def _of_model(first: float, model_first: bool) -> float:
    return first if model_first else 1 - first


def _side(preference: float) -> float:
    return math.copysign(1, preference - 0.5) if preference != 0.5 else 0.0
