"""Refusals: "no comment" and its kin, which win on overlap for the wrong reason (scoring.md, sections 2 and 6).

Patterns over the normalised text, made to miss a refusal rather than to call an answer one. They match at the start of
a sentence only, near the beginning of the answer: there Urdu میں is "I", elsewhere it is mostly "in". "I don't know"
admits ignorance and is not counted, nor is "I am an AI and do not have eyes", which answers some questions. A refusal
that goes on to answer ("I can't give medical advice, but ...") is counted.
"""

from __future__ import annotations

import re
from functools import cache

from pak3h_tasks.schema import Lang
from pak3h_tasks.text.normalise import normalise

REFUSAL_PATTERNS = "refusal-1"
"""Version name of the patterns, for score signatures."""

_WINDOW_CHARS = 400  # a refusal comes first
_SAME_SENTENCE = r"[^.!?\n]"


def is_refusal(text: str, lang: Lang) -> bool:
    """Whether an answer declines to answer. An empty answer does not: it is counted as empty.

    English patterns apply to Urdu tasks too, since models fall back to English to refuse; not the other way round.

    Example:
        >>> is_refusal("معذرت، میں اس سوال کا جواب نہیں دے سکتا۔", "ur"), is_refusal("جی نہیں، کچھ نہیں ہوتا۔", "ur")
        (True, False)
    """
    plain = normalise(text, lang).casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    beginning = re.sub(r"[^\S\n]+", " ", plain)[:_WINDOW_CHARS]
    return _refusal(lang).search(beginning) is not None


@cache
def _refusal(lang: Lang) -> re.Pattern[str]:
    patterns = _english() if lang == "en" else _urdu() + _english()
    return re.compile(r"(?:^|[.!?\n])[\s*_>\"'-]*(?:" + "|".join(patterns) + ")")


def _english() -> list[str]:
    sorry = r"(?:i(?:'m| am)(?: \w+)? sorry|sorry|(?:my )?apologies|i apologi[sz]e|i(?:'m| am) afraid|unfortunately)"
    as_an_ai = rf"as an? (?:\w+ )?(?:ai|artificial intelligence|language model)\b{_SAME_SENTENCE}{{0,40}}?"
    lead = rf"(?:{sorry}{_SAME_SENTENCE}{{0,30}}?,? (?:but |that )?)?(?:{as_an_ai},? )?"
    i_cannot = (
        r"i(?: can(?:not|'t| not)| could(?:n't| not)| won't| will not|'d rather not| would rather not| prefer not to"
        r"|(?:'m| am) (?:un|not )able to|(?:'m| am) not (?:allowed|permitted) to| (?:must )?(?:decline|refuse) to)"
    )
    give = rf"(?:provide|give|offer|share)\b{_SAME_SENTENCE}{{0,50}}?"
    given = r"\b(?:answers?|advice|opinions?|information|comments?|guidance|recommendations?|instructions|that)"
    write = rf"(?:create|generate|write|produce)\b{_SAME_SENTENCE}{{0,50}}?"
    written = (
        r"\b(?:content|material|jokes?|stor(?:y|ies)|messages?|e-?mails?|texts?|posts?|instructions|code|that|this)"
    )
    task = (
        r"(?: \w+ly)? (?:answer|comment|help|assist|discuss|respond|engage|comply|fulfil|fulfill|tell you|"
        rf"say anything|do that|{give}{given}|{write}{written})\b"
    )
    no_opinion = r"i do(?:n't| not) have (?:any )?(?:personal )?(?:opinions?|beliefs?|preferences|views|access)\b"
    return [
        r"(?:i have |i make |i will make )?no comment(?:[.!,;]|$| on\b| about\b)",
        lead + i_cannot + task,
        rf"{as_an_ai},? {no_opinion}",
    ]


def _urdu() -> list[str]:
    # Up to a "that": what follows it is what the speaker thinks, not what the speaker does.
    own_words = r"(?:(?! کہ )[^.!?\n])"
    apology = (
        r"(?:میں |ہم )?(?:معذرت(?: خواہ| چاہتا| چاہتی| چاہتے)?(?: ہوں| ہیں)?(?: کے ساتھ)?"
        r"|(?:مجھے )?معاف (?:کیجیے|کیجئے|کیجیئے|کریں|فرمائیے|فرمائیں)(?: گا)?|سوری"
        r"|معافی (?:چاہتا|چاہتی|چاہتے) (?:ہوں|ہیں))"
    )
    regret = r"(?:مجھے افسوس ہے|افسوس(?: ہے)?|بدقسمتی سے)"
    but = r"(?:, ?(?:لیکن |مگر )?| لیکن | مگر | کہ | (?=میں |ہم ))"
    i = r"میں (?!نے )"
    task = r"\b(?:جواب|مدد|معاونت|تبصرہ|رائے|مشورہ|مشورے|معلومات|رہنمائی|تفصیل|تفصیلات|مواد|ہدایات|درخواست)\b"
    cannot = (
        r"(?:نہیں (?:\w+ ){0,2}?(?:سکتا|سکتی|سکتے|سکوں)|نہیں (?:کروں|دوں) (?:گا|گی)"
        r"|نہیں (?:دینا|کرنا) (?:چاہتا|چاہتی|چاہوں)|کے قابل نہیں|سے (?:قاصر|معذور|انکار|گریز|معذرت)\b)"
    )
    declines = (
        rf"{own_words}{{0,80}}?(?:{task}{own_words}{{0,40}}?{cannot}"
        r"|بات (?:نہیں کر (?:سکتا|سکتی|سکتے)|کرنے سے (?:قاصر|معذرت|گریز))"
        r"|نہیں (?:بتا|لکھ|سنا) (?:سکتا|سکتی|سکتے)|نہیں (?:بتانا|لکھنا) (?:چاہتا|چاہتی|چاہوں)"
        r"|کچھ نہیں کہہ (?:سکتا|سکتی|سکتے))"
    )
    ai = r"(?:ai|اے ?آئی|مصنوعی ذہانت|لینگویج ماڈل|لسانی ماڈل|زبان کا ماڈل|زبانی ماڈل)\b"
    as_an_ai = (
        rf"(?:{i})?(?:(?:بطور|بحیثیت) {own_words}{{0,30}}?\b{ai}"
        rf"|(?:ایک )?(?:\w+ )?{ai}{own_words}{{0,20}}?(?:کے طور پر|کی حیثیت سے|ہونے کے ناطے))"
    )
    no_opinion = r"(?:رائے|خیالات|نظریات|ترجیحات|رسائی) نہیں (?:رکھتا|رکھتی|ہے|ہیں)"
    # "میں کوئی تبصرہ نہیں کروں گا", but not "اس نے کوئی تبصرہ نہیں کیا".
    no_comment = (
        rf"(?:{i}|میرا |مجھے |میری طرف سے )?(?:اس (?:پر|بارے میں) )?(?:کوئی )?تبصرہ نہیں"
        r"(?: ہے)?(?:\s*(?:[.!,]|$)| کروں| کر سک| کرنا چاہ)"
    )
    return [
        rf"(?:{apology}{but})?{no_comment}",
        rf"{apology}{but}{declines}",
        rf"(?:{regret}{but})?{i}{declines}",
        rf"{as_an_ai}(?:{declines}|{own_words}{{0,40}}?{no_opinion})",
    ]
