"""Where a model comes from, a hub repository at a revision or a local folder, and the name its results carry."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from pak3h_tasks.errors import SettingsError

_WEIGHTS = (".safetensors", ".bin")


@dataclass(frozen=True)
class ModelSource:
    """A model to load.

    Attributes:
        name: ``owner/name`` on the hub, or a folder.
        revision: Commit, tag or branch of a hub model; None for a folder.
    """

    name: str
    revision: str | None = None

    @classmethod
    def parse(cls, text: str, variable: str = "PAK3H_CLASSIFIER") -> ModelSource:
        """Read ``owner/name@revision`` or a folder.

        Raises:
            SettingsError: Neither a folder that exists nor a hub name with a revision.

        Example:
            >>> ModelSource.parse("owner/model@3a5b708")
            ModelSource(name='owner/model', revision='3a5b708')
        """
        if text and Path(text).is_dir():
            return cls(text)
        name, _, revision = text.partition("@")
        owner, _, model = name.partition("/")
        if not owner or not model or "/" in model or text.startswith((".", "/", "~")):
            served = "; for one that a server has, write vllm:http://HOST:PORT" if "://" in text else ""
            near = "" if served else "; check the path or the name"
            raise SettingsError(f"{variable}: {text!r} is neither a folder nor owner/name@revision{served or near}")
        if not revision:
            raise SettingsError(
                f"{variable}: {text!r} names no revision; write {text}@COMMIT, so that the score can be repeated"
            )
        return cls(name, revision)

    @property
    def identity(self) -> str:
        """``owner/name@revision``; for a folder its name and a hash of its config and its weight files' size and time.

        Weights are not hashed in full: 13 GB would take longer to read than many a run takes.
        """
        if self.revision is not None:
            return f"{self.name}@{self.revision}"
        return f"{Path(self.name).resolve().name}#{folder_digest(Path(self.name))}"


def folder_fault(name: str) -> str | None:
    """Why a name is neither a model's folder nor a hub's name, and what to do; None: it may be one.

    The libraries say of a mistyped path that it is no repository's name, and of any other folder that a tokenizer
    cannot be made.
    """
    folder = Path(name)
    if not name.strip():
        return "no model is named; give owner/name or a folder"
    if folder.is_dir():
        if any((folder / file).is_file() for file in ("config.json", "adapter_config.json")):
            return None
        return "a folder without config.json; give the one that the model was saved in"
    if folder.exists():
        return "a file; give the folder that the model was saved in"
    return "no such folder; check the path" if name.startswith((".", "/", "~")) else None


def folder_digest(folder: Path) -> str:
    """12 hex digits over a model's config and its weight files' names, sizes and times."""
    digest = hashlib.sha256()
    config = folder / "config.json"
    if config.is_file():
        digest.update(config.read_bytes())
    for path in sorted(folder.iterdir()):
        if path.suffix in _WEIGHTS:
            stat = path.stat()
            digest.update(f"{path.name}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    return digest.hexdigest()[:12]
