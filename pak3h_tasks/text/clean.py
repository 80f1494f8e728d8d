"""From what a model generated to the answer that is scored; the closing mark of references (docs/scoring.md).

Base models go on with the next question, chat models repeat the answer label, reasoning models think aloud first: none
of it is the answer, and all of it costs overlap (a perfect answer after "A:" has BLEU 79). Answers themselves stay as
they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pak3h_tasks.schema import Lang
from pak3h_tasks.text.thinking import without_thinking

CLEANER = "clean-3"
"""Version name of `clean_generation`, for score signatures."""

TERMINAL_MARK: Mapping[Lang, str] = MappingProxyType(
    {"ur": "\N{ARABIC FULL STOP}", "urmt": "\N{ARABIC FULL STOP}", "en": "."}
)
"""What `ensure_terminal_mark` adds."""

_ENDS_A_SENTENCE = frozenset(".!?\N{HORIZONTAL ELLIPSIS}\N{ARABIC FULL STOP}\N{ARABIC QUESTION MARK}")
_DIRECTION_MARKS = "\N{LEFT-TO-RIGHT MARK}\N{RIGHT-TO-LEFT MARK}\N{ARABIC LETTER MARK}"
_CLOSING = (
    " \"'\N{RIGHT SINGLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{LEFT SINGLE QUOTATION MARK}"
    "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}"
    "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}" + _DIRECTION_MARKS
)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}

_SPACE = r"[^\S\n]"
_BEFORE = rf"(?:{_SPACE}|[{_DIRECTION_MARKS}])*(?:(?:[#>\-]{{1,6}}|\d{{1,3}}[.)۔]){_SPACE}*)?"
_COUNT = r"(?:\d{1,4}|\(\d{1,4}\)|one|two|three|four|five|ایک|دو|تین|چار|پانچ)"
_NUMBER = rf"(?:{_SPACE}?(?:نمبر{_SPACE}?|(?:number|no\.|[Nn]o) |#)?{_COUNT})?(?![^\W_])"

_WHICH_QUESTION = (
    r"[Nn]ext|[Nn]ew|[Aa]nother|[Oo]ne more|[Ff]ollow[- ]?up|[Rr]elated|[Ss]ample|[Ee]xample|[Bb]onus|[Ss]imilar|"
    r"[Aa]dditional|[Ff]urther|[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth|[Ff]ifth|[Ll]ast|[Ff]inal"
)
_WHICH_ANSWER = (
    r"[Ff]inal|[Cc]orrect|[Rr]ight|[Ss]hort|[Ll]ong|[Dd]etailed|[Ff]ull|[Cc]omplete|[Bb]rief|[Qq]uick|[Dd]irect|[Ss]imple|"
    r"[Bb]est|[Hh]onest|[Ss]ample|[Mm]odel|[Pp]ossible|[Ff]irst|[Tt]ruthful|[Tt]rue|[Aa]ctual|[Aa]ccurate|[Ss]uggested"
)
_ENGLISH_QUESTION = rf"(?:(?:[Tt]he |[Yy]our )?(?:{_WHICH_QUESTION}) )?[Qq]uestion|QUESTION"
_ENGLISH_ANSWER = (
    rf"(?:(?:[Mm]y|[Tt]he|[Yy]our|[Hh]ere(?: is|'s|’s) (?:my|the|your)) )?(?:(?:{_WHICH_ANSWER}) )?"
    r"(?:[Aa]nswer(?: in (?:English|Urdu)| to (?:the|your|this) question)?(?: is| would be| will be)?|[Rr]esponse is)"
    r"|[Aa]nswers|ANSWER|Ans|(?:[Mm]y )?[Rr]esponse|Reply|Solution"
)
_URDU_WHICH_ANSWER = "درست|صحیح|حتمی|آخری|پہلا|مختصر|تفصیلی|مکمل|سادہ|سیدھا|بہترین|ممکنہ|اُ?ردو(?: میں)?"
_URDU_QUESTION = (
    r"(?:(?:آپ کا )?(?:اگلا|نیا|پہلا|دوسرا|تیسرا|چوتھا|پانچواں|چھٹا|آخری|مزید|متعلقہ|ایک اور|نمونہ) )?سوال|"
    r"اگلا سوال یہ ہے|السؤال"
)
_URDU_ANSWER = (
    rf"(?:(?:میرا|ہمارا|(?:اس |آپ کے )?سوال کا|آپ کا|اس کا(?= (?:(?:{_URDU_WHICH_ANSWER}) )?جواب یہ)) )?"
    rf"(?:(?:{_URDU_WHICH_ANSWER}) )?جواب(?: اردو میں)?(?: (?:(?:یہ|یوں|کچھ یوں|عرض|حاضر|درج ذیل) )?(?:ہے|ہو ?گا))?"
    r"|جوابات|الجواب"
)


def _label(names: str) -> str:
    """Pattern of a label such as ``جواب:``, ``**Answer 2:**`` or ``### A:`` at the start of a line."""
    return (
        rf"{_BEFORE}(?P<opened>[*_]{{0,4}})(?P<quote>[\[(“\"«])?(?:{names}){_NUMBER}(?(quote)[\])”\"»]?)"
        rf"(?P<closed>[*_]{{0,4}}){_SPACE}*[:：](?:-(?!\d)|۔)?(?(quote)[\])”\"»]?)(?P<closed_after>[*_]{{0,4}})"
    )


