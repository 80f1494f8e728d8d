"""Uploading what `publish` wrote to a repository on the Hugging Face hub, in one commit; the token is HF_TOKEN."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pak3h_tasks.errors import DataError, SettingsError, described
from pak3h_tasks.publish.model_id import checked_id
from pak3h_tasks.publish.publish import Published, PublishedModel
from pak3h_tasks.text.escape import one_line

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_DATASETS = "datasets/"
_CARD = "README.md"


def push(published: Published, target: str, tell: Callable[[str], None]) -> str:
    """Upload, in one commit: the card and `.eval_results` to a model's repository, or `data/` to a dataset's.

    A model's own card is kept: the numbers go into its metadata and under a heading of their own.

    Args:
        published: What was written.
        target: ``owner/name`` of a model, or ``datasets/owner/name``; it must be there already.
        tell: Told each file before anything is sent, and the commit after.

    Returns:
        Address of the commit.

    Raises:
        SettingsError: No HF_TOKEN.
        DataError: The target is no repository, it or the hub cannot be reached or written to, or what was written has
            no place in it.
    """
    token = os.environ.get("HF_TOKEN", "").strip()
    is_dataset = target.startswith(_DATASETS)
    repo = checked_id(target.removeprefix(_DATASETS), "--push")
    if not token:
        raise SettingsError("--push: set HF_TOKEN to a token that may write to the repository (hf.co/settings/tokens)")
    files = dict(_records(published) if is_dataset else _model_files(published))
    from huggingface_hub import CommitOperationAdd, HfApi

    tell(f"to {target}:")
    for name in files:
        tell(f"  {name}")
    api = HfApi(token=token)
    try:
        kind = "dataset" if is_dataset else "model"
        # the commit that the card is taken from: what somebody else pushes meanwhile is not overwritten
        parent = api.repo_info(repo, repo_type=kind).sha
        contents: dict[str, Path | bytes] = dict(files)
        if not is_dataset:
            contents[_CARD] = _merged_card(api, repo, parent, published)
        commit = api.create_commit(
            repo_id=repo,
            repo_type=kind,
            operations=[CommitOperationAdd(name, content) for name, content in contents.items()],
            commit_message="Add Pak3H evaluation results",
            parent_commit=parent,
        )
    except DataError:
        raise
    except Exception as error:  # noqa: BLE001 - the hub's client raises anything from OSError to ValueError
        raise DataError(f"--push {target}: {_reason(error).replace(token, '***')}") from None
    tell(f"pushed: {len(files)} files, {commit.commit_url}")
    return str(commit.commit_url)


def _records(published: Published) -> Iterator[tuple[str, Path]]:
    for model in published.models:
        for path in model.records:
            yield path.relative_to(published.folder).as_posix(), path


def _model_files(published: Published) -> Iterator[tuple[str, Path]]:
    model = _only(published)
    if without := [name for name in model.dataset_ids if "/" not in name]:
        raise DataError(
            f"--push: the data is called {', '.join(without)}, which is no dataset on the hub; name it with "
            "--dataset-id OWNER/NAME"
        )
    for path in (model.card, *model.eval_results):
        yield path.relative_to(model.card.parent).as_posix(), path


def _only(published: Published) -> PublishedModel:
    if len(published.models) != 1:
        raise DataError(
            f"--push: a model's repository takes one model, and here are {len(published.models)}; publish each by "
            "itself, or push the records of all to datasets/OWNER/NAME"
        )
    return published.models[0]


def _merged_card(api: HfApi, repo: str, commit: str | None, published: Published) -> bytes:
    """Our numbers in the repository's own card; ours alone where it has none."""
    from huggingface_hub.errors import RemoteEntryNotFoundError

    try:
        there = api.hf_hub_download(repo, _CARD, revision=commit, force_download=True)
    except RemoteEntryNotFoundError:  # not its parent class: a hub that is down says nothing of what is there
        existing = ""
    else:
        existing = Path(there).read_text(encoding="utf-8-sig")
    return _only(published).card_over(existing).encode()


def _reason(error: Exception) -> str:
    from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError

    if isinstance(error, RepositoryNotFoundError):
        return "there is no such repository, or HF_TOKEN may not see it; make it on the hub first"
    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code if error.response is not None else 0
        if status in (401, 403):
            return f"HF_TOKEN may not write there (HTTP {status}); take a token with write access"
        if status:
            return f"the hub answered HTTP {status}; nothing is pushed, try again later"
    return f"{one_line(described(error), 300)}; check the network, HF_ENDPOINT and HF_HUB_OFFLINE, and push again"
