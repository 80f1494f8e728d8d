"""``developer/model`` of what was evaluated: checked, since it names folders and repositories."""

from __future__ import annotations

import re
from pathlib import Path

from pak3h_tasks.backends.protocol import name_without_folders
from pak3h_tasks.errors import DataError
from pak3h_tasks.text.escape import one_line, quoted

_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_-])?"
_ID = re.compile(rf"{_PART}/{_PART}", re.ASCII)

_SHAPE = "an id is developer/model, each of letters, digits, . _ and -"


def checked_id(text: str, where: str) -> str:
    """The id, which may come from a file that somebody else wrote.

    Args:
        text: ``developer/model``.
        where: What gave it, for the message.

    Raises:
        DataError: It is no such id: it could name a place outside the folder, or nothing on the hub.

    Example:
        >>> checked_id("Qwen/Qwen2.5-0.5B-Instruct", "--model-id")
        'Qwen/Qwen2.5-0.5B-Instruct'
    """
    # the hub takes neither two dots nor two dashes in a row
    if not _ID.fullmatch(text) or ".." in text or "--" in text:
        raise DataError(f"{where} {quoted(text)}: {_SHAPE}")
    return text


def checked_part(text: str, where: str) -> str:
    """A name of one folder, such as that of a collection.

    Args:
        text: The name.
        where: What gave it, for the message.

    Raises:
        DataError: It could name a place elsewhere.
    """
    if not re.fullmatch(_PART, text, re.ASCII) or ".." in text:
        raise DataError(f"{where} {quoted(text)}: a name has letters, digits, . _ and -")
    return text


def id_of_name(name: str) -> str:
    """The id that lm-eval's name of a model is, where it is one.

    Args:
        name: As lm-eval has it: a hub id, a path, or what an API calls it.

    Raises:
        DataError: It is a path, or a name without a developer.
    """
    if _ID.fullmatch(name) and ".." not in name and "--" not in name and not Path(name).exists():
        return name
    shown = one_line(name_without_folders(name), 80)
    what = "a local model" if name != shown or Path(name).exists() else "a name without a developer"
    raise DataError(
        f'{shown}: {what}; pass --model-id developer/model, or write "id" into pak3h_model.json beside its runs'
    )
