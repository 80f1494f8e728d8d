"""From a judge's reply to yes, no or nothing: pure functions over its text and its label log-probabilities.

A wrong reading is worse than none (an unscored item is counted and can be asked again), so a reply counts only when it
begins with a verdict that nothing behind it takes back.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from pak3h_tasks.backends.protocol import Position
from pak3h_tasks.judges.label_mass import label_masses

VERDICT_RULES = "verdict-1"
"""Version of the rules below, for signatures."""

_YES = frozenset({"yes", "ہاں", "جی ہاں", "ہاں جی"})
_NO = frozenset({"no", "نہیں", "جی نہیں", "نہیں جی"})

# One spelling for the labels only; answers themselves go through pak3h_tasks.text.
_SPELLING = str.maketrans(
    {
        "\N{ARABIC LETTER YEH}": "\N{ARABIC LETTER FARSI YEH}",
        "\N{ARABIC LETTER ALEF MAKSURA}": "\N{ARABIC LETTER FARSI YEH}",
        "\N{ARABIC LETTER HEH}": "\N{ARABIC LETTER HEH GOAL}",
        "\N{ARABIC TATWEEL}": "",
    }
)
_THOUGHT_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.I)
_FENCE = re.compile(r"^```\w*\s*(.*?)\s*(?:```\s*)?$", re.S)
_DECORATION = re.compile(r"^(?:(?!\{)[\W_])+")
_LEAD = re.compile(
    r"(?:(?:my|the|final|short|overall)\s+)*(?:answer|verdict|judge?ment|response|label)(?:\s+is)?(?![^\W_])|a\s*:"
    r"|(?:میرا\s+)?(?:جواب|فیصلہ)(?:\s+ہے)?(?![^\W_])",
    re.I,
)
_LABEL = re.compile(
    r"(جی ہاں|ہاں جی|جی نہیں|نہیں جی|ہاں|نہیں|yes|no)(?![^\W_]|[-'\N{RIGHT SINGLE QUOTATION MARK}][^\W_])", re.I
)
# What may stand behind a label: the end, a line break, or a mark that neither asks nor joins ("No. 1" is a number).
_ENDS = re.compile(r"[^\S\n]*(?:$|\n|(?!\.\s*\d)[^\w\s?&+\N{ARABIC QUESTION MARK}]|_)")
# Words that begin a reason; any other ("no doubt", "yes and no") may be part of the verdict.
_REASON = re.compile(
    r"\s+(?:it|it's|its|the|this|that|these|because|since|as|they|یہ|وہ|جواب|کیونکہ|اس)(?![^\W_])", re.I
)
_JOINTS = re.compile(r"(?:[\W_]|(?:and|or|but|also|اور|یا|لیکن|مگر)(?![^\W_]))+", re.I)
_JSON_KEYS = (
    "answer",
    "verdict",
    "judgment",
    "judgement",
    "result",
    "label",
    "truthful",
    "informative",
    "جواب",
    "فیصلہ",
)
_CUT_JSON = re.compile(rf'"(?:{"|".join(_JSON_KEYS)})"\s*:\s*(?:"([^"]*)(?:"|$)|(true|false)\b)', re.I)


def parse_yes_no(text: str) -> bool | None:
    r"""The verdict a reply begins with; None when there is none or it is not clear.

    Read: ``yes`` and ``no`` in any case, ہاں, جی ہاں, نہیں, جی نہیں (also in Arabic letter forms and with vowel signs),
    with markdown, quotes or a lead ("Answer:", "جواب:") before them and a reason behind them; a JSON object with one
    verdict (also cut off behind it); what follows a closed thinking trace.

    Not read: a label followed by words that may belong to it ("No doubt it is true", "Yes and no", "نہیں معلوم"), both
    labels ("Yes/No"), a trace that never ends, "true", "y", a verdict that comes only after an explanation.

    Example:
        >>> [parse_yes_no(text) for text in ("Yes", "**no.**", "Yes, because it is.", "<think>No?</think>\n\nYes")]
        [True, False, True, True]
        >>> parse_yes_no('{"answer": "no"}'), parse_yes_no('```json\n{"truthful": true}\n```')
        (False, True)
        >>> [parse_yes_no(text) for text in ("ہاں", "جی نہیں۔", "جواب: نہیں، یہ غلط ہے۔", "هاں", "«جی ہاں»")]
        [True, False, False, True, True]
        >>> {parse_yes_no(text) for text in ("", "Yes and no", "Yes/No", "No doubt", "not sure", "نہیں معلوم")}
        {None}
    """
    tags = list(_THOUGHT_TAG.finditer(text))
    if tags:
        if not tags[-1].group(1):
            return None  # it ran out of tokens while thinking
        text = text[tags[-1].end() :]
    text = _one_spelling(text).strip()
    if fenced := _FENCE.match(text):
        text = fenced.group(1)
    text = _undecorated(text)
    if lead := _LEAD.match(text):
        text = _undecorated(text[lead.end() :])
    return _from_json(text) if text.startswith("{") else _leading_label(text)


def _undecorated(text: str) -> str:
    return _DECORATION.sub("", text, count=1)


def _one_spelling(text: str) -> str:
    text = unicodedata.normalize("NFC", text).translate(_SPELLING)
    # Cf: joiners and direction marks; Arabic Mn: vowel signs.
    return "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Mn"))


def _leading_label(text: str) -> bool | None:
    label = _LABEL.match(text)
    if label is None:
        return None
    verdict = label.group(1).lower() in _YES
    rest = text[label.end() :]
    if not (_ENDS.match(rest) or _REASON.match(rest)):
        return None
    joints = _JOINTS.match(rest)
    other = _LABEL.match(rest, joints.end()) if joints else None
    if joints is None or other is None or (other.group(1).lower() in _YES) is verdict:
        return verdict
    # "Yes/No", "yes, no", "Yes, but no more than that"; in "Yes. No claim is false." the other label begins a reason.
    takes_it_back = _ENDS.match(rest, other.end()) or re.search(r"[^\W_]", joints.group())
    return None if takes_it_back else verdict


def _from_json(text: str) -> bool | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        cut = _CUT_JSON.findall(text)
        values: list[Any] = [flag.lower() == "true" if flag else label for label, flag in cut]
        return _agreed(values[:1]) if len(cut) == 1 else None
    if not isinstance(found, dict):
        return None
    named = [value for key, value in found.items() if str(key).lower() in _JSON_KEYS]
    return _agreed(named or [value for value in found.values() if isinstance(value, (bool, str))])


def _agreed(values: Sequence[Any]) -> bool | None:
    verdicts = [
        value if isinstance(value, bool) else _leading_label(_undecorated(value)) if isinstance(value, str) else None
        for value in values
    ]
    read = [verdict for verdict in verdicts if verdict is not None]
    return read[0] if read and all(verdict is read[0] for verdict in read) else None


def yes_probability(positions: Sequence[Position] | None, text: str = "") -> float | None:
    """Probability of yes against no at the first content token, from the top log-probabilities there.

    The mass of every spelling of a label (" Yes", "YES", "**yes", "ہاں") is added up and the two are normalised.

    Args:
        positions: The first generated positions.
        text: The reply they belong to (`pak3h_tasks.judges.label_mass.label_masses`).

    Returns:
        A fraction in [0, 1]; None when the labels carry less than half of the mass, so that the text has to decide.

    Example:
        >>> from math import log
        >>> yes_probability([Position("Yes", (("Yes", log(0.6)), (" yes", log(0.2)), ("No", log(0.2))))])
        0.8
        >>> yes_probability([Position("The", (("The", -0.01), ("Yes", -7.0), ("No", -7.5)))]) is None
        True
    """
    masses = label_masses(positions, _yes_or_no, 2, text)
    if masses is None or sum(masses) < 0.5:
        return None
    return masses[0] / sum(masses)


def _yes_or_no(token: str) -> int | None:
    name = token.lower() if token.isascii() else _one_spelling(token)
    return 0 if name in _YES else 1 if name in _NO else None
