"""The exception tree: every expected failure is one line that says where, what, and what to do.

Pak3HError
├── DataError        a data file, folder or hub repository that cannot be used
├── SettingsError    an environment variable or flag that makes no sense
├── MissingExtra     an optional package is not installed
└── BackendError     a judge or classifier that cannot be reached, loaded or trusted
"""


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
