"""What a release's wheel and sdist hold: all that is tracked, byte for byte, and nothing of anyone's machine."""

from __future__ import annotations

import email
import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

# Of no use outside the repository; all else that is tracked is in the sdist.
EXCLUDED = (".ci/", ".github/", ".gitattributes", ".pre-commit-config.yaml")
# Where the build puts what is not at its place in the wheel already.
MOVED = {
    "task_yaml/": "pak3h_tasks/task_yaml/",
    "pak3h_tasks/": "pak3h_tasks/",
    "pak3h_autoload.pth": "pak3h_autoload.pth",
}
# Names of home folders that nobody has, for examples in tests and docstrings: /home/me.
MACHINE = re.compile(rb"(?:/home/|/Users/|[A-Za-z]:\\+Users\\+)(?!(?:me|somebody)\b)[\w.-]+|/root/[\w.-]+")
# As long as real ones are; those that tests make up are shorter.
KEY = re.compile(
    rb"\bsk-[\w-]{40,}|\bhf_[A-Za-z0-9]{34}|\bgh[opsu]_[A-Za-z0-9]{36}|\bgithub_pat_\w{22,}|\bAKIA[0-9A-Z]{16}\b"
    rb"|\bAIza[\w-]{35}|\bxox[abprs]-[\w-]{20,}|\bpypi-[\w-]{50,}|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"
)

Files = dict[str, bytes]


def files_of_tree(folder: Path) -> Files:
    """Every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def files_of_archive(archive: Path) -> Files:
    """Files of a wheel, or of a tar without the one folder that all of it is in."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            return {name: opened.read(name) for name in opened.namelist() if not name.endswith("/")}
    with tarfile.open(archive) as opened:
        streams = {member.name.partition("/")[2]: opened.extractfile(member) for member in opened}
        return {name: stream.read() for name, stream in streams.items() if stream}


def expected_sdist(tree: Files) -> Files:
    """What of a tree belongs into the sdist."""
    return {name: data for name, data in tree.items() if not name.startswith(EXCLUDED)}


def expected_wheel(tree: Files) -> Files:
    """What of a tree belongs into the wheel, at its place there."""
    return {
        there + name.removeprefix(here): data
        for name, data in tree.items()
        for here, there in MOVED.items()
        if name.startswith(here)
    }


def differences(what: str, built: Files, expected: Files) -> Iterator[str]:
    """Files that are missing, not wanted or other than expected; those that the build writes are not compared."""
    built = {name: data for name, data in built.items() if name != "PKG-INFO" and ".dist-info/" not in name}
    for fault, names in (
        ("lacks", expected.keys() - built.keys()),
        ("holds what is not tracked:", built.keys() - expected.keys()),
        ("has other bytes in", {name for name in built.keys() & expected.keys() if built[name] != expected[name]}),
    ):
        if names:
            yield f"the {what} {fault} {_few(names)}"


def private_parts(what: str, files: Files, places: Iterable[Path]) -> Iterator[str]:
    """Paths of this or another machine, and what looks like a key.

    Args:
        what: What the files are, for the message.
        files: Their names and bytes.
        places: Folders of this machine that no file may name.
    """
    folders = [str(place).encode() for place in places if len(place.parts) > 2]  # /root or C:\x are words as well
    for name, data in sorted(files.items()):
        if found := MACHINE.search(data):
            yield f"the {what} names a folder of a machine in {name}: {found[0].decode()}"
        elif any(folder in data for folder in folders):
            yield f"the {what} names a folder of this machine in {name}"
        if found := KEY.search(data):
            yield f"the {what} holds what looks like a key in {name}: {found[0][:8].decode()}..."


def metadata_faults(wheel: Files, sdist: Files, version: str, urls: dict[str, str]) -> Iterator[str]:
    """What an index would show, as the settings of the release have it, the same from both files."""
    (text,) = (data for name, data in wheel.items() if name.endswith(".dist-info/METADATA"))
    if sdist.get("PKG-INFO") != text:
        yield "wheel and sdist have other metadata"
    metadata = email.message_from_bytes(text)
    found = dict(line.split(", ", 1) for line in metadata.get_all("Project-URL", []))
    for name, shown, wanted in (("Version", metadata["Version"], version), ("Project-URL", found, urls)):
        if shown != wanted:
            yield f"the metadata have {name} {shown}, the release {wanted}"


def _few(names: Iterable[str]) -> str:
    first, *others = sorted(names)
    return f"{first} and {len(others)} more" if others else first
