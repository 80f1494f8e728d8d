"""Characters that would act on a page instead of standing on it, written out: controls, bidi overrides, surrogates."""

from __future__ import annotations

import re

# Not here: ZWNJ and ZWJ, which Urdu spelling needs, and the marks LRM, RLM and ALM, which reach no further than a word.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u180e\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_MAX_CHARS = 4000


def visible(text: str) -> str:
    r"""The text with every acting or invisible character as ``⟦U+...⟧``, cut where it is out of all measure.

    `assets/text.js` does the same for the texts of samples.

    Example:
        >>> visible("a\u202eb\x00"), visible("می\u200cکنم") == "می\u200cکنم"
        ('a⟦U+202E⟧b⟦U+0000⟧', True)
    """
    if len(text) > _MAX_CHARS:
        text = f"{text[:_MAX_CHARS]}… ({len(text):,} characters)"
    return _INVISIBLE.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text)
