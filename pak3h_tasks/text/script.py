"""Script and language of a text: did the model answer in the language it was asked in (docs/scoring.md)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import regex

from pak3h_tasks.schema import Lang
from pak3h_tasks.text.language import language_of

Script = Literal["Arabic", "Latin"]

LANGUAGE_OF: Mapping[Lang, str] = MappingProxyType({"ur": "ur", "urmt": "ur", "en": "en"})

# Tatweel is a letter to Unicode, of no script: a stretched word is no less Urdu for it.
_LETTER = regex.compile(r"[\p{L}--\N{ARABIC TATWEEL}]", regex.V1)
_OF_SCRIPT: Mapping[Script, regex.Pattern[str]] = MappingProxyType(
    {
        "Arabic": regex.compile(r"[\p{L}&&\p{Script=Arabic}]", regex.V1),
        "Latin": regex.compile(r"[\p{L}&&\p{Script=Latin}]", regex.V1),
    }
)


def script_share(text: str, script: Script) -> float | None:
    """Share of a text's letters that belong to a script, in [0, 1]; None where the text has no letter.

    Example:
        >>> script_share("پانی H", "Arabic")
        0.8
    """
    letters = len(_LETTER.findall(text))
    return len(_OF_SCRIPT[script].findall(text)) / letters if letters else None


def in_language(text: str, lang: Lang) -> bool | None:
    """Whether a text is in the language asked for (`pak3h_tasks.text.language.language_of`).

    English names and terms inside an Urdu answer are normal and leave it in Urdu; Persian is not Urdu, French not
    English, and Urdu in Latin letters is neither.

    Returns:
        None where the question does not arise: digits, formulas, signs, code or addresses alone. An empty text is in no
        language: False.

    Example:
        >>> in_language("یہ MSG ہے۔ نمک کی طرح۔", "ur"), in_language("Yeh namak hai.", "ur"), in_language("1947", "ur")
        (True, False, None)
    """
    if not text.strip():
        return False
    found = language_of(text)
    return None if found is None else found == LANGUAGE_OF[lang]