def _unmarked(names: str, stop: str) -> str:
    """The same without a colon: a stop or a dash after it, in brackets, or marked up on a line of its own."""
    alone = rf"(?:#{{1,6}}{_SPACE}*[*_]{{0,4}}|[*_]{{1,4}})(?:{names}){_NUMBER}[*_]{{0,4}}{_SPACE}*(?=\n)"
    bracketed = rf"[*_]{{0,4}}(?:\[(?:{names}){_NUMBER}\]|\((?:{names}){_NUMBER}\))[*_]{{0,4}}"
    return rf"{_BEFORE}(?:[*_]{{0,4}}(?:{names}){_NUMBER}[*_]{{0,4}}{_SPACE}*{stop}[*_]{{0,4}}|{alone}|{bracketed})"


@dataclass(frozen=True)
class _Labels:
    """What stands before an answer or a question in one language; prose that begins with the word has no mark after it.

    Attributes:
        answers: Patterns of an answer label.
        questions: Patterns of a question label at the start of a line.
        in_line: The same within a line, after the end of a sentence.
    """

    answers: tuple[str, ...]
    questions: tuple[str, ...]
    in_line: str


_DASH = rf"[\-–—](?={_SPACE})"
_ENGLISH = _Labels(
    (_label(rf"A|Assistant|{_ENGLISH_ANSWER}"), _unmarked("Answer|ANSWER", rf"(?:{_DASH}|…|\.{{3}})")),
    (
        _label(rf"Q-?|Human|User|{_ENGLISH_QUESTION}"),
        _unmarked(_ENGLISH_QUESTION, _DASH),
        rf"{_BEFORE}(?:Q\d*|Question(?: \d+)?)\.{_SPACE}[^\n]*\?",  # "Q. Why?"
    ),
    # Of letters only a whole exchange is one: "Q: is a letter" is prose.
    rf"(?=[A-Z])(?!The )(?:{_ENGLISH_QUESTION}){_NUMBER}:|Q: [^\n]{{0,300}}\? A:",
)
# Models asked in Urdu use English labels too; models asked in English do not use Urdu ones.
_URDU = _Labels(
    (
        _label(rf"{_URDU_ANSWER}|ج|معاون|اسسٹنٹ|A|Assistant|{_ENGLISH_ANSWER}"),
        _unmarked("جواب(?: یہ ہے)?|الجواب|Answer", rf"(?:{_DASH}|۔+|…|\.+(?=\s))"),
        rf"{_BEFORE}ج۔(?!\s*\w۔)",  # not the initials of a name
    ),
    (
        _label(rf"{_URDU_QUESTION}|س|صارف|Q|Human|User|{_ENGLISH_QUESTION}"),
        _unmarked(_URDU_QUESTION, rf"(?:{_DASH}|۔|\.(?=\s))"),
        rf"{_BEFORE}س۔[^\n]*؟",
        *_ENGLISH.questions[1:],
    ),
    rf"(?:{_URDU_QUESTION}){_NUMBER}[:：۔]|س: [^\n]{{0,300}}؟ ج:|Q: [^\n]{{0,300}}[?؟] A:|{_ENGLISH.in_line}",
)
_LABELS: Mapping[Lang, _Labels] = MappingProxyType({"en": _ENGLISH, "ur": _URDU, "urmt": _URDU})
_RULE = " \t\r-*_=#>"


