"""One spelling for one text: Urdu as it is compared (docs/scoring.md, "Normalisation").

One Urdu sentence has many encodings: Arabic keyboards type other code points for kaf, yeh and heh, diacritics and
invisible joiners come and go, digits, quotation marks and dashes exist many times over, and words are spelled and
spaced in more than one way (`pak3h_tasks.text.spelling`). Overlap metrics count all of these as different words. Both
sides of a comparison go through `normalise`; the raw text is what gets stored and shown.

Limits: Arabic or Sindhi quotations inside an Urdu text are respelled too: nothing marks them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from pak3h_tasks.schema import Lang
from pak3h_tasks.text.spelling import one_spelling

NORMALISER: Mapping[Lang, str] = MappingProxyType({"ur": "urdu-3", "urmt": "urdu-3", "en": "nfc-1"})
"""Version name of the rules of each language, for score signatures."""

LETTERS: Mapping[str, str] = MappingProxyType(
    {
        "\N{ARABIC LETTER YEH}": "\N{ARABIC LETTER FARSI YEH}",
        "\N{ARABIC LETTER ALEF MAKSURA}": "\N{ARABIC LETTER FARSI YEH}",
        "\N{ARABIC LETTER KAF}": "\N{ARABIC LETTER KEHEH}",
        "\N{ARABIC LETTER HEH}": "\N{ARABIC LETTER HEH GOAL}",
        "\N{ARABIC LETTER TEH MARBUTA}": "\N{ARABIC LETTER TEH MARBUTA GOAL}",
        "\N{ARABIC LETTER HEH WITH YEH ABOVE}": "\N{ARABIC LETTER HEH GOAL WITH HAMZA ABOVE}",
        "\N{ARABIC LETTER AE}": "\N{ARABIC LETTER HEH GOAL}",
        "\N{ARABIC LETTER SWASH KAF}": "\N{ARABIC LETTER KEHEH}",
        "\N{ARABIC LETTER ALEF WITH HAMZA ABOVE}": "\N{ARABIC LETTER ALEF}",
        "\N{ARABIC LETTER ALEF WITH HAMZA BELOW}": "\N{ARABIC LETTER ALEF}",
        "\N{ARABIC LETTER ALEF WASLA}": "\N{ARABIC LETTER ALEF}",
        "\N{ARABIC LETTER ALEF WITH WAVY HAMZA ABOVE}": "\N{ARABIC LETTER ALEF}",
        "\N{ARABIC LETTER ALEF WITH WAVY HAMZA BELOW}": "\N{ARABIC LETTER ALEF}",
        "\N{ARABIC LETTER HIGH HAMZA ALEF}": "\N{ARABIC LETTER ALEF}",
        "\N{ARABIC LETTER HIGH HAMZA WAW}": "\N{ARABIC LETTER WAW WITH HAMZA ABOVE}",
        "\N{ARABIC LETTER U WITH HAMZA ABOVE}": "\N{ARABIC LETTER WAW WITH HAMZA ABOVE}",
        "\N{ARABIC LETTER HIGH HAMZA YEH}": "\N{ARABIC LETTER YEH WITH HAMZA ABOVE}",
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
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u00ab\u00bb\u201c\u201d\u201e\u201f\u275d\u275e\u300a\u300b\u301d\u301e\uff02", '"'),
        **dict.fromkeys("`\u00b4\u2018\u2019\u201a\u201b\u2039\u203a\u275b\u275c\u3008\u3009\uff07", "'"),
        **{chr(0xFF01 + offset): chr(0x21 + offset) for offset in range(0x5E) if chr(0x21 + offset) not in "\"'-`"},
    }
)

# Yeh barree with hamza is how many keyboards write the two letters of "gaye"; a zero-width space parts words. NFKC
# has no letters for the basmala and the newer honorifics (Unicode 14 and 16 names say what each reads); of the
# honorific marks over a name (U+0610 to U+0613) the names say it, too, and Urdu writes them out as often.
SPELLED_OUT: Mapping[str, str] = MappingProxyType(
    {
        "\N{ARABIC LETTER YEH BARREE WITH HAMZA ABOVE}": (
            "\N{ARABIC LETTER YEH WITH HAMZA ABOVE}\N{ARABIC LETTER YEH BARREE}"
        ),
        "\N{ZERO WIDTH SPACE}": " ",
        **dict.fromkeys(
            "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
        ),
        "\N{HORIZONTAL ELLIPSIS}": "...",
        "\N{TWO DOT LEADER}": "..",
        "\N{RUPEE SIGN}": "Rs",
        "\N{ARABIC SIGN SALLALLAHOU ALAYHE WASSALLAM}": " صلی اللہ علیہ وسلم ",
        "\N{ARABIC SIGN ALAYHE ASSALLAM}": " علیہ السلام ",
        "\N{ARABIC SIGN RAHMATULLAH ALAYHE}": " رحمۃ اللہ علیہ ",
        "\N{ARABIC SIGN RADI ALLAHOU ANHU}": " رضی اللہ عنہ ",
        "\ufdfd": "بسم اللہ الرحمان الرحیم",
        "\ufd40": "رحمہ اللہ",
        "\ufd41": "رضی اللہ عنہ",
        "\ufd42": "رضی اللہ عنہا",
        "\ufd43": "رضی اللہ عنہم",
        "\ufd44": "رضی اللہ عنہما",
        "\ufd47": "علیہ السلام",
        "\ufd48": "علیہم السلام",
        "\ufd4d": "علیہا السلام",
        "\ufdfe": "سبحانہ وتعالی",
        "\ufdff": "عز وجل",
    }
)

DIGIT_ZEROS = ("\N{ARABIC-INDIC DIGIT ZERO}", "\N{EXTENDED ARABIC-INDIC DIGIT ZERO}")
"""First of each run of ten digits that become ASCII."""

INVISIBLE = (
    "\N{ZERO WIDTH NON-JOINER}",  # where it does not part two words: see `_PARTS`
    "\N{SOFT HYPHEN}",
    "\N{WORD JOINER}",
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
    ("\N{ARABIC SIGN TAKHALLUS}", "\N{ARABIC SMALL KASRA}"),
    ("\N{ARABIC FATHATAN}", "\N{ARABIC SUKUN}"),
    ("\N{ARABIC SUBSCRIPT ALEF}", "\N{ARABIC WAVY HAMZA BELOW}"),
    ("\N{ARABIC LETTER SUPERSCRIPT ALEF}", "\N{ARABIC LETTER SUPERSCRIPT ALEF}"),
    ("\N{ARABIC SMALL HIGH LIGATURE SAD WITH LAM WITH ALEF MAKSURA}", "\N{ARABIC SMALL HIGH SEEN}"),
)

YEAR_SIGNS = "\u0600\u0601\u0602\u0603"
"""Number, year, footnote and page signs: they say what a number is of, and are left out as often as not."""


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
_YEH_THEN_HAMZA = "\N{ARABIC LETTER FARSI YEH}\N{ARABIC HAMZA ABOVE}"
_YEH_WITH_HAMZA = "\N{ARABIC LETTER YEH WITH HAMZA ABOVE}"
_SPELLED_OUT = {ord(character): written for character, written in SPELLED_OUT.items()}
_PRESENTATION_FORMS = re.compile("[\ufb50-\ufdff\ufe70-\ufefc]+")
_L = "\u0621-\u064a\u066e-\u06d3\u06d5\u06ee-\u06ff"
# Urdu writes the joiner between the parts of a compound, each of two letters or more, or "o"; inside a word it is a
# slip.
_PARTS = re.compile(f"(?<=[{_L}][{_L}])\u200c+(?=[{_L}][{_L}]|و\u200c)|(?<=\u200cو)\u200c+(?=[{_L}][{_L}])")
_HIGH_HAMZA = (
    (re.compile("(?<=[اآو])\u0674(?=[یےيى])"), "ئ"),  # BBC Urdu's old pages type the hamza of koi so
    (re.compile("\u0674"), "\u0654"),
)
# A hamza that composes with no letter belongs to the next vowel.
_LOOSE_HAMZA = ((re.compile("\u0654(?=ا)"), ""), (re.compile(f"(?<=[{_L}])\u0654(?=[{_L}])"), "ئ"))
_NUMBERS = (
    (re.compile(f"[{YEAR_SIGNS}]"), ""),
    (re.compile(r"(?<=\d)\s?ء|(?<=\d{4})ع(?!\w)"), ""),
    (re.compile(r"(?<=\d),(?=(?:\d{2,3},)*\d{3}(?!\d))"), ""),
    (re.compile(r"(?<![\d%])%\s?(\d[\d.]*\d|\d)(?![\d%])"), r"\1%"),
    (re.compile(r"(?<=\d)\s?%"), " فیصد"),
    (re.compile(r"\bRs\.? ?(\d[\d,.]*\d|\d)(?:/-)?(?: ?روپے)?"), r"\1 روپے"),
    (re.compile(f"(?<=\\d)(?=[{_L}])|(?<=[{_L}])(?=\\d)"), " "),
)
_MARKS = (
    (re.compile(r"''"), '"'),
    (re.compile(r"(?<!\w)'([^'\n]*)'(?!\w)"), r'"\1"'),
    (re.compile(r"(?<!\w)'|(?<!\d)'(?!\w)"), '"'),  # 5' is five feet, 5" five inches
    (re.compile(r'"{2,}'), '"'),
    (re.compile(r"-{2,}"), "-"),
    (re.compile(r"\.{2,}"), "..."),
    (re.compile(r"[ \t]+"), " "),
    (re.compile(r" (?=[,.?!;:](?!\w))"), ""),
    (re.compile(f"(?<=[,.?!;:])(?=[{_L}])"), " "),
)
_ROUNDS = 4  # rarely more than two: a rule made room for another
_FINAL_STOP = re.compile(r"(?<![.\s])\.\s*\Z")


def normalise(text: str, lang: Lang) -> str:
    """Text as it is compared: the Urdu rules for ``ur`` and ``urmt``, NFC alone for ``en``.

    English gets no more than NFC so that its overlap values equal lm-eval's. Idempotent; any string is accepted, lone
    surrogates included. Case stays (BLEU is case-sensitive); `pak3h_tasks.text.tokenise` folds it. A full stop at the
    very end is left out.

    Example:
        >>> normalise("كيا يه ۱۹۴۷ء ہے؟", "ur") == "کیا یہ 1947 ہے?"
        True
    """
    if lang == "en":
        return unicodedata.normalize("NFC", text)
    for _ in range(_ROUNDS):
        if (again := _urdu(text)) == text:
            break
        text = again
    return text


@lru_cache(maxsize=4096)
def _urdu(text: str) -> str:
    text = _PARTS.sub(" ", text)
    text = _PRESENTATION_FORMS.sub(_plain_letters, text)
    text = _each(_HIGH_HAMZA, text)
    # NFC only after the deletions, or a joiner between a letter and its hamza would keep them apart; and once more
    # after the letters, because gol he composes with hamza where Arabic heh does not.
    text = unicodedata.normalize("NFC", text.translate(_DELETED)).translate(_TABLE)
    text = unicodedata.normalize("NFC", text.replace(_YEH_THEN_HAMZA, _YEH_WITH_HAMZA)).translate(_TABLE)
    text = re.sub(r"(?<=\wہ) ء(?!\w)", "ء", _each(_LOOSE_HAMZA, text))
    return _FINAL_STOP.sub("", _each(_MARKS, one_spelling(_each(_NUMBERS, text)))).strip()


def _plain_letters(run: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", run.group().translate(_SPELLED_OUT))


def _each(rules: tuple[tuple[re.Pattern[str], str], ...], text: str) -> str:
    for pattern, written in rules:
        text = pattern.sub(written, text)
    return text
