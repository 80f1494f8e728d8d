"""Which language a text is in: Urdu among the languages of its script, Roman Urdu, English, others (docs/scoring.md).

Letters that only one language of the Arabic script has, and words that only its grammar needs, decide first: no
identifier we know of tells Shahmukhi Punjabi from Urdu or knows Sindhi, and all are unsure of short texts. py3langid
(its model is in its package) decides what these leave open. Terms, code and addresses in another script do not change
the language of the sentence around them.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import regex

from pak3h_tasks.text.function_words import ALSO_OTHERS, ALSO_URDU, FUNCTION_WORDS

LANGUAGE = "language-2"
"""Version name of the rules, for score signatures."""

UNDETERMINED = "und"
"""There are words, but of no one language (BCP 47's code)."""

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}\u200c\u200d'’]*")
_MARK = regex.compile(r"[\p{M}\u0640\u200b\u200d-\u200f\u061c]")
_ARABIC = regex.compile(r"\p{Script=Arabic}")
_LATIN = regex.compile(r"\p{Script=Latin}")
_NO_LANGUAGE = regex.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|<[/a-zA-Z][^<>\n]*>|(?:https?://|www\.)\S+|\S+@\S+\.\w+", regex.DOTALL
)
_HONORIFIC = regex.compile("[\ufd40-\ufd4f\ufdf0-\ufdff]")
_LATEX_COMMAND = regex.compile(r"\\[A-Za-z]+")
_QUOTATION = regex.compile(r"«[^«»]*»|“[^“”]*”|\"[^\"\n]*\"|‘[^‘’]{3,}’|[﴿﴾][^﴿﴾]*[﴿﴾]")
_SIGN = regex.compile(r"[\p{N}=+×÷√∑∫^<>≤≥≈%°$€£₨]")
_YEAR_SIGN = regex.compile(r"(?<=\p{N})\s?(?:ء|ھ|ہ)(?!\p{L})")
# Of a formula: units, functions, chemical symbols, and up to three letters in a row beside a sign of equality.
_UNIT = regex.compile(
    r"[A-Za-z]|[kcmµdhnGMT]?(?:m|g|l|L|s|W|V|A|B|J|N|Hz|Pa|Wh|eV|mol|bps|cal)|km|kmh|mph|min|hr|hrs|ft|lb|lbs|oz|[ap]m|AM|PM|"
    r"Rs|PKR|USD|sin|cos|tan|log|ln|lim|exp|sqrt|frac|mod|max|min|pi|dx|dy|dt|th|st|nd|rd"
)
_CHEMICAL = regex.compile(r"(?:[A-Z][a-z]?){1,6}")

# Letters of one language of the Arabic script (Unicode's names and notes on the block; U+06C1 and others are shared).
_LETTERS_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "ps": frozenset("ښځڅېۍډړږڼګټۀ"),
        "sd": frozenset("ٿڀڏڪڳڄڃڻٽٺڊڌڇڦڱ۾۽"),
        "skr": frozenset("ٻݙݨ"),
        "ku": frozenset("ۆێڕڵڤ"),
        "ug": frozenset("ۇۈۋ"),
    }
)
_OF_ONE = {letter: lang for lang, letters in _LETTERS_OF.items() for letter in letters}
_URDU_LETTERS = frozenset("ٹڈڑںےھۂۓ")
_FOLDED = str.maketrans("يىكهةۀأإٱ", "ییکہہہااا")
_ARABIC_SPELLINGS = regex.compile("[ةأإٱ]|ى\\b|ي\\b")


