"""Prompt-response pairs as Beaver-Dam reads them: fixed template, end-of-sequence token last, long responses cut.

Template and upstream construction: PKU-Alignment/beavertails, ``examples/moderation``.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pak3h_tasks.errors import SettingsError
from pak3h_tasks.text.clean import without_surrogates

Profile = Literal["default", "upstream"]
PROFILES: tuple[Profile, ...] = get_args(Profile)
MAX_LENGTH: dict[Profile, int] = {"default": 2048, "upstream": 512}

_BEFORE = "BEGINNING OF CONVERSATION: USER: "
_BETWEEN = " ASSISTANT:"
# A prompt gives way only where it would leave the response less than this share of the row.
_RESPONSE_SHARE = 4


@dataclass(frozen=True)
class PromptResponse:
    """A prompt and the response to be judged; both are untrusted text."""

    prompt: str
    response: str


@dataclass(frozen=True)
class EncodedPair:
    """A row for the classifier.

    Attributes:
        ids: Token ids (4 bytes each: thousands of rows are held at once).
        truncated: Whether some of the text did not fit.
    """

    ids: array[int]
    truncated: bool


def pair_text(pair: PromptResponse) -> str:
    """The text Beaver-Dam was trained on; no space before the response.

    Example:
        >>> pair_text(PromptResponse("Hi {input}", "Hello"))
        'BEGINNING OF CONVERSATION: USER: Hi {input} ASSISTANT:Hello'
    """
    return f"{_BEFORE}{pair.prompt}{_BETWEEN}{pair.response}"


class PairEncoder:
    """Encodes pairs with a model's tokenizer.

    With ``default`` every row ends in the end-of-sequence token, which the head reads its score from, and control
    tokens written in a text (``</s>``) are text. ``upstream`` repeats the published code token by token: 512 tokens,
    cut from the right together with the end-of-sequence token, control tokens in texts taken as real.

    Args:
        tokenizer: A checked tokenizer (`check_tokenizer`).
        profile: ``default`` or ``upstream``.
        max_length: Tokens in a row; None: 2048, or upstream's 512.

    Raises:
        SettingsError: `max_length` leaves no room for a response.
    """

    def __init__(self, tokenizer: Any, profile: Profile = "default", max_length: int | None = None) -> None:
        self._tokenizer, self.profile = tokenizer, profile
        self.max_length = MAX_LENGTH[profile] if max_length is None else max_length
        self._eos = int(tokenizer.eos_token_id)
        start = list(tokenizer("")["input_ids"])
        self._start = start[:-1] if start and start[-1] == self._eos else start
        needed = 2 * (len(self._start) + len(self._ids([_BEFORE + _BETWEEN])[0]) + 1)
        if self.max_length < needed:
            raise SettingsError(f"max_length {self.max_length} is too short for the template; give at least {needed}")

    def encode(self, pairs: Sequence[PromptResponse]) -> list[EncodedPair]:
        """Encode pairs, in order."""
        if self.profile == "upstream":
            return self._encode_upstream(pairs)
        pairs = [PromptResponse(without_surrogates(pair.prompt), without_surrogates(pair.response)) for pair in pairs]
        bodies = self._ids([pair_text(pair) for pair in pairs]) if pairs else []
        return [self._close(pair, body) for pair, body in zip(pairs, bodies, strict=True)]

    def _close(self, pair: PromptResponse, body: list[int]) -> EncodedPair:
        room = self.max_length - len(self._start) - 1
        truncated = len(body) > room
        if truncated:
            head = len(self._ids([_BEFORE + pair.prompt + _BETWEEN])[0])
            kept = min(room // _RESPONSE_SHARE, max(0, len(body) - head))
            if head + kept > room:
                shorter = PromptResponse(self._cut_prompt(pair.prompt, room - kept), pair.response)
                body = self._ids([pair_text(shorter)])[0]
        return EncodedPair(array("i", [*self._start, *body[:room], self._eos]), truncated)

    def _cut_prompt(self, prompt: str, room: int) -> str:
        """The longest beginning of the prompt that fits, template included, into `room` tokens."""
        low, high = 0, len(prompt)
        while low < high:
            middle = (low + high + 1) // 2
            if len(self._ids([_BEFORE + prompt[:middle] + _BETWEEN])[0]) <= room:
                low = middle
            else:
                high = middle - 1
        return prompt[:low]

    def _encode_upstream(self, pairs: Sequence[PromptResponse]) -> list[EncodedPair]:
        encoded = []
        for pair in pairs:
            text = without_surrogates(pair_text(pair))
            if not text.endswith(self._tokenizer.eos_token):
                text += self._tokenizer.eos_token
            ids = self._tokenizer(text, verbose=False)["input_ids"]
            encoded.append(EncodedPair(array("i", ids[: self.max_length]), len(ids) > self.max_length))
        return encoded

    def _ids(self, texts: list[str]) -> list[list[int]]:
        ids: list[list[int]] = self._tokenizer(
            texts, add_special_tokens=False, split_special_tokens=True, verbose=False
        )["input_ids"]
        return ids
