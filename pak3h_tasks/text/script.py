"""Which script a text is written in: did the model answer in the language it was asked in (scoring.md, section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import regex

from pak3h_tasks.schema import Lang

Script = Literal["Arabic", "Latin"]

SCRIPT: Mapping[Lang, Script] = MappingProxyType({"ur": "Arabic", "urmt": "Arabic", "en": "Latin"})

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


def in_language(text: str, lang: Lang) -> bool:
    """Whether more than half of a text's letters are in the script of the language asked for.

    English names and terms inside an Urdu answer are normal and leave it in Urdu. A text without a letter (empty,
    digits or signs only) is not in the language: it shows none. Script is all this sees: Persian passes as Urdu, French
    as English, and Urdu in Latin letters does not pass.

    Example:
        >>> in_language("یہ MSG ہے۔ نمک کی طرح۔", "ur"), in_language("Yeh namak hai.", "ur"), in_language("1947", "ur")
        (True, False, False)
    """
    share = script_share(text, SCRIPT[lang])
    return share is not None and share > 0.5
