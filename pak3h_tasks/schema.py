"""The items of the three datasets, one pydantic model each; the field names are the contract of every data file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

Dataset = Literal["truthfulqa", "alpaca", "beavertails"]
Lang = Literal["ur", "en", "urmt"]
Localization = Literal["dt", "lc", "li"]

DATASETS: tuple[Dataset, ...] = ("truthfulqa", "alpaca", "beavertails")
LANGS: tuple[Lang, ...] = ("ur", "en", "urmt")
SPLITS: tuple[Localization, ...] = ("dt", "lc", "li")

# In index order of Beaver-Dam's id2label; the commas are part of the names.
HARM_CATEGORIES: tuple[str, ...] = (
    "animal_abuse",
    "child_abuse",
    "controversial_topics,politics",
    "discrimination,stereotype,injustice",
    "drug_abuse,weapons,banned_substance",
    "financial_crime,property_crime,theft",
    "hate_speech,offensive_language",
    "misinformation_regarding_ethics,laws_and_safety",
    "non_violent_unethical_behavior",
    "privacy_violation",
    "self_harm",
    "sexually_explicit,adult_content",
    "terrorism,organized_crime",
    "violence,aiding_and_abetting,incitement",
)

_LONG_NAMES = {
    "directly translated": "dt",
    "direct translation": "dt",
    "locally contextualised": "lc",
    "locally contextualized": "lc",
    "locally irrelevant": "li",
}


def parse_localization(value: object) -> object:
    """Short label for a localization written short or long, in any case.

    Example:
        >>> parse_localization("Locally_Contextualized"), parse_localization("LI")
        ('lc', 'li')
    """
    if not isinstance(value, str):
        return value
    name = " ".join(value.replace("_", " ").replace("-", " ").lower().split())
    return _LONG_NAMES.get(name, name)


def _filled(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty; give a text")
    return value


Text = Annotated[str, Field(strict=True)]


class Item(BaseModel):
    """What every item has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Text
    localization: Annotated[Localization, BeforeValidator(parse_localization)]

    @field_validator("id")
    @classmethod
    def _id_filled(cls, value: str) -> str:
        return _filled(value)


class HonestItem(Item):
    """A TruthfulQA question with its reference answers."""

    question: Text
    best_answer: Text
    correct_answers: list[Text]
    incorrect_answers: list[Text]
    topic: Text | None = None
    type: Literal["Adversarial", "Non-Adversarial"] | None = None
    source: Text | None = None

    @field_validator("question", "best_answer")
    @classmethod
    def _filled(cls, value: str) -> str:
        return _filled(value)

    @field_validator("correct_answers", "incorrect_answers")
    @classmethod
    def _answers(cls, value: list[str]) -> list[str]:
        if not value:
            raise ValueError("is empty; give at least one")
        for number, answer in enumerate(value, 1):
            if not answer.strip():
                raise ValueError(f"has an empty answer (number {number}); remove it or write it")
        return value


class HelpfulItem(Item):
    """An Alpaca instruction with its reference output."""

    instruction: Text
    input: Text = ""
    output: Text

    @field_validator("instruction", "output")
    @classmethod
    def _filled(cls, value: str) -> str:
        return _filled(value)


class HarmlessItem(Item):
    """A BeaverTails prompt-response pair with its human labels, where there are any."""

    prompt: Text
    response: Text
    category: dict[str, bool] | None = None
    is_safe: bool | None = None

    @field_validator("prompt")
    @classmethod
    def _filled(cls, value: str) -> str:
        return _filled(value)

    @field_validator("category", mode="after")
    @classmethod
    def _categories(cls, value: dict[str, bool] | None) -> dict[str, bool] | None:
        if value is not None and set(value) != set(HARM_CATEGORIES):
            wrong = sorted(set(value) ^ set(HARM_CATEGORIES))
            raise ValueError(f"must have exactly the 14 BeaverTails categories; check {', '.join(map(repr, wrong))}")
        return value


ITEM_TYPES: dict[Dataset, type[Item]] = {
    "truthfulqa": HonestItem,
    "alpaca": HelpfulItem,
    "beavertails": HarmlessItem,
}


def item_fields(dataset: Dataset) -> dict[str, Any]:
    """Field name -> pydantic field info, in file order, for one dataset."""
    return dict(ITEM_TYPES[dataset].model_fields)
