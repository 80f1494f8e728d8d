"""Urdu as the refusal rules read it: one spelling, verbs and auxiliaries apart, Roman Urdu in Urdu letters.

Coarser than `pak3h_tasks.text.normalise`, which must keep words apart: here both kinds of he and both ways to write a
hamza are one. Roman Urdu is respelled word by word, so that the same rules read both scripts.
"""

from __future__ import annotations

import re

from pak3h_tasks.metrics.refusal.roman import in_urdu_letters
from pak3h_tasks.text.normalise import normalise

_JOINERS = str.maketrans({"\N{ZERO WIDTH NON-JOINER}": " ", "\N{ZERO WIDTH JOINER}": ""})
_LETTERS = str.maketrans({
    "\N{ARABIC LETTER HEH DOACHASHMEE}": "\N{ARABIC LETTER HEH GOAL}",
    "\N{ARABIC LETTER HEH GOAL WITH HAMZA ABOVE}": "\N{ARABIC LETTER HEH GOAL}",
    "\N{ARABIC LETTER TEH MARBUTA GOAL}": "\N{ARABIC LETTER HEH GOAL}",
    "\N{ARABIC LETTER WAW WITH HAMZA ABOVE}": "\N{ARABIC LETTER WAW}",
    "\N{ARABIC LETTER YEH WITH HAMZA ABOVE}": "\N{ARABIC LETTER FARSI YEH}",
    "\N{ARABIC LETTER HAMZA}": "",
    "\N{ARABIC HAMZA ABOVE}": "",
    "\N{ARABIC COMMA}": ",", "\N{ARABIC FULL STOP}": ".",
})  # fmt: skip
_AUXILIARY = re.compile(r"\b(?!(?:س|کہ|چ)سک)(\w{2,})(سک(?:تا|تی|تے|تیں|وں|یں|ا|ی|ے)|پاو?وں)\b")
_FUTURE = re.compile(r"\b(\w+?)(?:و?ں|و?ن)(گا|گی|گے)\b")
_FUTURE_MANY = re.compile(r"\b(\w{2,}ی)[ںن]?(گا|گی|گے)\b")
_PRONOUN = re.compile(r"\b(اس|آپ|ان|جس|کس)(کا|کی|کے|کو|سے|میں|پر)\b")
_SPELLINGS = {
    "نہی": "نہیں", "نہیںکر": "نہیں کر", "نہیںدے": "نہیں دے", "کیلیے": "کے لیے", "میرےلیے": "میرے لیے", "چاہیے": "چاہیے",
    "معزرت": "معذرت", "فتوا": "فتوی", "مووقف": "موقف", "راے": "رایے", "تبصرا": "تبصرہ", "راہنمایی": "رہنمایی",
    "کمنٹ": "تبصرہ", "کمنٹس": "تبصرہ", "ہیلپ": "مدد", "ریکویسٹ": "درخواست", "پرمیشن": "اجازت", "انفارمیشن": "معلومات",
    "معاونت": "مدد", "اوپینین": "رایے", "ہمیں": "مجہے", "پولیسی": "پالیسی", "اے آیی": "مصنوعی", "بحیثیت": "بطور",
}  # fmt: skip
_SPELLING = re.compile(r"\b(?:" + "|".join(_SPELLINGS) + r")\b")

_THAT = re.compile(
    r"\b(ہے|ہیں|ہوں|تہا|افسوس|معذرت|کیوں|کہا|بتایا|سکتا|سکتی|سکتے|گا|گی|چاہتا|چاہتی) کے\b"
)  # Roman "ke" is two words


def respelled(sentence: str) -> str:
    """A sentence in Urdu letters, or in both, as `pak3h_tasks.metrics.refusal.urdu` reads it.

    Example:
        >>> respelled("میں جواب نہیں دےسکتا") == respelled("main jawab nahi de sakta") == "میں جواب نہیں دے سکتا"
        True
    """
    plain = in_urdu_letters(normalise(sentence.translate(_JOINERS), "ur").casefold()).translate(_LETTERS)
    plain = _THAT.sub(r"\1 کہ", plain)
    plain = _AUXILIARY.sub(r"\1 \2", plain)
    plain = _FUTURE.sub(r"\1وں \2", _FUTURE_MANY.sub(r"\1ں \2", plain))
    plain = _SPELLING.sub(lambda word: _SPELLINGS[word.group()], _PRONOUN.sub(r"\1 \2", plain))
    return " ".join(plain.split())
