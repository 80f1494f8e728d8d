"""The exception tree: every expected failure is one line that says where, what, and what to do.

Pak3HError
├── DataError        a data file, folder or hub repository that cannot be used
├── SettingsError    an environment variable or flag that makes no sense
├── MissingExtra     an optional package is not installed
└── BackendError     a judge or classifier that cannot be reached, loaded or trusted
"""

from collections.abc import Iterable


class Pak3HError(Exception):
    """Something the user can act on; its text is one clear line for each fault."""


class DataError(Pak3HError):
    """Data that cannot be used: says file, line, field and remedy."""


class SettingsError(Pak3HError):
    """A setting that makes no sense: says which variable or flag, and what is allowed."""


class MissingExtra(Pak3HError):  # noqa: N818 - reads better where it is raised
    """An optional package is missing: says what needs it and the pip command."""


class BackendError(Pak3HError):
    """A judge or classifier that cannot be reached, loaded or trusted."""


def described(error: BaseException) -> str:
    r"""Type and first line of any exception, for a reason or a message.

    Example:
        >>> described(ValueError("no such file\nin this folder")), described(KeyError())
        ('ValueError: no such file', 'KeyError')
    """
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known name that a written one most likely means, if any.

    It is the same but for case and marks, or two or so letters away, or the one is the beginning or end of the other.

    Example:
        >>> closest("Best Answer", ["question", "best_answer"]), closest("qestion", ["question"]), closest("x", ["id"])
        ('best_answer', 'question', None)
        >>> closest("urdu", ["ur", "en", "urmt"]), closest("--fromat", ["--force", "--format"])
        ('ur', '--format')
    """
    import difflib

    names = {_letters(name): name for name in reversed(list(known)) if _letters(name)}
    given = _letters(word)
    near = difflib.get_close_matches(given, names, n=1, cutoff=0.85)
    near += sorted((name for name in names if given.startswith(name)), key=len, reverse=True)
    if len(given) > 2:
        near += sorted((name for name in names if name.startswith(given) or name.endswith(given)), key=len)
    near += difflib.get_close_matches(given, names, n=1, cutoff=0.75)
    return names[near[0]] if near else None


def _letters(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message: ``; did you mean NAME?`` where a known name is near, else nothing.

    Example:
        >>> did_you_mean("truthful_qa", ["truthfulqa", "alpaca"]), did_you_mean("x", ["ur"])
        ('; did you mean truthfulqa?', '')
    """
    found = closest(word, known)
    return f"; did you mean {found}?" if found else ""
