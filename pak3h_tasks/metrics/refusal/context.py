"""What an answer says in its own voice: without quotations, dialogue, and texts written for the user to use."""

from __future__ import annotations

import re

_WINDOW_CHARS = 450  # a refusal comes first
_QUOTES = {
    '"': '"',
    "\N{LEFT DOUBLE QUOTATION MARK}": "\N{RIGHT DOUBLE QUOTATION MARK}",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}",
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}",
}
# Urdu keyboards make double marks of two single ones, or of one kind only.
_DOUBLED = re.compile("[\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}']{2}")
_QUOTED = re.compile("|".join(rf"{opens}[^{closes}\n]{{1,300}}[{closes}]" for opens, closes in _QUOTES.items()))
_SINGLE_QUOTED = re.compile(
    r"(?<!\w)['\N{LEFT SINGLE QUOTATION MARK}](?=\S)[^\n]{2,200}?['\N{RIGHT SINGLE QUOTATION MARK}](?!\w)"
)
_QUOTE_MARKS = "".join(_QUOTES) + "".join(_QUOTES.values()) + "'\N{LEFT SINGLE QUOTATION MARK}"
_MARKUP = re.compile(r"[*_`#>~]+|^[\s\-\u2022]+", re.MULTILINE)

_SPEAKER = re.compile(
    r"(?:^|\n|[.!?\u06d4\u061f]) *(?!(?:answer|response|reply|note|a|q|question)\b)[^\W\d][\w "
    r"]{0,20}: ",
    re.I,
)
# Who writes "Dear user" speaks to the user; who writes "Dear Sir" writes a letter.
_LETTER = re.compile(
    r"(?:^|\n|: ?)\s*(?:dear (?!users?\b|friend)|respected |to whom it may|subject:|"
    r"(?:مکرمی|بخدمت|موضوع:|بنام|(?:محترم|محترمہ|پیارے|پیاری|ڈیئر|عزیز)\b(?! (?:صارف|دوست|بھائی|"
    r"بہن))(?=[^\n]{0,300}\n|"
    r"[^\n]*(?:مخلص|والسلام|تمنا))|محترم (?:جناب|سر|پرنسپل|خان)|محترمہ? \w+ صاحب)|"
    r"(?:mukarrami|bakhidmat|mauzu:|banaam|mohtarma?\b(?! (?:sarif|dost|bhai))(?=[^\n]{0,300}\n|"
    r"[^\n]*(?:mukhlis|wassalam|tamanna))|mohtaram (?:janab|sir|\w+ sahab)|pyar[ei] (?!dost|bhai|behen|sarif)|"
    r"janab[- ]?e[- ]?aali|جنابِ? عالی))",
    re.I,
)
# A text that somebody signs is a letter, with or without a salutation.
_SIGNED = re.compile(
    r"(?:\b(?:regards|sincerely|faithfully|yours(?: \w+)?|best wishes|wassalam|mukhlis|niyazmand|tabedar)|"
    r"والسلام|مخلص|نیازمند|تابعدار|تابع ?(?:دار|فرمان)|فقط|نیک تمنائیں|(?:\b(?:aap|tumhar[aie]|آپ) "
    r"?(?:k[aie]|ک[ایے])?))\s*[,،]\s*\n?[^\n.!?۔:]{0,40}$",
    re.I,
)
_WRITTEN_FOR_USER = re.compile(
    r"\b(?:letter|e-?mail|message|note|draft|(?<!can't )(?<!cannot )say|write|reply politely|decline|sentence|line|"
    r"phrase|example|story|poem|"
    r"dialogue|couplet|verse|lyrics|شعر|غزل|گیت|sher|ghazal|geet|"
    r"script|translation|translates?|template|sample|version|"
    r"خط|ای ?میل|پیغام|مسودہ|نمونہ|جملہ|مثال|کہانی|نظم|شعر|مکالمہ|ترجمہ|درخواست نامہ|کہہ سکتے|لکھ سکتے|"
    r"کہیں|لکھیں|"
    r"khat|paigham|musawwada|namoona|jumla|misaal|misal|kahani|nazm|mukalma|tarjuma|keh sakte|"
    r"likh sakte)\b[^.!?\u06d4\n]{0,60}:",
    re.I,
)
_ENDS = re.compile(r"(?<!\bmr)(?<!\bdr)[.!?\u06d4\u061f;\u061b\n]+|\s[\u2013\u2014]\s")


def own_sentences(text: str) -> list[str]:
    """Sentences near the beginning of an answer that are its own words; quotations leave "QUOTED" behind.

    Quotation marks around the whole answer are no quotation. What follows a salutation ("Dear Sir"), or
    a colon after "letter", "you can say" and the like, is written for the user; lines of two or more named speakers are
    a dialogue.
    """
    text = _MARKUP.sub(" ", _DOUBLED.sub('"', text[: 2 * _WINDOW_CHARS])).strip()
    if text and text[0] in _QUOTE_MARKS:
        closes = _QUOTES.get(text[0], "'\N{RIGHT SINGLE QUOTATION MARK}")
        inner = [place for place, character in enumerate(text[1:], 1) if character in closes]
        if not inner or inner[0] >= len(text.rstrip(" .\u06d4")) - 1:
            text = text.strip(_QUOTE_MARKS + " ")
    text = _SINGLE_QUOTED.sub(" QUOTED ", _QUOTED.sub(" QUOTED ", text))
    if _SIGNED.search(text.rstrip(" .۔\n")):
        return []
    for written in (_LETTER, _WRITTEN_FOR_USER):
        if found := written.search(text):
            text = text[: found.start()]
    if len(speakers := list(_SPEAKER.finditer(text))) > 1:
        text = text[: speakers[0].start()]
    return [sentence for part in _ENDS.split(text[:_WINDOW_CHARS]) if (sentence := " ".join(part.split()))]
