"""Pairwise judging of a model's answer against a reference (AlpacaEval; Li et al. 2023, Dubois et al. 2024).

Order of the answers, label algebra and win rate are AlpacaEval's (utils/parity_alpaca_eval.py shows it); prompts,
fall-backs and the treatment of unreadable verdicts are not, because its own have faults (docs/judges.md).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pak3h_tasks
from pak3h_tasks.backends.protocol import Answer, Backend, Missing, Reply, Request
from pak3h_tasks.judges.label_mass import label_share
from pak3h_tasks.judges.label_reply import FIRST, LABEL_RULES, SECOND, parse_label
from pak3h_tasks.judges.pairwise_prompt import pairwise_template
from pak3h_tasks.judges.prompt import as_data, mark_of
from pak3h_tasks.results import Signature, Verdict
from pak3h_tasks.text.clean import without_surrogates

# 5 is what every server with log-probabilities gives, and what AlpacaEval asks for; 16 tokens hold "بہتر جواب: m".
CHOICES = (FIRST, SECOND)
_PARAMS = MappingProxyType({"temperature": 0, "max_tokens": 16, "logprobs": True, "top_logprobs": 5})


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


@dataclass(frozen=True, slots=True)
class Preference:
    """What a reply says of the answer that was shown first.

    Attributes:
        first: Probability in [0, 1] that it is the better one.
        read_from: ``logprobs`` or ``text``; a label read from the text is 0 or 1 and no probability.
        mass: Probability that both labels hold together; None: read from the text.
    """

    first: float
    read_from: str
    mass: float | None = None


def join_input(instruction: str, input_text: str) -> str:
    r"""Instruction and input as one text, joined by a blank line, as AlpacaEval's users are told to.

    Example:
        >>> join_input("Translate.", "سلام")
        'Translate.\n\nسلام'
    """
    return f"{instruction}\n\n{input_text}" if input_text.strip() else instruction


def model_is_first(instruction: str, seed: int = 0) -> bool:
    """Whether the model's answer is shown first: AlpacaEval 0.6.6's rule, bit for bit.

    It depends on the instruction alone, so every model is shown in the same order on the same instruction.
    Seeding with a string is stable over processes, platforms and Python versions.
    """
    text = without_surrogates(instruction)  # Random encodes its seed
    return random.Random(f"is_switched_outputs{text}{seed}").choices([False, True], k=1)[0]


def read_preference(reply: Reply) -> Preference | None:
    """Read a judge's reply: label probabilities where they can be trusted, its text otherwise.

    Probabilities count only where they tell the labels apart (`label_mass.label_share`): AlpacaEval would take
    certainty from a label that has 3e-9 of the mass, or from the other label's absence.

    Returns:
        None: neither labels nor text say which answer is better.
    """
    share = label_share(reply, CHOICES, {FIRST: 0, SECOND: 1}.get, both=True)
    if share is not None:
        return Preference(share.first, "logprobs", share.mass)
    label = parse_label(reply.text, whole=reply.finish != "length")
    return None if label is None else Preference(float(label == FIRST), "text")


class Pairwise:
    """Judges pairs with a chat backend.

    Args:
        backend: Who answers.
        both_orders: Ask twice, each answer first once, and average; twice the calls buy `consistent`.
        prompt: Another prompt (`pak3h_tasks.judges.pairwise_prompt.pairwise_template`); None: ours.

    Raises:
        SettingsError: `prompt` is none.
    """

    def __init__(self, backend: Backend, *, both_orders: bool = False, prompt: str | None = None) -> None:
        self._backend, self._both_orders = backend, both_orders
        self._template, self._prompt_name = pairwise_template(prompt)

    def signature(self, replies: Sequence[Reply] = ()) -> Signature:
        """What makes a verdict; what the server says it is comes from the replies."""
        served = "+".join(dict.fromkeys(reply.model for reply in replies if reply.model))
        fingerprint = "+".join(dict.fromkeys(reply.fingerprint for reply in replies if reply.fingerprint))
        parts = [
            ("pairwise", ""),
            *self._backend.signature,
            *((name, value) for name, value in (("served", served), ("fp", fingerprint)) if value),
            ("prompt", self._prompt_name),
            ("orders", "2" if self._both_orders else "1"),
            ("rules", LABEL_RULES),
            ("v", pak3h_tasks.__version__),
        ]
        return Signature(tuple(parts))

    def preflight(self) -> None:
        """Check that the judge can be used, before anything is generated.

        Raises:
            BackendError: It cannot.
        """
        self._backend.preflight(self.request(Pair("Name a fruit.", "Apple.", "Brick."), model_first=True))

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """A verdict for each pair, in order: the probability that the model's answer is better.

        Nothing is raised because of a judge. Pairs that need none get none: equal answers (after strip) and two empty
        ones are 0.5, an empty answer loses. With both orders, a pair is scored only where both replies could be read.
        """
        places = list(self._places(pairs))
        requests = (self.request(pairs[index], model_first=model_first) for index, model_first in places)
        answers = self._backend.ask(requests, read_preference, total=len(places)) if places else []
        self._backend.release()
        shown: dict[int, list[tuple[bool, Answer[Preference]]]] = {}
        for (index, model_first), answer in zip(places, answers, strict=True):
            shown.setdefault(index, []).append((model_first, answer))
        unasked = self.signature().text
        verdicts = []
        for index, pair in enumerate(pairs):
            if (known := _without_a_call(pair)) is None:
                verdicts.append(self._verdict(shown[index]))
            else:
                verdicts.append(Verdict(known[0], reason=known[1], details={"read_from": "rule"}, signature=unasked))
        return verdicts

    def missing(self, pairs: Sequence[Pair]) -> Missing:
        """What `judge` would still have to ask."""
        requests = (self.request(pairs[index], model_first=first) for index, first in self._places(pairs))
        return self._backend.missing(requests, read_preference)

    def request(self, pair: Pair, *, model_first: bool) -> Request:
        """What the judge is asked about one pair in one order."""
        shown = (pair.output, pair.reference) if model_first else (pair.reference, pair.output)
        instruction, first, second = (as_data(text) for text in (pair.instruction, *shown))
        mark = mark_of(instruction, *sorted((first, second)))  # the same in both orders
        fields = {"mark": mark, "instruction": instruction, "first": first, "second": second}
        fields |= {"output_1": first, "output_2": second}  # AlpacaEval's names
        return Request(
            messages=self._template.fill(fields), params=_PARAMS, version=self._template.version, choices=CHOICES
        )

    def _places(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, bool]]:
        """(index, model first) of everything to be asked."""
        for index, pair in enumerate(pairs):
            if _without_a_call(pair) is None:
                first = model_is_first(pair.instruction)
                yield index, first
                if self._both_orders:
                    yield index, not first

    def _verdict(self, shown: Sequence[tuple[bool, Answer[Preference]]]) -> Verdict:
        orders = [_order(model_first, answer) for model_first, answer in shown]
        scored = [order["preference"] for order in orders if order["preference"] is not None]
        value = math.fsum(scored) / len(scored) if len(scored) == len(shown) else None
        read_from = {order.get("read_from") for order in orders}
        details: dict[str, Any] = {"orders": orders}
        if value is not None:
            details["read_from"] = "logprobs" if read_from == {"logprobs"} else "text"
        if value is not None and len(scored) == 2:
            details["consistent"] = _side(scored[0]) == _side(scored[1])
        reasons = dict.fromkeys(answer.reason or "no verdict" for _, answer in shown if answer.parsed is None)
        replies = [answer.reply for _, answer in shown if answer.reply is not None]
        return Verdict(
            value,
            probability=value if read_from == {"logprobs"} else None,
            raw=replies[0].text if replies else None,
            reason="; ".join(reasons) or None,
            details=details,
            signature=self.signature(replies).text,
        )


def _without_a_call(pair: Pair) -> tuple[float, str] | None:
    output, reference = pair.output.strip(), pair.reference.strip()
    if output == reference:
        return 0.5, "both answers are empty" if not output else "both answers are the same"
    if not output:
        return 0.0, "the answer is empty"
    if not reference:
        return 1.0, "the reference is empty"
    return None


def _order(model_first: bool, answer: Answer[Preference]) -> dict[str, Any]:
    """One order of one pair, for the sample log; the preference is the model's, whichever place it had."""
    reading, reply = answer.parsed, answer.reply
    said: dict[str, Any] = {"model_first": model_first}
    if reading is None:
        said |= {"preference": None, "reason": answer.reason}
    else:
        said |= {"preference": reading.first if model_first else 1 - reading.first, "read_from": reading.read_from}
        said |= {} if reading.mass is None else {"label_mass": reading.mass}
    if reply is not None:
        said |= {"raw": reply.text} | ({"constrained": reply.constrained} if reply.constrained else {})
    return said


def _side(preference: float) -> float:
    return math.copysign(1, preference - 0.5) if preference != 0.5 else 0.0