_TYPED_AS_URDU = regex.compile("[ہکی]")
_TYPED_AS_ARABIC = regex.compile("[يكىهة]")
_INNER_AE = regex.compile("\N{ARABIC LETTER AE}(?=\\p{L})")  # at a word's end Urdu keyboards make he of it
_PERSIAN_VERB = regex.compile("ن?می\u200c?.{2}")
_LATIN_CUES = {
    name: FUNCTION_WORDS[name] - frozenset().union(*(FUNCTION_WORDS[other] for other in others))
    for name, others in {"en": (), "ur-Latn": ("en",), "other": ("en", "ur-Latn")}.items()
}
_NOT_ENGLISH = regex.compile("[ışğñßøåæœłčěřžőű¿¡ãõ]")
_NAME = regex.compile(r"(?:\p{Lu}[\p{L}'’.]*(?:-\p{L}+)*[\s.]*){4,6}")  # up to three words are English anyway
_SHORT = 3
_IDENTIFIED = (
    "ar bn cs da de el en es fa fi fr gu he hi hu id it ja ko ku ml mr ne nl no pa pl ps pt ro ru sv sw ta te th tl tr"
    " ug uk ur vi zh"
)
_READ = 400  # characters that py3langid reads: more make it slower and no surer


@lru_cache(maxsize=64)  # two metrics ask about each answer
def language_of(text: str) -> str | None:
    """Language of a text: ``ur``, ``ur-Latn`` (Urdu in Latin letters), ``en``, or another language's code.

    Urdu with English terms, code or addresses is Urdu. A text of up to three words that shows no language (a name,
    "Yes.") counts as Urdu in Arabic script and as English in Latin script, and so does a longer name there.

    Returns:
        A BCP 47 code (``pnb`` for Punjabi in Shahmukhi); `UNDETERMINED`; None where there is nothing to tell it by:
        digits, formulas, signs, code or addresses alone, or no text.

    Example:
        >>> language_of("آپ laptop کو restart کریں"), language_of("لا أعرف"), language_of("main nahi janta")
        ('ur', 'ar', 'ur-Latn')
        >>> language_of("E = mc²") is None
        True
    """
    text = _HONORIFIC.sub("اللہ", text)  # spelled out it is a sentence of Arabic
    prose = _NO_LANGUAGE.sub(" ", unicodedata.normalize("NFKC", text))
    prose = _LATEX_COMMAND.sub(" = ", prose)
    prose = _MARK.sub("", _YEAR_SIGN.sub("", prose))
    if _is_formula(prose):
        return None
    unquoted = _QUOTATION.sub(" ", prose)
    if len(_WORD.findall(unquoted)) >= _SHORT:
        prose = unquoted  # what is quoted may be the foreign word that the sentence explains
    words = [word.lower().replace("’", "'") for word in _WORD.findall(prose)]
    arabic = [word for word in words if _ARABIC.match(word)]
    latin = [word for word in words if _LATIN.match(word)]
    if len(arabic) + len(latin) <= len(words) / 2:
        return _identified(prose)
    if arabic and latin:
        return _of_mixed(arabic, latin)
    return _of_arabic(arabic, prose) if arabic else _of_latin(latin, prose)


def _is_formula(prose: str) -> bool:
    words = _WORD.findall(prose)
    if not words:
        return True
    if not _SIGN.search(prose):
        return all(
            len(word) > 2
            and _CHEMICAL.fullmatch(word)
            and regex.search("[a-z].*[A-Z]|[A-Z].*[a-z]$", word)
            and sum(map(str.isupper, word)) > 1
            for word in words
        )
    short = 3 if "=" in prose else 0
    return all(
        _UNIT.fullmatch(word) or _CHEMICAL.fullmatch(word) or (len(word) <= short and _LATIN.match(word))
        or regex.fullmatch(r"\p{Script=Greek}", word)
        for word in words
    )  # fmt: skip


def _of_mixed(arabic: list[str], latin: list[str]) -> str:
    """Whose grammar holds the sentence together: its function words, else its letters."""
    english = sum(word in FUNCTION_WORDS["en"] for word in latin)
    urdu = sum(word.translate(_FOLDED) in FUNCTION_WORDS["ur"] for word in arabic)
    letters = sum(map(len, arabic)) - sum(map(len, latin))
    if urdu > english or (letters > 0 and urdu == english):
        return _of_arabic(arabic, " ".join(arabic))
    if english > urdu or letters < 0:
        return _of_latin(latin, " ".join(latin))
    return UNDETERMINED


