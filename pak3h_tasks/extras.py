"""How to install what is missing: the packages themselves, as this package's own metadata names them.

No message names pak3h-tasks to pip: whoever registers a name that is not registered yet decides what it installs.
"""

from __future__ import annotations

from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pak3h_tasks.errors import MissingExtra

DISTRIBUTION = "pak3h-tasks"


def pip_install(extra: str) -> str:
    """The command that brings what an extra lacks here, or all of it where nothing seems to be missing.

    Double quotes: cmd.exe knows no others, and takes a bare > for a file to write.

    Example:
        >>> pip_install("figures")
        'pip install "typst>=0.13"'
    """
    wanted = [requirement for requirement in _requirements() if _belongs(requirement, extra)]
    if not wanted:  # imported from a source folder, without metadata
        return f'pip install ".[{extra}]" in the checkout'
    return _command([requirement for requirement in wanted if not _satisfied(requirement)] or wanted)


def pip_install_package(package: str) -> str:
    """The command that brings one package, in the versions that this package takes.

    Example:
        >>> pip_install_package("openpyxl")
        'pip install "openpyxl>=3.1"'
    """
    name = canonicalize_name(package)
    named = [requirement for requirement in _requirements() if canonicalize_name(requirement.name) == name]
    return _command(named[:1] or [Requirement(package)])


def missing_extra(what: str, packages: str, extra: str = "hf") -> MissingExtra:
    """The error for something that needs packages of an extra.

    Args:
        what: What cannot be done, as the subject of a sentence.
        packages: Which packages it needs.
        extra: The extra that they belong to.
    """
    return MissingExtra(f"{what} needs {packages}: {pip_install(extra)}")


def _requirements() -> list[Requirement]:
    try:
        return [Requirement(line) for line in metadata.requires(DISTRIBUTION) or ()]
    except metadata.PackageNotFoundError:
        return []


def _belongs(requirement: Requirement, extra: str) -> bool:
    marker = requirement.marker
    return marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})


def _satisfied(requirement: Requirement) -> bool:
    try:
        return requirement.specifier.contains(metadata.version(requirement.name), prereleases=True)
    except metadata.PackageNotFoundError:
        return False


def _command(requirements: list[Requirement]) -> str:
    parts = []
    for requirement in requirements:
        extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
        parts.append(f'"{requirement.name}{extras}{requirement.specifier}"')
    return f"pip install {' '.join(parts)}"