def without_surrogates(text: str) -> str:
    """Text that can be written as UTF-8: surrogate pairs joined, each lone surrogate replaced by U+FFFD.

    A lone surrogate (half an emoji, cut off by a server's JSON) makes lm-eval's sample log end early.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _without_answer_labels(text: str, lang: Lang) -> str:
    text = text.lstrip()
    while label := next(filter(None, (re.match(pattern, text) for pattern in _LABELS[lang].answers)), None):
        text = text[label.end() :].lstrip()
        emphasis = label.groupdict()
        if emphasis.get("opened") and not emphasis["closed"] and not emphasis["closed_after"]:
            # "**A: Yes.** More": the emphasis that opened before the label closes inside the answer.
            text = text.replace(emphasis["opened"], "", 1)
    return text


def _without_repeated_question(text: str, lang: Lang) -> str:
    """From the answer label on, where the text begins with a question label and has one."""
    labels = _LABELS[lang]
    if not any(re.match(pattern, text) for pattern in labels.questions):
        return text
    starts = [found.start() for pattern in labels.answers if (found := re.search(rf"\n{pattern}", text))]
    first_line = text.split("\n", 1)[0]
    if in_line := re.search(rf"(?<=[?؟]) +(?={labels.answers[0]})", first_line):
        starts.append(in_line.end())
    return text[min(starts) :] if starts else text


def _before_next_question(text: str, lang: Lang) -> str:
    labels = _LABELS[lang]
    patterns = [rf"\n{pattern}" for pattern in labels.questions]
    patterns.append(rf"(?<=[.!?۔؟]) +(?:{labels.in_line})")
    found = [start.start() for pattern in patterns if (start := re.search(pattern, text))]
    if not found:
        return text
    lines = text[: min(found)].split("\n")
    while len(lines) > 1 and not lines[-1].strip(_RULE):
        lines.pop()
    return "\n".join(lines)


def clean_generation(text: str, lang: Lang) -> str:
    r"""The answer inside a generation; may be empty.

    In this order: lone surrogates replaced; thinking traces removed (`without_thinking`); a question that the model
    repeats before its answer removed; cut at the first line that starts a new question (``سوال:``, ``Q:``,
    ``Question 2:``); leading answer labels (``جواب:``, ``میرا جواب:``, ``جواب۔``, ``A:``) removed with the markdown
    around them; stripped.

    A question label is a repeated question only where the text begins with it, on its first line, and a line with an
    answer label follows; without that line it stays, as part of the answer. After a line break it is a new question.

    Example:
        >>> clean_generation("**جواب:** جی نہیں۔\nسوال: اگلا؟", "ur")
        'جی نہیں۔'
        >>> clean_generation("<think>Seeds...</think>\n\nA: Nothing happens.", "en")
        'Nothing happens.'
    """
    text = without_surrogates(text)
    answer = without_thinking(text)
    if answer != text:
        answer = answer.lstrip()
    answer = _before_next_question(_without_repeated_question(answer, lang), lang)
    return _without_answer_labels(answer, lang).strip()


def ensure_terminal_mark(answer: str, lang: Lang) -> str:
    """A reference answer, stripped, with the language's full stop where it ends in no mark of its own.

    Marks are ``. ! ? … ۔ ؟``, also before closing quotes, and before a bracket that encloses the whole answer (in
    "Washington (D.C.)" the bracket closes an abbreviation, not the sentence). lm-eval looks for ``.`` alone and
    writes ``۔.`` after Urdu. An empty answer stays empty.

    Example:
        >>> ensure_terminal_mark("کچھ نہیں ہوتا", "ur"), ensure_terminal_mark("کیوں نہیں؟", "ur")
        ('کچھ نہیں ہوتا۔', 'کیوں نہیں؟')
    """
    answer = answer.strip()
    if not answer:
        return ""
    end = answer.rstrip(_CLOSING)
    if end and end[-1] == _BRACKETS.get(answer[0]):
        end = end[:-1].rstrip(_CLOSING)
    return answer if end and end[-1] in _ENDS_A_SENTENCE else answer + TERMINAL_MARK[lang]
