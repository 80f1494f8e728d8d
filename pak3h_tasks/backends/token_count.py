"""How many tokens a judge's tokenizer makes of a text, where one is at hand; else a rough count that says so."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

from pak3h_tasks.backends.protocol import rough_tokens

logger = logging.getLogger(__name__)

ROUGH = "estimated: 4 ASCII letters or 1.5 others a token"


class TokenCount(NamedTuple):
    """A way to count.

    Attributes:
        of: Tokens of a text.
        how: With what, for the user.
    """

    of: Callable[[str], float]
    how: str


def token_count(model: str) -> TokenCount:
    """The best way to count for a served judge: tiktoken for OpenAI's names, a tokenizer on this machine for others.

    Nothing is downloaded for models of the hub; tiktoken fetches its own tables once.
    """
    counters = (_of_hub,) if "/" in model else (_of_openai, _of_hub)
    for counter in counters:
        try:
            return counter(model)
        except Exception:  # whatever is not installed, not known or not there
            logger.debug("no tokenizer of %s", model, exc_info=True)
    return TokenCount(rough_tokens, ROUGH)


def _of_openai(model: str) -> TokenCount:
    import tiktoken

    encoding = tiktoken.encoding_for_model(model)
    return TokenCount(
        lambda text: len(encoding.encode(text, disallowed_special=())), f"counted by tiktoken, {encoding.name}"
    )


def _of_hub(model: str) -> TokenCount:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model, local_files_only=True)
    return TokenCount(lambda text: len(tokenizer.encode(text, add_special_tokens=False)), "counted by its tokenizer")
