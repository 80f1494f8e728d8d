"""Where data comes from: the embedded sample, a folder, or a hub repository at a revision."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pak3h_tasks.data.faults import Faults
from pak3h_tasks.errors import DataError, SettingsError
from pak3h_tasks.resources import sample_dir
from pak3h_tasks.schema import DATASETS, LANGS, Dataset, Lang
from pak3h_tasks.text.escape import quoted

_PACKED = ("", ".gz")
_HUB = re.compile(r"hub:(?P<repo>[\w.-]+/[\w.-]+)(?:@(?P<revision>[\w./-]+))?", re.ASCII)


@dataclass(frozen=True)
class FolderSource:
    """A folder laid out as ``{dataset}/{lang}.jsonl``; the embedded sample is one.

    Attributes:
        text: How the user wrote it; ``sample`` for the embedded sample.
        folder: Where it is.
    """

    text: str
    folder: Path

    @property
    def is_sample(self) -> bool:
        """Whether this is the embedded sample, whose scores compare with nothing."""
        return self.folder.resolve() == sample_dir().resolve()

    @property
    def label(self) -> str:
        """Short name for signatures: ``sample``, or the folder's own name without its path."""
        if self.is_sample:
            return "sample"
        name = _plain(self.folder.resolve().name)
        # Only the embedded sample may go by that name.
        return "./sample" if name == "sample" else name


@dataclass(frozen=True)
class HubSource:
    """A hub repository with configurations ``{dataset}_{lang}``.

    Attributes:
        text: How the user wrote it.
        repo: ``owner/name``.
        revision: Commit, tag or branch.
        is_sample: Always False.
    """

    text: str
    repo: str
    revision: str
    is_sample: bool = False

    @property
    def label(self) -> str:
        """Short name for signatures: ``owner/name``."""
        return _plain(self.repo)

    @property
    def moves(self) -> bool:
        """Whether the same text may mean other data tomorrow."""
        return self.revision in ("main", "master")


Source: TypeAlias = FolderSource | HubSource


def _plain(name: str) -> str:
    # Signatures separate their parts with "|", ":" and "@".
    return re.sub(r"[^\w./-]", "_", name) or "data"


def parse_source(text: str | None) -> Source:
    """The source a user means.

    Args:
        text: None or ``sample``: the embedded sample; ``hub:owner/name@revision``; anything else is a folder.

    Raises:
        SettingsError: A hub source without a revision or with a strange name; a folder that does not exist.

    Example:
        >>> parse_source("hub:someone/pak3h@v1.0").revision
        'v1.0'
    """
    if text is None or text.strip() in ("", "sample"):
        return FolderSource("sample", sample_dir())
    if text.startswith("hub:"):
        match = _HUB.fullmatch(text)
        if match is None:
            raise SettingsError(f"data source {quoted(text)} is not of the form hub:owner/name@revision")
        if not match["revision"]:
            raise SettingsError(
                f"data source {quoted(text)} names no revision; write {text}@REVISION (a commit hash or tag), "
                "so that the same text always means the same data"
            )
        return HubSource(text, match["repo"], match["revision"])
    folder = Path(text).expanduser()
    if folder.is_file():
        raise SettingsError(f"data source {quoted(text, 300)} is a file; give the folder that holds DATASET/LANG.jsonl")
    if not folder.is_dir():
        raise SettingsError(
            f"data source {quoted(text, 300)} is no folder; give a folder with DATASET/LANG.jsonl "
            "or hub:owner/name@revision"
        )
    if not files_in(folder) and any(
        (folder / f"{lang}.jsonl{packed}").is_file() for lang in LANGS for packed in _PACKED
    ):
        raise SettingsError(
            f"data source {quoted(text, 300)} holds LANG.jsonl itself; give the folder above it, which holds "
            "DATASET/LANG.jsonl"
        )
    return FolderSource(text, folder)


def find_file(folder: Path, dataset: Dataset, lang: Lang) -> Path:
    """The file of a dataset and language in a data folder, plain or gzip.

    Raises:
        DataError: There is none, or there are both.
    """
    faults = Faults(f"{dataset}/{lang}.jsonl")
    try:
        return _one_file(folder, dataset, lang, faults)
    except OSError as error:
        faults.raise_now(f"cannot look into {quoted(str(folder), 300)} ({error.strerror}); check its permissions")


def _one_file(folder: Path, dataset: Dataset, lang: Lang, faults: Faults) -> Path:
    plain, packed = (folder / dataset / f"{lang}.jsonl{suffix}" for suffix in _PACKED)
    if plain.is_file() and packed.is_file():
        faults.raise_now(f"stands beside {packed.name} in {quoted(str(plain.parent), 300)}; remove one of them")
    if packed.is_file():
        return packed
    if not plain.is_file():
        others = sorted(path.name for path in folder.iterdir())
        there = [f"{d}/{n}" for d, n in files_in(folder)] or others[:5]
        has = f"it has {', '.join(there)}" if there else "it is empty"
        faults.raise_now(f"no such file in data folder {quoted(str(folder), 300)} ({has}); add it")
    return plain


def files_in(folder: Path) -> list[tuple[Dataset, Lang]]:
    """The datasets and languages a data folder holds, in the project's order."""
    return [
        (dataset, lang)
        for dataset in DATASETS
        for lang in LANGS
        if any((folder / dataset / f"{lang}.jsonl{suffix}").is_file() for suffix in _PACKED)
    ]


def stray_files(folder: Path) -> list[str]:
    """JSONL files of a data folder that nothing reads because their names are no ``{dataset}/{lang}.jsonl``."""
    read = {f"{dataset}/{lang}.jsonl" for dataset in DATASETS for lang in LANGS}
    found = (path.relative_to(folder).as_posix() for depth in ("*", "*/*") for path in folder.glob(f"{depth}.jsonl*"))
    return sorted(name for name in found if name.removesuffix(".gz") not in read)


def available(source: Source) -> list[tuple[Dataset, Lang]]:
    """The datasets and languages a source holds, in the project's order.

    Raises:
        DataError: The hub repository cannot be reached.
    """
    if isinstance(source, FolderSource):
        try:
            return files_in(source.folder)
        except OSError as error:
            raise DataError(f"{source.text}: cannot be read ({error.strerror}); check its permissions") from None
    from pak3h_tasks.data.hub import hub_configs

    return hub_configs(source.repo, source.revision)
