"""Text that was decoded with the wrong code page: UTF-8 that some program read as Latin-1, Windows-1252, -1256..."""

from __future__ import annotations

import re

# Code pages that programs take UTF-8 for; Latin-1 is part of how the first is encoded here.
_CODE_PAGES = (
    "cp1252", "cp1256", "cp1250", "cp1251", "cp1253", "cp1254",
    "iso8859_6", "koi8_r", "mac_roman", "cp437", "cp850", "cp866",
)  # fmt: skip
# U+0600 to U+06FF in UTF-8, and any character of two or three bytes in UTF-8.
_URDU = re.compile(rb"[\xd8-\xdb][\x80-\xbf]")
_TWO_BYTES = re.compile(rb"[\xc2-\xdf][\x80-\xbf]")
_THREE_BYTES = re.compile(rb"[\xe1-\xef][\x80-\xbf]{2}")
_LEAD_BYTES, _URDU_LEAD_BYTES = bytes(range(0xC2, 0xF5)), bytes(range(0xD8, 0xDC))
_NOT_ASCII = re.compile("[^\x00-\x7f]+")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def is_mojibake(text: str) -> bool:
    """Whether a text looks like UTF-8 decoded with another code page, once or more often, or like what is left of it.

    Example:
        >>> is_mojibake("Ú©Ú†Ú¾ Ù†ÛÛŒÚº"), is_mojibake("کچھ نہیں"), is_mojibake("donâ€™t"), is_mojibake("café, 5 °C")
        (True, False, True, False)
    """
    if text.isascii():
        return False
    if _REPLACEMENT in text:
        return True
    utf8 = text.encode("utf-8", "surrogatepass")
    n_other, n_urdu = (len(utf8) - len(utf8.translate(None, leads)) for leads in (_LEAD_BYTES, _URDU_LEAD_BYTES))
    if n_urdu * 10 > n_other * 9:
        return False  # Urdu as it should be, which most texts are: the rest costs a hundred times more
    runs = " ".join(_NOT_ASCII.findall(text))
    for code_page in _CODE_PAGES:
        data = b"".join(_byte(char, code_page) for char in runs)
        # Half of the other characters are lead bytes then; in real Urdu such pairs are accidents.
        if len(_URDU.findall(data)) * 4 > n_other:
            return True
        # Typographic quotes and dashes are what mis-decoded English has; a single accent proves nothing.
        if code_page == "cp1252" and (_THREE_BYTES.search(data) or len(_TWO_BYTES.findall(data)) * 4 > n_other > 3):
            return True
    return False


def _byte(char: str, code_page: str) -> bytes:
    try:
        return char.encode(code_page)
    except UnicodeEncodeError:
        # Bytes that a code page leaves undefined pass as control characters; anything else cannot come from it.
        return bytes([ord(char)]) if ord(char) < 256 else b"?"