def _of_arabic(words: list[str], prose: str) -> str:
    marked = Counter(lang for word in words for lang in {_OF_ONE[letter] for letter in word if letter in _OF_ONE})
    folded = [word.translate(_FOLDED).replace("\u200c", "") for word in words]
    scores = {name: float(sum(word in FUNCTION_WORDS[name] for word in folded)) for name in ("ur", "pnb", "fa")}
    scores["ar"] = 0.0
    scores["pnb"] += 0.5 * sum(word in FUNCTION_WORDS["pnb"] and word not in ALSO_URDU for word in folded)
    scores["pnb"] -= 0.5 * sum(word in ALSO_URDU for word in folded)
    scores["ps"] = sum(word in FUNCTION_WORDS["ps"] for word in words) * 0.5 + 2 * marked["ps"]
    scores["sd"] = sum(word in FUNCTION_WORDS["sd"] for word in words) * 0.5 + 2 * marked["sd"]
    scores["sd"] += sum(word in {"آهي", "آهن", "آهيان"} for word in words)
    for name in ("skr", "ku", "ug"):
        scores[name] = 2.0 * marked[name]
    scores["ku"] += sum(_INNER_AE.search(word) is not None for word in words)
    urdu_letters = sum(not _URDU_LETTERS.isdisjoint(word) for word in words)
    scores["ur"] += 0.5 * urdu_letters
    scores["pnb"] += 0.5 * urdu_letters if scores["pnb"] else 0
    if not _TYPED_AS_URDU.search(prose) or _TYPED_AS_ARABIC.search(prose):
        scores["ar"] = float(sum(word in FUNCTION_WORDS["ar"] for word in words))  # folded, "on" would be the name Ali
        if not urdu_letters:
            scores["ar"] += sum(word.startswith("ال") and len(word) > 3 for word in folded)
            scores["ar"] += 0.5 * sum(_ARABIC_SPELLINGS.search(word) is not None for word in words) + ("ة" in prose) / 2
    if not urdu_letters:
        scores["fa"] += 0.5 * sum(_PERSIAN_VERB.match(word) is not None for word in words)
        scores["fa"] += 0.5 * sum("\u200c" in word for word in words)
    best = max(scores, key=scores.__getitem__)
    runner_up = max(value for name, value in scores.items() if name != best)
    if scores[best] > runner_up and (scores[best] >= 1 or len(words) > _SHORT):
        return best
    if len(words) <= _SHORT or urdu_letters:
        return "ur"
    found = _identified(prose)
    return found if found in {"ar", "fa"} else "ur"


def _of_latin(words: list[str], prose: str) -> str:
    counts = {name: sum(word in cues for word in words) for name, cues in _LATIN_CUES.items()}
    roman = [word for word in words if word in _LATIN_CUES["ur-Latn"]]
    counts["other"] += _NOT_ENGLISH.search(prose) is not None
    best = max(counts, key=counts.__getitem__)
    if (
        best == "ur-Latn"
        and counts[best] > counts["en"]
        and (counts[best] > 1 or (len(words) <= _SHORT and not ALSO_OTHERS.issuperset(roman)))
    ):
        return best
    if counts["en"] > max(counts["other"], counts["ur-Latn"]) and counts["en"] >= len(words) / 8:
        return "en"
    if not any(counts.values()) and _NAME.fullmatch(prose.strip()):
        return "en"
    found = _identified(prose)
    if len(words) <= _SHORT and not (counts["other"] and found != "en"):
        return "en"
    if counts["other"] > counts["en"]:
        return found if found != "en" else UNDETERMINED
    return found


def _identified(text: str) -> str:
    found: str = _identifier().classify(text[:_READ])[0]
    return found


@lru_cache(maxsize=1)
def _identifier() -> Any:
    """py3langid's model: half a second to load, so only where the rules leave a text open."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(_IDENTIFIED.split())
    return identifier
