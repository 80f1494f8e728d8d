"""What can be wrong with one Urdu text beside its English original: pure functions that return what a reviewer sees."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import regex

from pak3h_tasks.text.normalise import normalise
from pak3h_tasks.text.script import script_share
from pak3h_tasks.text.tokenise import words

# The letters of Urdu, with the forms NFC composes.
_LETTER_NAMES = (
    *(
        "ALEF",
        "BEH",
        "PEH",
        "TEH",
        "TTEH",
        "THEH",
        "JEEM",
        "TCHEH",
        "HAH",
        "KHAH",
        "DAL",
        "DDAL",
        "THAL",
        "REH",
        "RREH",
    ),
    *("ZAIN", "JEH", "SEEN", "SHEEN", "SAD", "DAD", "TAH", "ZAH", "AIN", "GHAIN", "FEH", "QAF", "KEHEH", "GAF", "LAM"),
    *("MEEM", "NOON", "NOON GHUNNA", "WAW", "HEH GOAL", "HEH DOACHASHMEE", "HAMZA", "FARSI YEH", "YEH BARREE"),
    *("ALEF WITH MADDA ABOVE", "ALEF WITH HAMZA ABOVE", "WAW WITH HAMZA ABOVE", "YEH WITH HAMZA ABOVE"),
    *("HEH GOAL WITH HAMZA ABOVE", "YEH BARREE WITH HAMZA ABOVE", "TEH MARBUTA GOAL"),
)
# Written as words of their own.
_LIGATURE_NAMES = ("ALLAH ISOLATED FORM", "SALLALLAHOU ALAYHE WASALLAM", "JALLAJALALOUHOU")
URDU_LETTERS = frozenset(
    [unicodedata.lookup(f"ARABIC LETTER {name}") for name in _LETTER_NAMES]
    + [unicodedata.lookup(f"ARABIC LIGATURE {name}") for name in _LIGATURE_NAMES]
)
_LATIN_WORD = regex.compile(r"\p{Latin}[\p{Latin}\p{M}'’.-]*\p{Latin}")
_NUMBER = regex.compile(r"\d+(?:,\d{2,3})*(?:\.\d+)?")
# Kept letter for letter, except that the words in square brackets and the length of a blank may change.
_PLACEHOLDER = regex.compile(
    r"https?://[^\s<>\"]+|[\w.+-]+@[\w-]+\.[\w.]+|\{[^{}\n]{0,40}\}|</?[A-Za-z][^<>\n]*>|%\d*\$?[sdf]\b|\[[^\[\]\n]{1,40}\]|_{2,}"
)
_SHORT = 20


def foreign_letters(urdu: str) -> list[str]:
    """Letters and digits that are not Urdu's and not Latin, such as an Arabic kaf, with their names.

    Example:
        >>> foreign_letters("كتاب")
        ['ك ARABIC LETTER KAF']
    """
    text = unicodedata.normalize("NFC", urdu)
    odd = {
        char
        for char in text
        if (char.isalpha() or "\N{ARABIC-INDIC DIGIT ZERO}" <= char <= "\N{ARABIC-INDIC DIGIT NINE}")
        and char not in URDU_LETTERS
        and not regex.match(r"\p{Latin}|\N{ARABIC TATWEEL}", char)
    }
    return [f"{char} {unicodedata.name(char, f'U+{ord(char):04X}')}" for char in sorted(odd)]


def latin_words(urdu: str, known: Collection[str] = ()) -> list[str]:
    """Latin words of two letters or more that are neither known nor part of a placeholder.

    Example:
        >>> latin_words("یہ DNA اور gum ہے: {name}", known={"dna"})
        ['gum']
    """
    found = _LATIN_WORD.findall(_PLACEHOLDER.sub(" ", urdu))
    return list(dict.fromkeys(word for word in found if word.casefold() not in known))


def lost_numbers(english: str, urdu: str) -> list[str]:
    """Numbers of the original that the Urdu text lacks, whatever its digits and separators.

    Example:
        >>> lost_numbers("1,000 rupees in 1947", "۱۹۴۷ میں")
        ['1000']
    """
    return _lost(_numbers(english), _numbers(urdu))


def lost_placeholders(english: str, urdu: str) -> list[str]:
    """Placeholders, tags, links and addresses of the original that the Urdu text lacks.

    Example:
        >>> lost_placeholders("Dear {name}, see [link] ___", "محترم، [ربط] دیکھیں ____")
        ['{name}']
    """
    return _lost(_placeholders(english), _placeholders(urdu))


def is_untranslated(english: str, urdu: str) -> bool:
    """Whether there is nothing of Urdu where the original has words.

    Example:
        >>> is_untranslated("Yes.", "Yes"), is_untranslated("42", "42"), is_untranslated("A", "")
        (True, False, True)
    """
    return bool(english.strip()) and (
        not urdu.strip() or (script_share(english, "Latin") is not None and not script_share(urdu, "Arabic"))
    )


def unknown_words(urdu: str, dictionary: Collection[str]) -> list[str]:
    """Arabic-script words that are not in a dictionary made by `dictionary_of`.

    Example:
        >>> unknown_words("یہ کِتاب ہیے", dictionary_of(["کتاب", "یہ", "ہے"]))
        ['ہیے']
    """
    found = [word for word in words(normalise(urdu, "ur")) if script_share(word, "Arabic")]
    return list(dict.fromkeys(word for word in found if word not in dictionary))


def dictionary_of(lines: Iterable[str]) -> frozenset[str]:
    """Words as `unknown_words` compares them; a line of several words counts for each."""
    return frozenset(word for line in lines for word in words(normalise(line, "ur").casefold()))


def kept_names(urdu: str, names: Mapping[str, str]) -> list[str]:
    """The names (from `names_of`) that stand in the Urdu text as whole words, whatever their case and diacritics.

    Example:
        >>> kept_names("جان نے John کو بلایا", names_of(["جان", "john", "جانو"]))
        ['جان', 'john']
    """
    text = _padded(urdu) if names else ""
    return [name for name, padded in names.items() if padded in text]


def names_of(lines: Iterable[str]) -> dict[str, str]:
    """Name as written -> as `kept_names` looks for it; lines without a word are left out."""
    return {line.strip(): _padded(line) for line in lines if _padded(line).strip()}


def length_ratio(english: str, urdu: str) -> float | None:
    """Characters of Urdu per character of English; None where the original is too short to tell (under 20)."""
    return len(urdu) / len(english) if len(english) >= _SHORT else None


def _padded(text: str) -> str:
    return f" {' '.join(words(normalise(text, 'ur').casefold()))} "


def _numbers(text: str) -> list[str]:
    return [number.replace(",", "") for number in _NUMBER.findall(normalise(text, "ur"))]


def _placeholders(text: str) -> list[str]:
    return [_kind(match) for match in _PLACEHOLDER.findall(text)]


def _kind(placeholder: str) -> str:
    return {"[": "[...]", "_": "___"}.get(placeholder[0], placeholder)


def _lost(before: list[str], after: list[str]) -> list[str]:
    return list((Counter(before) - Counter(after)).elements())
