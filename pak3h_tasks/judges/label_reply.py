"""From the text of a free reply to the label it answers with: one skeleton for yes and no and for m and M.

A server that can be held to the labels (`backends.servers.constrain`) needs none of this. For the others a wrong
reading is worse than none: an unread reply is asked for once more with the labels spelled out, and stays unscored
after that. A reply counts only where it begins with a label, alone or at the end of a few lead words ("Answer:", "The
answer that is better is"), or closes with a line that is nothing else, and nothing behind takes the label back.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from pak3h_tasks.text.thinking import without_thinking

LABEL_RULES = "label-2"
"""Version of the rules below, for signatures."""

FIRST, SECOND = "m", "M"
"""The answer shown first, and the one shown second."""

T = TypeVar("T", bool, str)

# One spelling for the labels only; answers themselves go through pak3h_tasks.text.
_SPELLING = str.maketrans(
    {
        "\N{ARABIC LETTER YEH}": "\N{ARABIC LETTER FARSI YEH}",
        "\N{ARABIC LETTER ALEF MAKSURA}": "\N{ARABIC LETTER FARSI YEH}",
        "\N{ARABIC LETTER HEH}": "\N{ARABIC LETTER HEH GOAL}",
        "\N{ARABIC TATWEEL}": "",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    }
)
_AT_THE_END = "\N{FULL BLOCK}"
_FENCE = re.compile(r"^\s*```\w*\s*(.*?)\s*(?:```\s*)?$", re.S)
_TAG = re.compile(r"</?\w+>|<\|[^|<>]*\|>")
_WORD_ENDS = r"(?![^\W_]|[-'][^\W_])"
# Between words; a mark that joins, compares or asks ends the reading.
_MARKS = r"(?:(?![{/\\<>=+&|?\N{ARABIC QUESTION MARK}])[\W_])*"
_LEADS = (
    r"so|thus|therefore|overall|hence|i|think|believe|would|say|prefer|choose|pick|select|that|my|the|a|final|short|better|"
    r"best|preferred|answer|verdict|judge?ment|response|statement|choice|option|label|name|winner|preference|one|is|be|it|it's|"
    r"this|given|has|میرے|خیال|میں|دونوں|سے|میرا|حتمی|بہتر|بہترین|زیادہ|جواب|فیصلہ|انتخاب|نام|ہے|یہ|دیا|گیا"
)
_REASONS = r"because|since|as|it|it's|its|the|this|that|these|they|کیونکہ|یہ|وہ|جواب|اس"
# What may stand behind a label: the end, a line break, or a mark that does not join; "No. 1" is a number.
_ENDS = re.compile(r"[^\S\n]*(?:$|\n|(?!\.\s*\d)[^\w\s?&+=<>|\\\N{ARABIC QUESTION MARK}]|_)")
_REASON = re.compile(rf"\s+(?:{_REASONS}){_WORD_ENDS}", re.I)
_JOINTS = re.compile(r"(?:[\W_]|(?:and|or|but|both|also|actually|اور|یا|لیکن|مگر)(?![^\W_]))+", re.I)
_JSON_KEYS = ("answer", "verdict", "judgment", "judgement", "result", "label", "truthful", "informative", "better")
_KEYS = frozenset({*_JSON_KEYS, "جواب", "فیصلہ"})
_CUT_JSON = re.compile(r'"([^"]*)"\s*:\s*(?:"([^"]*)(?:"|$)|(true|false)\b)', re.I)


@dataclass(frozen=True)
class Labels(Generic[T]):
    """What a judge may say, and what each of it means.

    Attributes:
        spellings: (regular expression, label), tried in order.
        leads: Further lead words, as a regular expression.
        tails: What may follow a label in its sentence and leave it as it is, as a regular expression.
        heads: Whether a label and a colon are a verdict; else they head a text ("m: clear").
        values: What true and false in a JSON object mean; None: nothing.
    """

    spellings: tuple[tuple[str, T], ...]
    leads: str = ""
    tails: str = "$^"
    heads: bool = True
    values: Mapping[bool, T] | None = None

    @cached_property
    def _lead(self) -> re.Pattern[str]:
        words = "|".join(filter(None, (self.leads, rf"(?:{_LEADS})(?![^\W_]|'[^\W_])")))
        return re.compile(rf"{_MARKS}(?:(?i:{words})(?:(?![.!\N{{ARABIC FULL STOP}}]){_MARKS[3:-2]})*)*")

    @cached_property
    def _spelled(self) -> tuple[tuple[re.Pattern[str], T], ...]:
        return tuple((re.compile(spelling + _WORD_ENDS), label) for spelling, label in self.spellings)

    @cached_property
    def _tail(self) -> re.Pattern[str]:
        return re.compile(rf"[\W_]+(?:{self.tails}){_WORD_ENDS}", re.I)

    def _at(self, text: str, start: int) -> tuple[T, int] | None:
        """The label at a place, longest lead first, and where it ends."""
        lead = self._lead.match(text, start)
        # a lead word can be the label itself, so the plain place is tried as well
        for place in dict.fromkeys((lead.end() if lead else start, start)):
            for pattern, label in self._spelled:
                if found := pattern.match(text, place):
                    return label, found.end()
        return None

    def leading(self, text: str, *, alone: bool = False) -> T | None:
        """The label that a text begins with; `alone`: and is made of."""
        found = self._at(text, 0)
        if found is None:
            return None
        label, end = found
        tail = self._tail.match(text, end)
        end = tail.end() if tail else end
        if not (_ENDS.match(text, end) or (_REASON.match(text, end) and not alone)):
            return None
        if not self.heads and re.match(r"[^\w\n]*[:/]", text[end:]):
            return None
        if alone and re.search(r"[^\W_]", text[end:]):
            return None
        return None if self._taken_back(text, end, label) else label

    def _taken_back(self, text: str, end: int, label: T) -> bool:
        """Whether another label follows as a second verdict, as in "yes/no", "m. But M is better"."""
        joints = _JOINTS.match(text, end)
        other = self._at(text, joints.end()) if joints else None
        if joints is None or other is None or other[0] == label:
            return False
        rest = other[1]
        return bool(self._tail.match(text, rest) or _ENDS.match(text, rest) or re.search(r"[^\W_]", joints.group()))

    def read(self, text: str, *, whole: bool = True) -> T | None:
        """The label a reply answers with; `whole`: it was not cut off, so its last line counts too."""
        said = without_thinking(text)
        if not without_thinking(text + _AT_THE_END).endswith(_AT_THE_END) and not said.endswith("\n"):
            return None  # it ran out of tokens while thinking; a line of its own before that is a verdict
        text = plain_letters(said).strip()
        if fenced := _FENCE.match(text):
            text = fenced[1]
        text = _TAG.sub(" ", text).strip()
        lead = self._lead.match(text)
        if text.startswith("{", lead.end() if lead else 0):
            return self._from_json(text[text.index("{") :])
        before, _, line = text.rpartition("\n")
        first = self.leading(text)
        # in "m\nM" the last line is no verdict after an explanation
        last = self.leading(line, alone=True) if whole and re.search(r"[^\W_]{2}", before) else None
        if first is None or last is None:
            return first if last is None else last
        return first if first == last else None

    def _from_json(self, text: str) -> T | None:
        try:
            found = json.loads(text)
            pairs = list(found.items()) if isinstance(found, dict) else []
        except (ValueError, RecursionError):
            cut = _CUT_JSON.findall(text)
            pairs = [
                (key, flag.lower() == "true" if flag else label) for key, label, flag in cut if key.lower() in _KEYS
            ]
            pairs = pairs if len(pairs) == 1 else []
        named = [value for key, value in pairs if str(key).lower() in _KEYS]
        return self._agreed(named or [value for _, value in pairs])

    def _agreed(self, values: Sequence[object]) -> T | None:
        read = [
            self.leading(value)
            if isinstance(value, str)
            else self.values[value]
            if isinstance(value, bool) and self.values
            else None
            for value in values
        ]
        labels = {label for label in read if label is not None}
        return labels.pop() if len(labels) == 1 else None


def plain_letters(text: str) -> str:
    """Text with one spelling of Arabic letters, without joiners, direction marks (Cf) and vowel signs (Mn)."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text).translate(_SPELLING)
    return "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Mn"))


