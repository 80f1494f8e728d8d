"""From what a model generated to the answer that is scored; the closing mark of references (docs/scoring.md).

Base models go on with the next question, chat models repeat the answer label, reasoning models think aloud first: none
of it is the answer, and all of it costs overlap (a perfect answer after "A:" has BLEU 79). Answers themselves stay as
they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from pak3h_tasks.schema import Lang

CLEANER = "clean-2"
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

_THINKING_TAG = re.compile(
    r"<(?P<end>/)?(?:seed:)?(?:think|thinking|thoughts?|reasoning)>|\[(?P<END>/)?THINK\]|◁(?P<kimi_end>/)?think▷"
    r"|<\|(?:begin|(?P<sky_end>end))_of_thought\|>",
    re.IGNORECASE,
)
# gpt-oss speaks in channels; decoded without its special tokens (lm-eval's hf models), only their names are left.
_FINAL_CHANNEL = re.compile(r"<\|channel\|>final[^<]*<\|message\|>")
_OTHER_CHANNEL = re.compile(r"\s*(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)")
_BARE_CHANNELS = re.compile(r"\s*analysis.*?assistant(?:commentary.*?assistant)?final", re.DOTALL)
_BARE_ANALYSIS = re.compile(r"\s*analysis(?=[^\W\d_])")
_END_OF_MESSAGE = re.compile(r"<\|(?:return|end)\|>")

_ENGLISH_QUESTION = r"Q|(?:[Nn]ext |[Nn]ew )?[Qq]uestion|QUESTION"
_ENGLISH_ANSWER = (
    r"A|(?:(?:[Mm]y|[Tt]he|[Yy]our) )?(?:(?:[Ff]inal|[Cc]orrect|[Rr]ight|[Ss]hort) )?[Aa]nswer(?: is)?|ANSWER"
)
_URDU_QUESTION = rf"(?:(?:اگلا|نیا|دوسرا) )?سوال(?: نمبر)?|السؤال|س|{_ENGLISH_QUESTION}"
_URDU_ANSWER = (
    r"(?:(?:میرا|سوال کا) )?(?:(?:درست|صحیح|حتمی|آخری|مختصر) )?جواب(?: (?:یہ )?(?:ہے|یہ ہے))?|الجواب|ج|"
    + _ENGLISH_ANSWER
)


def _label(names: str) -> str:
    """Pattern of a label such as ``جواب:``, ``**Answer 2:**`` or ``### A:`` at the start of a line."""
    space = r"[^\S\n]"
    return (
        rf"(?:{space}|[{_DIRECTION_MARKS}])*(?:[#>\-]+{space}*)?(?P<opened>[*_]*)(?:{names})(?:{space}?\d+)?"
        rf"(?P<closed>[*_]*){space}*[:：](?P<closed_after>[*_]*)"
    )


# "سوال۔ ...": an Urdu full stop or a dash in place of the colon; prose that begins with the word has neither.
_SPACE = rf"(?:[^\S\n]|[{_DIRECTION_MARKS}])*"
_STOP = rf"[*_]*{_SPACE}(?:[۔\-–—]|\.(?=\s))[*_]*"
_URDU_DASHED_QUESTION = rf"{_SPACE}[*_#>]*(?:(?:اگلا|نیا|دوسرا) )?سوال(?: نمبر)?(?: ?\d+)?{_STOP}"
_URDU_DASHED_ANSWER = re.compile(rf"{_SPACE}[*_#>]*جواب(?: ?\d+)?{_STOP}")
# On the same line only a bare label with its mark, after the end of a sentence, is a new question.
_SAME_LINE: Mapping[Lang, re.Pattern[str]] = MappingProxyType(
    {
        "en": re.compile(r"(?<=[.!?]) +(?:Question|QUESTION)(?: ?\d+)?:"),
        **dict.fromkeys(("ur", "urmt"), re.compile(r"(?<=[.!?۔؟]) +(?:(?:اگلا )?سوال|Question)(?: ?\d+)?[:：۔]")),
    }
)

