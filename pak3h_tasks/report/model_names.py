"""What models are called: by their file's name, else by lm-eval's; of a path its last folder, and never two alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pak3h_tasks.backends.protocol import name_without_folders
from pak3h_tasks.data.sample_log import Run, model_name
from pak3h_tasks.report.model_file import model_file_path, read_model_file

_MAX_CHARS = 120
# lm_eval.utils.sanitize_model_name, 0.4.13: how it calls the folder of a model
_UNSAFE = re.compile(r"[\"<>:/|\\?*\[\]]+")


@dataclass(frozen=True)
class _Called:
    """A model's name, and the folders that tell it from another of that name, outermost first."""

    name: str
    folders: tuple[str, ...] = ()
    is_path: bool = False

    def text(self, depth: int) -> str:
        shown = "/".join(self.folders[-depth:]) if depth else ""
        if self.is_path:
            return "/".join(filter(None, (shown, self.name)))
        return f"{self.name} ({shown})" if shown else self.name


def named(runs: Sequence[Run], warn: Callable[[str], None], beside: Sequence[Run] = ()) -> list[Run]:
    """The runs with the name that their model is shown by; runs of one model have one name, others have another.

    Args:
        runs: From `find_runs`.
        warn: Told, in one line each, of model files that cannot be used.
        beside: Runs of models that are shown together with these.
    """
    files = {run.folder: model_file_path(run) for run in (*runs, *beside)}
    read = {path: read_model_file(path, warn) for path in dict.fromkeys(filter(None, files.values()))}
    names = {path: content.name for path, content in read.items() if content is not None}

    def key(run: Run) -> Path | str:
        path = files[run.folder]
        return path if path is not None and path in names else run.model

    called = {one: _called(one, names) for one in dict.fromkeys(map(key, (*runs, *beside)))}
    texts = dict(zip(called, _told_apart(list(called.values())), strict=True))
    renamed = [replace(run, model=texts[key(run)]) for run in runs]
    return sorted(renamed, key=lambda run: (run.model, run.date, run.scored, str(run.folder)))


def _called(model: Path | str, names: dict[Path, str]) -> _Called:
    if isinstance(model, Path):
        name = " ".join(names[model].split())
        return _Called(_cut(name), model.parent.parts[1:])
    name = name_without_folders(model)
    folders = [part for part in re.split(r"[/\\]", model) if part][:-1] if name != model else []
    return _Called(_cut(name), tuple(folders), is_path=name != model)


def _cut(name: str) -> str:
    return name if len(name) <= _MAX_CHARS else f"{name[: _MAX_CHARS - 1]}…"


def _told_apart(models: Sequence[_Called]) -> list[str]:
    """Each with as many of its folders as tell it from the others."""
    depths = [0] * len(models)
    while True:
        texts = [model.text(depth) for model, depth in zip(models, depths, strict=True)]
        counts = Counter(texts)
        deeper = [
            counts[text] > 1 and depth < len(model.folders)
            for model, depth, text in zip(models, depths, texts, strict=True)
        ]
        if not any(deeper):
            break
        depths = [depth + grows for depth, grows in zip(depths, deeper, strict=True)]
    # what is cut to one length, or written with other separators
    seen: Counter[str] = Counter()
    for place, text in enumerate(texts):
        seen[text] += 1
        texts[place] = text if seen[text] == 1 else f"{text} #{seen[text]}"
    return texts


def without_folders(text: str, roots: Iterable[Path], models: Collection[str] = ()) -> str:
    """A text without the folders of this machine: pages and files are passed on.

    Args:
        text: It may name files.
        roots: Folders that were given; files are named from there.
        models: lm-eval's names of models: the folder of one that is a path is named after all of it.

    Example:
        >>> without_folders("/home/me/runs/__home__me__m/a.json: cut off", [Path("/home/me/runs")], ["/home/me/m"])
        '…m/a.json: cut off'
    """
    for root in sorted(map(str, roots), key=len, reverse=True):
        text = text.replace(root.rstrip("/\\") + "/", "").replace(root.rstrip("/\\") + "\\", "")
    for model in models:
        if (name := name_without_folders(model)) != model:
            text = text.replace(_UNSAFE.sub("__", model), f"…{_UNSAFE.sub('__', name)}").replace(model, name)
    return text


def models_of(runs: Iterable[Run]) -> set[str]:
    """lm-eval's own names of the runs' models."""
    return {name for run in runs if (name := model_name(run.results))}
