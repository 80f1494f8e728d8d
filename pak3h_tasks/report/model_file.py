"""``pak3h_model.json``, beside runs: what their model is called, and where it is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from pak3h_tasks.data.sample_log import Run
from pak3h_tasks.files import unusable, write_text

NAME = "pak3h_model.json"
_TEXT = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class ModelFile(BaseModel):
    """Names every run in its folder and below; the nearest one upwards counts. What a newer version adds is ignored.

    Attributes:
        name: Shown wherever the model is named.
        id: ``developer/model``, under which it is published.
        url: A page about it.
        settings: How it was run, for the reader.
    """

    model_config = ConfigDict(frozen=True)

    name: _TEXT
    id: _TEXT | None = None
    url: Annotated[str, StringConstraints(pattern=r"^https?://\S+$")] | None = None
    settings: dict[str, Any] = Field(default_factory=dict)


def write_model_file(folder: Path, content: ModelFile) -> None:
    """Write it into a folder of runs.

    Raises:
        DataError: It cannot be written.
    """
    text = json.dumps(content.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False, indent=1)
    write_text(folder / NAME, f"{text}\n", make_folder=True)


def read_model_file(path: Path, warn: Callable[[str], None]) -> ModelFile | None:
    """Read one; None where it cannot be used.

    Args:
        path: The file.
        warn: Told, in one line, what is wrong with it.
    """
    try:
        content = json.loads(path.read_bytes())
        return ModelFile.model_validate(content)
    except OSError as error:
        fault = unusable(error)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        fault = f"{f'{field}: ' if field else ''}{first['msg'].lower()}; mend it"
    except (ValueError, RecursionError):
        fault = "no JSON; mend it"
    warn(f"{path}: {fault}, or the runs keep their own names")
    return None


def model_file_path(run: Run) -> Path | None:
    """The nearest file from a run's folder upwards, not above the folder that was given; None: there is none."""
    root = run.root or run.folder
    for folder in (run.folder, *run.folder.parents):
        if (path := folder / NAME).is_file():
            return path
        if folder == root:
            break
    return None


def model_file_of(run: Run, warn: Callable[[str], None]) -> ModelFile | None:
    """What a run's model file says; None: there is none, or it cannot be used.

    Args:
        run: From `find_runs`.
        warn: As for `read_model_file`.
    """
    path = model_file_path(run)
    return read_model_file(path, warn) if path else None
