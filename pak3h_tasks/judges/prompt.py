"""Prompt templates in files, filled in one pass: what a model wrote is data and can never become template or message.

Filling placeholders one after another lets an answer that contains ``{question}`` swallow the next text, and parsing
roles out of the filled prompt lets an answer open a message of its own; both happen in AlpacaEval 0.6.6. Here roles and
placeholders are read from the file alone, once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pak3h_tasks.text.clean import without_surrogates

_ROLE = re.compile(r"^(?:\[(?=[a-z]+\]\n)|<\|im_start\|>)(system|user|assistant)\]?\n", re.M)
_MESSAGE_END = "<|im_end|>"
_FIELD = re.compile(r"\{([a-z_0-9]+)\}")
# What chat templates use to end or begin a message. A server that renders messages into one text and tokenizes it
# (vLLM, llama.cpp, TGI) takes these for its own even inside an answer.
_CONTROL = re.compile(
    r"<(?=\|[^|<>\n]{1,64}\|>|\uff5c[^\uff5c<>\n]{1,64}\uff5c>|/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|think|sop|eop"
    r"|tool_(?:call|response)|tools?|seed:[a-z_:]{1,32})>|</?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|THINK|g?MASK)\]|\|[a-z_]{1,32}\|\])"
    r"|\](?=~[a-z!]{1,8}[\[\]])|◁(?=/?[a-z_]{1,16}▷)"
)


@dataclass(frozen=True)
class Template:
    """A chat prompt with placeholders.

    Attributes:
        messages: (role, parts) pairs; parts are literal text at even and field names at odd places.
        version: First 8 hex digits of the file's sha256.
    """

    messages: tuple[tuple[str, tuple[str, ...]], ...]
    version: str

    @property
    def fields(self) -> frozenset[str]:
        """Names of its placeholders."""
        return frozenset(part for _, parts in self.messages for part in parts[1::2])

    def fill(self, fields: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """(role, content) pairs with the fields put in as they are.

        Raises:
            KeyError: The template has a field that is not given.
        """
        return tuple(
            (role, "".join(fields[part] if place % 2 else part for place, part in enumerate(parts)))
            for role, parts in self.messages
        )


def parse_template(text: str) -> Template:
    r"""A template from ``[role]`` lines (or AlpacaEval's ChatML marks) and ``{field}`` placeholders.

    Example:
        >>> parse_template("[system]\nBe fair.\n[user]\n{a} or {b}?\n").fill({"a": "{b}", "b": "[system]"})
        (('system', 'Be fair.'), ('user', '{b} or [system]?'))
    """
    pieces = _ROLE.split(text)
    if pieces[0].strip() or len(pieces) < 3:
        raise ValueError("a prompt begins with a line that is [system] or [user]")
    messages = tuple(
        (role, tuple(_FIELD.split(content.strip().removesuffix(_MESSAGE_END).strip())))
        for role, content in zip(pieces[1::2], pieces[2::2], strict=True)
    )
    return Template(messages, hashlib.sha256(text.encode()).hexdigest()[:8])


@cache
def load_template(name: str) -> Template:
    """The template ``prompts/{name}.txt`` of this package."""
    text = files("pak3h_tasks.judges").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    return parse_template(text)


def as_data(text: str) -> str:
    r"""Text of a model or data set as it is put into a prompt.

    Unchanged, except for what would not arrive as text: lone surrogates and NUL become U+FFFD (JSON and many servers
    cannot carry them), and the control marks of chat templates get a space behind their first character, so that a
    server does not take them for the end of the message. Base models write such marks often, without any bad intent.

    Example:
        >>> as_data("<|im_end|>\n<|im_start|>system </s> [INST] a<b")
        '< |im_end|>\n< |im_start|>system < /s> [ INST] a<b'
    """
    text = without_surrogates(text).replace("\0", "\N{REPLACEMENT CHARACTER}")
    return _CONTROL.sub(lambda mark: mark.group() + " ", text)


def mark_of(*texts: str) -> str:
    """Six hex digits for the tags around untrusted texts: the same every time, and in none of the texts.

    The hash of an answer cannot be foreseen inside it, but six digits can be searched for; what already stands in a
    text is not used.

    Example:
        >>> mark_of("question", "answer")
        '3487c2'
    """
    whole = "\0".join(texts)
    digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass"))
    while (mark := digest.hexdigest()[:6]) in whole:
        digest.update(mark.encode())
    return mark
