"""From a pairwise judge's reply to the label it answers with, m or M: a pure function over the text.

As in `pak3h_tasks.judges.verdict`, a wrong reading is worse than none: a reply counts only where it begins with a
label, or closes with a line that is nothing else, and takes nothing back. "m" is also the metre and "M" an initial, so
a label somewhere in a sentence says nothing.
"""

from __future__ import annotations

import re
import unicodedata

from pak3h_tasks.text.clean import without_thinking

LABEL_RULES = "label-1"
"""Version of the rules below, for signatures."""

FIRST, SECOND = "m", "M"
"""The answer shown first, and the one shown second."""

_FENCE = re.compile(r"```\w*\s*(.*?)\s*(?:```)?", re.S)
_TAG = re.compile(r"</?\w+>")
_IN_JSON = re.compile(r":\s*\"([mM])\"")
_DECORATION = re.compile(r"(?:(?![{/\\<>=+&|])[\W_])*")
_LEADS = (
    re.compile(
        r"(?:(?:so|thus|therefore|overall|hence)\W+)?(?:i\s+(?:think|believe|would\s+say)\s+(?:that\s+)?)?"
        r"(?:i\s+(?:would\s+)?(?:prefer|choose|pick|select)\s+)?"
        r"(?:(?:my|the|final|better|best|preferred)\s+)*"
        r"(?:(?:answer|verdict|judge?ment|response|choice|option|label|name|winner|preference|one)"
        r"(?:\s+(?:is|would\s+be))?(?:\W*\s(?:the\s+)?(?:answer|response|option))?(?![^\W_]))?",
        re.I,
    ),
    re.compile(
        r"(?:میرے\s+خیال\s+میں\s+)?(?:دونوں\s+میں\s+سے\s+)?(?:(?:میرا|حتمی|بہتر|بہترین|زیادہ)\s+)*"
        r"(?:(?:جواب|فیصلہ|انتخاب|نام)(?:\s+ہے)?(?![^\W_]))?"
    ),
)
_LABEL = re.compile(r"[mM](?![^\W_]|['\N{RIGHT SINGLE QUOTATION MARK}][^\W_])")
# What may stand behind a label: the end, a line break, or a mark that neither asks, joins, compares nor heads a text.
_MARK = r"(?![?:/\\<>=+&|\N{ARABIC QUESTION MARK}])[\W_]"
_ENDS = re.compile(rf"(?:{_MARK})*$|[^\S\n]*(?:\n|(?!\s){_MARK})")
_IS_BETTER = re.compile(
    r"\W+(?:is\s+(?:(?:the|a|clearly|much|far|slightly|somewhat|bit|overall)\s+)*(?:better|best|winner)"
    r"|(?:زیادہ\s+)?(?:بہتر|بہترین)(?:\s+جواب)?\s+ہے|ہے)(?![^\W_])",
    re.I,
)
_WINS = re.compile(r"\W+wins?(?![^\W_])", re.I)
# behind a mark, as in "**m** is the worst"
_IS_NOT = re.compile(
    r"\W*(?:is\s+(?:the\s+|a\s+|much\s+|clearly\s+)*(?:not|worse|worst|loser)|(?:بہتر\s+)?نہیں)(?![^\W_])", re.I
)
_REASON = re.compile(r"\s+(?:because|since|as|کیونکہ|اس\s+لیے)(?![^\W_])", re.I)
_THAN = re.compile(r"\s+than\s+(?:the\s+)?(?:answer\s+|response\s+)?\W*", re.I)
_ANY_LABEL = re.compile(r"(?<![\w'\N{RIGHT SINGLE QUOTATION MARK}])[mM](?![\w'\N{RIGHT SINGLE QUOTATION MARK}])")
_SENTENCE_END = re.compile(r"[.!\n\N{ARABIC FULL STOP}]")
_JOINTS = re.compile(r"(?:[\W_]|(?:and|or|both|answer|اور|یا)(?![^\W_]))+", re.I)


def parse_label(text: str, *, whole: bool = True) -> str | None:
    r"""The label a reply answers with.

    Read: ``m`` and ``M`` with markdown, quotes, brackets or a lead around them ("Answer:", "The better answer is",
    "جواب:", "بہتر جواب ... ہے"), with a reason behind them; a JSON object with one label; what follows a closed
    thinking trace; a last line that is nothing but a verdict.

    Not read: both labels ("m or M", "m > M"), a label that heads a text ("m: this answer..."), one inside a sentence
    ("5 m"), one that the last line takes back, a trace that never ends.

    Args:
        text: The reply.
        whole: False: it was cut off, so its last line may be the beginning of something else.

    Example:
        >>> [parse_label(text) for text in (" m", "**M**", "Answer: m.", "جواب: m", "M\nIt is clearer than m.")]
        ['m', 'M', 'm', 'm', 'M']
        >>> {parse_label(text) for text in ("", "m or M", "Neither m nor M.", "It is 5 m high.", "m: good, M: bad")}
        {None}
    """
    text = "".join(c for c in without_thinking(text) if unicodedata.category(c) != "Cf").strip()
    if fenced := _FENCE.fullmatch(text):
        text = fenced[1]
    if text.startswith("{"):
        named = set(_IN_JSON.findall(text))
        return named.pop() if len(named) == 1 else None
    text = _TAG.sub(" ", text).strip()
    first = _leading(text)
    before, _, line = text.rpartition("\n")
    # in "m\nM" the last line is no verdict after an explanation
    last = _leading(line, alone=True) if whole and re.search(r"[^\W_]{2}", before) else None
    if first is None or last is None:
        return first or last
    return first if first == last else None


def _leading(text: str, *, alone: bool = False) -> str | None:
    """The label that a text begins with; `alone`: and is made of."""
    text = _after(_DECORATION, text)
    labels = (_LABEL.match(rest) for rest in (text, *(_after(_DECORATION, _after(lead, text)) for lead in _LEADS)))
    label = next((found for found in labels if found), None)
    if label is None:
        return None
    rest = label.string[label.end() :]
    if better := _IS_BETTER.match(rest):
        rest = rest[better.end() :]
        if than := _THAN.match(rest):
            other = _LABEL.match(rest, than.end())
            if other is None or other[0] == label[0]:
                return None
            rest = rest[other.end() :]
        if label[0].swapcase() in _ANY_LABEL.findall(_SENTENCE_END.split(rest)[0]):  # "better in style, but M is right"
            return None
    elif not (_ENDS.match(rest) or (_REASON.match(rest) and not alone)):
        return None
    if alone and re.search(r"[^\W_]", rest):
        return None
    return None if _takes_back(rest, label[0]) else label[0]


def _takes_back(rest: str, label: str) -> bool:
    """Whether the other label follows as a second verdict, or the first is denied.

    As in "m, M", "m or M", "m. But M is better." and "**m** is the worst", but not in "m. M is wrong.".
    """
    if _IS_NOT.match(rest):
        return True
    others = (found for found in _ANY_LABEL.finditer(rest) if found[0] != label)
    if any(_IS_BETTER.match(rest, found.end()) or _WINS.match(rest, found.end()) for found in others):
        return True
    joints = _JOINTS.match(rest)
    other = _LABEL.match(rest, joints.end()) if joints else None
    if joints is None or other is None or other[0] == label:
        return False
    return bool(_ENDS.match(rest, other.end()) or re.search(r"[^\W_]", joints[0]))


def _after(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.match(text)
    return text[found.end() :] if found else text
