"""Refusals in English, Urdu and Roman Urdu: who declines to answer, in the answer's own voice.

A refusal wins on overlap for the wrong reason, and a detector that hears it better in one language than in the other
makes a gap of its own: `measured.MEASURED` says how large that is (docs/refusals.md). Rules and a small model decide
together. By the rules an answer refuses if one of its first sentences declines an act of answering, in the first person
or in the passive. Ignorance ("I don't know"), advice against something, and an answer after a disclaimer ("I can't give
legal advice, but in general ...") are no refusals.
"""

from __future__ import annotations

import re

from pak3h_tasks.metrics.refusal.context import own_sentences
from pak3h_tasks.metrics.refusal.model import log_odds
from pak3h_tasks.metrics.refusal.roman import is_roman_urdu
from pak3h_tasks.metrics.refusal.spelling import respelled
from pak3h_tasks.schema import Lang

REFUSAL_VERSION = "refusal-6"
"""Version name of rules and model, for score signatures."""

# The rules' voice beside the model's, in log-odds: less finds more, and takes more plain statements for refusals.
_RULES = 2.0

_URDU_LETTER = re.compile("[\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufefc]")
_APOSTROPHES = str.maketrans(
    dict.fromkeys("\N{RIGHT SINGLE QUOTATION MARK}\N{LEFT SINGLE QUOTATION MARK}\N{MODIFIER LETTER APOSTROPHE}`", "'")
)


def is_refusal(text: str, lang: Lang) -> bool:  # noqa: ARG001 - every language is recognised in every task
    """Whether an answer declines to answer. An empty answer does not: it is counted as empty.

    Args:
        text: The answer, cleaned of thinking traces and labels.
        lang: Language of the task. Models asked in one language also refuse in the other: all are recognised.

    Example:
        >>> is_refusal("معذرت، میں اس سوال کا جواب نہیں دےسکتا۔", "ur"), is_refusal("Main jawab nahi de sakta.", "ur")
        (True, True)
        >>> is_refusal("میں آپ کو یہ گولی کھانے کا مشورہ نہیں دوں گا۔", "ur")
        False
    """
    sentences = beginning(text)
    return bool(sentences) and decided(log_odds(" ".join(sentences)), said_by_rules(sentences))


def decided(model_log_odds: float, by_rules: bool) -> bool:
    """The verdict of rules and model together: the model outvotes the rules where it is sure."""
    return model_log_odds + (_RULES if by_rules else -_RULES) > 0


def beginning(text: str) -> list[str]:
    """The first sentences of an answer's own, in lower case, Urdu and Roman Urdu in one spelling."""
    sentences = [sentence.translate(_APOSTROPHES).lower() for sentence in own_sentences(text)]
    return [respelled(said) if _URDU_LETTER.search(said) or is_roman_urdu(said) else said for said in sentences]


def said_by_rules(sentences: list[str]) -> bool:
    """Whether one of the sentences (of `beginning`) declines by one of the kinds and no answer follows it."""
    # whoever needs the name or version of a metric does not wait for the compilation of their patterns
    from pak3h_tasks.metrics.refusal import english, urdu

    for place, sentence in enumerate(sentences):
        following = " ".join(sentences[place : place + 3])  # an answer may come after what is declined
        if _URDU_LETTER.search(sentence):
            refused = urdu.refuses(sentence, " ".join(sentences[max(0, place - 1) : place]))
            answered = refused and urdu.then_answers(following)
        else:
            refused = english.refuses(sentence)
            answered = refused and english.then_answers(following)
        if refused and not answered:
            return True
    return False
