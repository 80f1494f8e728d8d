"""Whether the last commit may be released: clean, one version everywhere, its changes told, project URLs given."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from install import ROOT

NAME = "pak3h_tasks"
DATED = re.compile(r"\(\d{4}-\d\d-\d\d\)")
ADDRESS = re.compile(r"https://[\w-]+(\.[\w-]+)+(:\d+)?(/[^\s\"\\]*)?")


class ReleaseError(Exception):
    """Why there is no release: one line for each reason."""


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def version_of(tree: Path) -> str:
    found = re.search(r'^__version__ = "(.+)"$', (tree / NAME / "__init__.py").read_text("utf-8"), re.MULTILINE)
    if not found:
        raise ReleaseError(f"{NAME}/__init__.py has no line __version__ = ...")
    return found[1]


def section(changelog: str, heading: str) -> tuple[str, str] | None:
    """What stands beside a heading of CHANGELOG.md, and what below it."""
    found = re.search(rf"^## {re.escape(heading)}(?![\w.])([^\n]*)\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    return (found[1].strip(), found[2].strip()) if found else None


def refusals(tree: Path, version: str, urls: dict[str, str], without_urls: bool) -> Iterator[str]:
    """What keeps the last commit from being released, each with what to do."""
    if dirty := git("status", "--porcelain").decode().splitlines():
        more = f" and {len(dirty) - 1} more" if dirty[1:] else ""
        yield f"the last commit lacks what the work tree has: {dirty[0].strip()}{more}; commit or stash"
    if not urls and not without_urls:
        yield "no project URLs: give --homepage or --repository (or PAK3H_HOMEPAGE ...), or --without-urls"
    for name, url in urls.items():
        if not ADDRESS.fullmatch(url):
            yield f"--{name.lower()} {url} is no https:// address"
    changelog = (tree / "CHANGELOG.md").read_text("utf-8")
    found = section(changelog, version)
    if found is None or not found[1]:
        yield f"CHANGELOG.md says nothing under '## {version}', the version of {NAME}/__init__.py"
    elif not DATED.fullmatch(found[0]):
        yield f"CHANGELOG.md does not say when {version} is released: write '## {version} (year-month-day)'"
    if (unreleased := section(changelog, "Unreleased")) and unreleased[1]:
        yield f"CHANGELOG.md has lines under '## Unreleased' that this commit holds: move them below '## {version}'"
    if f"\nversion: {version}\n" not in (tree / "CITATION.cff").read_text("utf-8"):
        yield f"CITATION.cff does not say version: {version}"
    if git("tag", "--list", f"v{version}") and git("rev-list", "-1", f"v{version}") != git("rev-parse", "HEAD"):
        yield f"v{version} is the tag of another commit: raise the version"
