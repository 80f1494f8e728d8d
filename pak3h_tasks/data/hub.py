"""Items from a Hugging Face hub repository, through the `datasets` library; its errors become one line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pak3h_tasks.data.check_rows import RowChecker
from pak3h_tasks.data.faults import Faults
from pak3h_tasks.errors import DataError
from pak3h_tasks.schema import DATASETS, ITEM_TYPES, LANGS, Dataset, Item, Lang
from pak3h_tasks.text.escape import printable

T = TypeVar("T")


def read_hub(repo: str, revision: str, dataset: Dataset, lang: Lang) -> tuple[Item, ...]:
    """The items of configuration ``{dataset}_{lang}``, split ``test``.

    Args:
        repo: ``owner/name``.
        revision: Commit, tag or branch.
        dataset: Which dataset.
        lang: Which language.

    Raises:
        DataError: The hub or the repository cannot be reached, the configuration is not there, or rows are faulty.
    """
    config = f"{dataset}_{lang}"
    name = f"hub:{repo}@{revision} {config}"
    _refuse_shadow(repo, name)
    table = _ask_hub(name, lambda: _test_split(repo, config, revision))
    faults = Faults(name, unit="row")
    checker = RowChecker(dataset, faults)
    optional = {field for field, info in ITEM_TYPES[dataset].model_fields.items() if not info.is_required()}
    found = [checker.check(_without_nulls(row, optional), number) for number, row in enumerate(table.to_list(), 1)]
    if not found:
        faults.add("has no rows in split test; upload some")
    if faults:
        raise faults.error()
    return tuple(item for item in found if item is not None)


def hub_configs(repo: str, revision: str) -> list[tuple[Dataset, Lang]]:
    """The datasets and languages a hub repository declares.

    Raises:
        DataError: The hub or the repository cannot be reached.
    """
    import datasets

    name = f"hub:{repo}@{revision}"
    _refuse_shadow(repo, name)
    declared = set(_ask_hub(name, lambda: datasets.get_dataset_config_names(repo, revision=revision)))
    return [(dataset, lang) for dataset in DATASETS for lang in LANGS if f"{dataset}_{lang}" in declared]


def _test_split(repo: str, config: str, revision: str) -> Any:
    """What `datasets.load_dataset` does, but sure of the revision.

    When the hub cannot be reached, datasets takes whatever revision of the configuration was used last, with no more
    than a log line; so the commit of what it found is compared with the commit that was asked for.
    """
    import datasets

    builder = datasets.load_dataset_builder(repo, config, revision=revision)
    wanted = _commit(repo, revision)
    if builder.hash != wanted:
        raise DataError(
            f"the hub cannot be reached and the cache holds commit {builder.hash}, not {wanted}; "
            "go online once, or give the revision that is cached"
        )
    builder.download_and_prepare()
    return builder.as_dataset(split="test")


def _commit(repo: str, revision: str) -> str:
    """The commit a revision names: itself, or as the hub said when it was last asked, or as it says now."""
    import huggingface_hub

    if re.fullmatch(r"[0-9a-f]{40}", revision):
        return revision
    card = huggingface_hub.try_to_load_from_cache(repo, "README.md", revision=revision, repo_type="dataset")
    if isinstance(card, str):
        return Path(card).parent.name
    return str(huggingface_hub.HfApi().dataset_info(repo, revision=revision).sha)


def _refuse_shadow(repo: str, name: str) -> None:
    # datasets prefers a local folder of that name and then ignores the revision without a word.
    if Path(repo).exists():
        raise DataError(f"{name}: a local folder {repo!r} hides the hub repository; start from another folder")


def _ask_hub(name: str, ask: Callable[[], T]) -> T:
    # Broad on purpose: the hub stack raises anything from OSError to ValueError.
    try:
        return ask()
    except DataError as error:
        raise DataError(f"{name}: {error}") from None
    except Exception as error:
        said = " ".join(printable(str(error)).split())[:300]
        remedy = "check the name, the revision, the network and HF_HUB_OFFLINE (a private repository needs a login)"
        raise DataError(f"{name}: {type(error).__name__}: {said}; {remedy}") from error


def _without_nulls(row: dict[str, Any], optional: set[str]) -> dict[str, Any]:
    """Arrow fills fields that a row did not have with null; an optional one was simply not given."""
    return {name: value for name, value in row.items() if name not in optional or not _is_null(value)}


def _is_null(value: Any) -> bool:
    # A struct that was not given can come back as a struct of nulls.
    return value is None or (isinstance(value, dict) and all(entry is None for entry in value.values()))