_PAIR = Labels[str](
    ((r"m", FIRST), (r"M", SECOND)),
    tails=(
        r"is\s+(?:(?:the|a|clearly|much|far|slightly|somewhat|bit|overall)\s+)*(?:better|best|winner)"
        r"(?:\s+(?:one|answer|response|option))?(?:\s+than\s+(?:the\s+)?(?:(?:answer|response)\s+)?[mM](?<=[^\W_]))?"
        r"|(?:زیادہ\s+)?(?:بہتر|بہترین)(?:\s+جواب)?\s+ہے|ہے|wins"
    ),
    heads=False,
)
_NOT_BETTER = re.compile(
    r"\b(?P<label>[mM])\b(?i:\W*(?:is\s+(?:the\s+|a\s+|much\s+|clearly\s+)*(?:not|worse|worst|loser)|(?:بہتر\s+)?نہیں))"
    r"|\b(?P<itself>[mM])\b(?i:\W*is\s+better\s+than\s+(?:the\s+)?(?:(?:answer|response)\s+)?\W*)(?P=itself)\b"
)
_BETTER = re.compile(
    rf"\b(?P<label>[mM])\b(?i:[\W_]+(?:is\s+(?:\w+\s+){{0,2}}(?:better|best|right)|wins?|زیادہ\s+بہتر|بہتر)){_WORD_ENDS}"
)


def parse_label(text: str, *, whole: bool = True) -> str | None:
    r"""The label a reply answers with: m or M; "m" is also the metre, so one inside a sentence says nothing.

    Args:
        text: The reply.
        whole: False: it was cut off, so its last line may be the beginning of something else.

    Example:
        >>> [parse_label(text) for text in (" m", "**M**", "Answer: m.", "جواب: m", "The answer that is better is M.")]
        ['m', 'M', 'm', 'm', 'M']
        >>> {parse_label(text) for text in ("", "m or M", "Neither m nor M.", "It is 5 m high.", "m: good, M: bad")}
        {None}
    """
    label = _PAIR.read(text, whole=whole)
    if label is None:
        return None
    said = plain_letters(without_thinking(text))
    denied = {found["label"] or found["itself"] for found in _NOT_BETTER.finditer(said)}
    preferred = {found["label"] for found in _BETTER.finditer(said)} - denied
    return None if label in denied or preferred - {label} else label