# Models asked in Urdu use English labels too; models asked in English do not use Urdu ones.
_QUESTION: Mapping[Lang, str] = MappingProxyType(
    {"en": _label(_ENGLISH_QUESTION), "ur": _label(_URDU_QUESTION), "urmt": _label(_URDU_QUESTION)}
)
_ANSWER: Mapping[Lang, str] = MappingProxyType(
    {"en": _label(_ENGLISH_ANSWER), "ur": _label(_URDU_ANSWER), "urmt": _label(_URDU_ANSWER)}
)


def without_surrogates(text: str) -> str:
    """Text that can be written as UTF-8: surrogate pairs joined, each lone surrogate replaced by U+FFFD.

    A lone surrogate (half an emoji, cut off by a server's JSON) makes lm-eval's sample log end early.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def without_thinking(text: str) -> str:
    """Text without thinking traces.

    Traces are what stands between an opening and a closing tag; everything before a closing tag that was never opened
    (chat templates open it in the prompt); everything after an opening tag that is never closed (the model ran out of
    tokens while thinking: what is left, often nothing, is its answer). Tags: <think>, <thinking>, <thought>,
    <thoughts>, <reasoning>, <seed:think>, [THINK], ◁think▷ and <|begin_of_thought|>, in any case. Of gpt-oss's channels
    the final one is kept, also where its special tokens are lost ("analysis...assistantfinal...").

    Example:
        >>> without_thinking("hm</think>A<think>b</think>C<think>d")
        'AC'
    """
    text = _final_channel(text)
    kept: list[str] = []
    position, thinking = 0, False
    for tag in _THINKING_TAG.finditer(text):
        if not thinking:
            kept.append(text[position : tag.start()])
        if any(tag.groups()):
            if not thinking:
                kept.clear()
            thinking = False
        else:
            thinking = True
        position = tag.end()
    if not thinking:
        kept.append(text[position:])
    return "".join(kept)


def is_unfinished_thought(text: str) -> bool:
    """Whether a generation ended while the model was still thinking, before it began an answer.

    Example:
        >>> is_unfinished_thought("<think>Watermelon seeds"), is_unfinished_thought("<think></think>")
        (True, False)
    """
    if _BARE_ANALYSIS.match(text) and not _BARE_CHANNELS.match(text):
        return True
    if without_thinking(text).strip():
        return False
    if _OTHER_CHANNEL.match(text) and not _FINAL_CHANNEL.search(text):
        return True
    tags = list(_THINKING_TAG.finditer(text))
    return bool(tags) and not any(tags[-1].groups())


def _final_channel(text: str) -> str:
    """What a gpt-oss model says to the user; any other text as it is."""
    if final := list(_FINAL_CHANNEL.finditer(text)):
        return _END_OF_MESSAGE.split(text[final[-1].end() :], maxsplit=1)[0]
    if _OTHER_CHANNEL.match(text):
        return ""  # it ran out of tokens before it answered
    bare = _BARE_CHANNELS.match(text)
    return text[bare.end() :] if bare else text


def _without_answer_labels(text: str, lang: Lang) -> str:
    text = text.lstrip()
    while label := re.match(_ANSWER[lang], text):
        text = text[label.end() :].lstrip()
        if label["opened"] and not label["closed"] and not label["closed_after"]:
            # "**A: Yes.** More": the emphasis that opened before the label closes inside the answer.
            text = text.replace(label["opened"], "", 1)
    return text


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
    if re.match(_QUESTION[lang], answer) and (reply := re.search(rf"\n{_ANSWER[lang]}", answer)):
        answer = answer[reply.start() :]
    for start in [_QUESTION[lang]] if lang == "en" else [_QUESTION[lang], _URDU_DASHED_QUESTION]:
        if new_question := re.search(rf"\n{start}", answer):
            answer = answer[: new_question.start()]
    if new_question := _SAME_LINE[lang].search(answer):
        answer = answer[: new_question.start()]
    if lang != "en" and (label := _URDU_DASHED_ANSWER.match(answer.lstrip())):
        answer = answer.lstrip()[label.end() :]
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
