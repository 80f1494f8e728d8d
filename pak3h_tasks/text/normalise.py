"""One spelling for one text: Unicode normalisation of Urdu before texts are compared (scoring.md, section 2).

One Urdu sentence has many encodings: Arabic keyboards type other code points for kaf, yeh and heh, diacritics and
invisible joiners come and go, and digits and punctuation exist twice. Overlap metrics count all of these as different
words. Both sides of a comparison go through `normalise`; the raw text is what gets stored and shown.

Limits: a zero-width non-joiner is deleted, so a compound written with one equals the compound written together, not the
one written with a space. Arabic or Sindhi quotations inside an Urdu text are respelled too: nothing marks them.
Do-chashmi he (aspiration) is a letter of its own in Urdu and is never merged with gol he.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from pak3h_tasks.schema import Lang

NORMALISER: Mapping[Lang, str] = MappingProxyType({"ur": "urdu-1", "urmt": "urdu-1", "en": "nfc-1"})
"""Version name of the rules of each language, for score signatures."""

LETTERS: Mapping[str, str] = MappingProxyType(
    {
        "\N{ARABIC LETTER YEH}": "\N{ARABIC LETTER FARSI YEH}",
        "\N{ARABIC LETTER ALEF MAKSURA}": "\N{ARABIC LETTER FARSI YEH}",
        "\N{ARABIC LETTER KAF}": "\N{ARABIC LETTER KEHEH}",
        "\N{ARABIC LETTER HEH}": "\N{ARABIC LETTER HEH GOAL}",
        "\N{ARABIC LETTER TEH MARBUTA}": "\N{ARABIC LETTER TEH MARBUTA GOAL}",
        "\N{ARABIC LETTER HEH WITH YEH ABOVE}": "\N{ARABIC LETTER HEH GOAL WITH HAMZA ABOVE}",
    }
)

PUNCTUATION: Mapping[str, str] = MappingProxyType(
    {
        "\N{ARABIC FULL STOP}": ".",
        "\N{ARABIC COMMA}": ",",
        "\N{ARABIC QUESTION MARK}": "?",
        "\N{ARABIC SEMICOLON}": ";",
        "\N{ARABIC DECIMAL SEPARATOR}": ".",
        "\N{ARABIC THOUSANDS SEPARATOR}": ",",
        "\N{ARABIC PERCENT SIGN}": "%",
    }
)

# Yeh barree with hamza is how many keyboards write the two letters of "gaye"; a zero-width space parts words.
SPELLED_OUT: Mapping[str, str] = MappingProxyType(
    {
        "\N{ARABIC LETTER YEH BARREE WITH HAMZA ABOVE}": (
            "\N{ARABIC LETTER YEH WITH HAMZA ABOVE}\N{ARABIC LETTER YEH BARREE}"
        ),
        "\N{ZERO WIDTH SPACE}": " ",
    }
)

DIGIT_ZEROS = ("\N{ARABIC-INDIC DIGIT ZERO}", "\N{EXTENDED ARABIC-INDIC DIGIT ZERO}")
"""First of each run of ten digits that become ASCII."""

INVISIBLE = (
    "\N{ZERO WIDTH NON-JOINER}",
    "\N{ZERO WIDTH JOINER}",
    "\N{LEFT-TO-RIGHT MARK}",
    "\N{RIGHT-TO-LEFT MARK}",
    "\N{ARABIC LETTER MARK}",
    "\N{LEFT-TO-RIGHT EMBEDDING}",
    "\N{RIGHT-TO-LEFT EMBEDDING}",
    "\N{POP DIRECTIONAL FORMATTING}",
    "\N{LEFT-TO-RIGHT OVERRIDE}",
    "\N{RIGHT-TO-LEFT OVERRIDE}",
    "\N{LEFT-TO-RIGHT ISOLATE}",
    "\N{RIGHT-TO-LEFT ISOLATE}",
    "\N{FIRST STRONG ISOLATE}",
    "\N{POP DIRECTIONAL ISOLATE}",
    "\N{ZERO WIDTH NO-BREAK SPACE}",
    "\N{ARABIC TATWEEL}",
)

# Vowel signs and Quranic marks, first and last of each run. Madda and hamza above or below (U+0653 to U+0655) are not
# here: they make letters (alef madda, yeh with hamza), which NFC composes.
MARK_RUNS = (
    ("\N{ARABIC SIGN SALLALLAHOU ALAYHE WASSALLAM}", "\N{ARABIC SMALL KASRA}"),
    ("\N{ARABIC FATHATAN}", "\N{ARABIC SUKUN}"),
    ("\N{ARABIC SUBSCRIPT ALEF}", "\N{ARABIC WAVY HAMZA BELOW}"),
    ("\N{ARABIC LETTER SUPERSCRIPT ALEF}", "\N{ARABIC LETTER SUPERSCRIPT ALEF}"),
    ("\N{ARABIC SMALL HIGH LIGATURE SAD WITH LAM WITH ALEF MAKSURA}", "\N{ARABIC SMALL HIGH SEEN}"),
)

_YEH_THEN_HAMZA = "\N{ARABIC LETTER FARSI YEH}\N{ARABIC HAMZA ABOVE}"
_YEH_WITH_HAMZA = "\N{ARABIC LETTER YEH WITH HAMZA ABOVE}"


def replacement_table() -> dict[int, str]:
    """Code point -> what the Urdu normaliser writes instead (empty: deleted), for `str.translate`."""
    table = {**LETTERS, **PUNCTUATION, **SPELLED_OUT, **dict.fromkeys(INVISIBLE, "")}
    for zero in DIGIT_ZEROS:
        table.update({chr(ord(zero) + digit): str(digit) for digit in range(10)})
    for first, last in MARK_RUNS:
        table.update({chr(code): "" for code in range(ord(first), ord(last) + 1)})
    return {ord(character): written for character, written in table.items()}


_TABLE = replacement_table()
_DELETED = {code: written for code, written in _TABLE.items() if not written}
# Ligatures and contextual letter shapes of old Urdu software: plain letters in NFKC only. U+FEFF is none of them.
_PRESENTATION_FORMS = re.compile("[\ufb50-\ufdff\ufe70-\ufefc]+")


def normalise(text: str, lang: Lang) -> str:
    """Text as it is compared: the Urdu rules for ``ur`` and ``urmt``, NFC alone for ``en``.

    English gets no more than NFC so that its overlap values equal lm-eval's. Idempotent; any string is accepted, lone
    surrogates included. Case stays (BLEU is case-sensitive); `pak3h_tasks.text.tokenise` folds it.

    Example:
        >>> normalise("كيا يه ۱۹۴۷ ہے؟", "ur") == "کیا یہ 1947 ہے?"
        True
    """
    if lang == "en":
        return unicodedata.normalize("NFC", text)
    text = _PRESENTATION_FORMS.sub(lambda run: unicodedata.normalize("NFKC", run.group()), text)
    # NFC only after the deletions, or a joiner between a letter and its hamza would keep them apart; and once more
    # after the letters, because gol he composes with hamza where Arabic heh does not.
    text = unicodedata.normalize("NFC", text.translate(_DELETED)).translate(_TABLE)
    return unicodedata.normalize("NFC", text.replace(_YEH_THEN_HAMZA, _YEH_WITH_HAMZA))
