"""What judges and scorers hand on: frozen values with a JSON form; ``None`` means not scored, never 0."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T", bound="_Json")


@dataclass(frozen=True)
class _Json:
    def to_json(self) -> dict[str, Any]:
        """Plain dict of JSON values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls: type[T], data: dict[str, Any]) -> T:
        """Inverse of `to_json`; keys this version does not know are ignored, so newer files stay readable."""
        names = {f.name for f in dataclasses.fields(cls)}
        return cls(**{key: value for key, value in data.items() if key in names})


@dataclass(frozen=True)
class Response(_Json):
    """One model answer, as generated, tied to its item by the item's own id."""

    item_id: str
    text: str


@dataclass(frozen=True)
class Verdict(_Json):
    """What a judge or classifier said of one answer to one question.

    Attributes:
        value: The number that enters the metric; None: not scored (see `reason`).
        probability: Probability in [0, 1] behind `value`, where the judge gave one.
        raw: The raw reply, kept for every call that got one.
        reason: Why there is no value, or which rule gave it without a call.
        details: Further JSON values (order shown, label mass, the 14 category probabilities...).
        signature: What made it, as text (`Signature.text`).
    """

    value: float | None
    probability: float | None = None
    raw: str | None = None
    reason: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    signature: str = ""


@dataclass(frozen=True)
class Interval(_Json):
    """A 95 % interval around a value, on the value's own scale."""

    low: float
    high: float
    method: str


@dataclass(frozen=True)
class Score(_Json):
    """One reported number. `value` None: nothing was scored."""

    name: str
    value: float | None
    n: int
    n_scored: int
    interval: Interval | None = None
    signature: str = ""


@dataclass(frozen=True)
class Signature:
    """How a number was made, as ordered name:value parts.

    Example:
        >>> Signature((("rougeL", ""), ("tok", "urdu-1"), ("v", "0.1.0"))).text
        'rougeL|tok:urdu-1|v:0.1.0'
    """

    parts: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The parts joined as in sacrebleu's signatures."""
        return "|".join(f"{name}:{value}" if value else name for name, value in self.parts)


def without_version(signature: str) -> str:
    """A judge's signature without the version of this package; its prompt and rules have versions of their own."""
    return "|".join(part for part in signature.split("|") if not part.startswith("v:"))
