"""Load a dataset in one language, from the embedded sample, a folder or the hub, with its fingerprint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Literal, TypeVar, overload

from pak3h_tasks.data.fingerprint import fingerprint
from pak3h_tasks.data.hub import read_hub
from pak3h_tasks.data.plausibility import plausibility_warnings
from pak3h_tasks.data.sources import FolderSource, Source, find_file, parse_source
from pak3h_tasks.data.validate import read_items
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.schema import (
    DATASETS,
    LANGS,
    SPLITS,
    Dataset,
    HarmlessItem,
    HelpfulItem,
    HonestItem,
    Item,
    Lang,
    Localization,
)
from pak3h_tasks.text.escape import quoted

AnyItem = TypeVar("AnyItem", bound=Item)
AnyItem_co = TypeVar("AnyItem_co", bound=Item, covariant=True)

SAMPLE_NOTICE = (
    "the embedded sample is about 30 items of original text, made for trying things out: its scores are NOT comparable "
    "with published ones; set PAK3H_DATA to a data folder or hub:owner/name@revision for real results"
)


@dataclass(frozen=True)
class LoadedSet(Generic[AnyItem_co]):
    """A dataset in one language, checked.

    Attributes:
        dataset: truthfulqa, alpaca or beavertails.
        lang: ur, en or urmt.
        items: In file order.
        fingerprint: Sha256 of the items (`pak3h_tasks.data.fingerprint`), 64 hex digits.
        source: As the user wrote it; ``sample`` for the embedded sample.
        label: Short name of the source for signatures.
        is_sample: Whether it is the embedded sample; then `SAMPLE_NOTICE` belongs beside every result.
        warnings: Suspicious but usable things, one line each.
    """

    dataset: Dataset
    lang: Lang
    items: tuple[AnyItem_co, ...]
    fingerprint: str
    source: str
    label: str
    is_sample: bool
    warnings: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """Source and fingerprint as signatures carry them, such as ``sample@3f2c9a1b``."""
        return f"{self.label}@{self.fingerprint[:8]}"


@overload
def load(dataset: Literal["truthfulqa"], lang: Lang, source: str | Source | None = None) -> LoadedSet[HonestItem]: ...


@overload
def load(dataset: Literal["alpaca"], lang: Lang, source: str | Source | None = None) -> LoadedSet[HelpfulItem]: ...


@overload
def load(
    dataset: Literal["beavertails"], lang: Lang, source: str | Source | None = None
) -> LoadedSet[HarmlessItem]: ...


@overload
def load(dataset: Dataset, lang: Lang, source: str | Source | None = None) -> LoadedSet[Item]: ...


def load(dataset: Dataset, lang: Lang, source: str | Source | None = None) -> LoadedSet[Item]:
    """Load and check one dataset in one language.

    Args:
        dataset: truthfulqa, alpaca or beavertails.
        lang: ur, en or urmt.
        source: None: the embedded sample; a folder; or ``hub:owner/name@revision``.

    Raises:
        SettingsError: No such dataset or language, or a source that makes no sense.
        DataError: The data cannot be used; one line a fault.
    """
    if dataset not in DATASETS:
        raise SettingsError(f"no dataset {quoted(dataset)}; use {', '.join(DATASETS)}")
    if lang not in LANGS:
        raise SettingsError(f"no language {quoted(lang)}; use {', '.join(LANGS)}")
    place = parse_source(source) if source is None or isinstance(source, str) else source
    if isinstance(place, FolderSource):
        path = find_file(place.folder, dataset, lang)
        items = read_items(path, dataset, name=f"{dataset}/{path.name}")
        return _loaded(dataset, lang, items, place)
    items = read_hub(place.repo, place.revision, dataset, lang)
    moves = f"{place.text}: a branch can move; give a commit hash or tag for results that last"
    return _loaded(dataset, lang, items, place, (moves,) if place.moves else ())


def load_file(path: Path, dataset: Dataset, lang: Lang) -> LoadedSet[Item]:
    """Load and check a single JSONL file, wherever it lies.

    Raises:
        DataError: The file cannot be used; one line a fault.
    """
    return _loaded(dataset, lang, read_items(path, dataset), FolderSource(str(path), path.parent))


def _loaded(
    dataset: Dataset, lang: Lang, items: tuple[Item, ...], place: Source, warnings: tuple[str, ...] = ()
) -> LoadedSet[Item]:
    return LoadedSet(
        dataset=dataset,
        lang=lang,
        items=items,
        fingerprint=fingerprint(items),
        source=place.text,
        label=place.label,
        is_sample=place.is_sample,
        warnings=warnings + plausibility_warnings(dataset, lang, items),
    )


def split(items: Sequence[AnyItem], localization: Localization | None) -> tuple[AnyItem, ...]:
    """The items of one localization, in order; None: all of them.

    Raises:
        SettingsError: No such localization.
    """
    if localization is None:
        return tuple(items)
    if localization not in SPLITS:
        raise SettingsError(f"no split {quoted(localization)}; use {', '.join(SPLITS)}")
    return tuple(item for item in items if item.localization == localization)
