"""Thinking traces of reasoning models: left out of an answer, and no answer where they never end (docs/scoring.md)."""

from __future__ import annotations

import re

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
