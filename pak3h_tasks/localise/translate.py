"""Translate items field by field: lists stay lists, equal texts are translated once, and a stopped run goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pak3h_tasks.localise.fields import LIST_FIELDS, TEXT_FIELDS, texts
from pak3h_tasks.localise.segments import segments
from pak3h_tasks.localise.translated_segments import TranslatedSegments
from pak3h_tasks.progress import Progress
from pak3h_tasks.schema import Dataset


@dataclass(frozen=True)
class Translation:
    """One translated text; `cut`: it reached the model's limit before its end."""

    text: str
    cut: bool


class Translator(Protocol):
    """What `translate_items` needs of a model."""

    def count_tokens(self, text: str) -> int:
        """Length of a text in the model's tokens."""

    def translate(self, texts: Sequence[str]) -> list[Translation]:
        """Translate a batch, in order."""


@dataclass(frozen=True)
class Translated:
    """Translated items and how it went.

    Attributes:
        items: Same fields, ids and order as the originals.
        pieces: Different texts or parts of long texts that were translated.
        resumed: How many of them an earlier run had finished.
        cut: How many reached the model's length limit.
        untranslated: How many the model answered with nothing; the original stands there.
    """

    items: list[dict[str, Any]]
    pieces: int
    resumed: int
    cut: int
    untranslated: int


def translate_items(
    dataset: Dataset,
    items: Sequence[dict[str, Any]],
    translator: Translator,
    progress: TranslatedSegments,
    *,
    limit: int,
    batch_size: int,
) -> Translated:
    """Translate the texts of `items`; every other field is kept.

    Args:
        dataset: Whose fields they have.
        items: Items as dicts.
        translator: The model.
        progress: Finished pieces, old and new.
        limit: The most tokens of a piece; longer texts are split.
        batch_size: Pieces at once, longest first, so that a batch holds little padding and memory runs out early.
    """
    count = _remembered(translator.count_tokens)
    split = {text: segments(text, count, limit) for item in items for _, text in texts(dataset, item)}
    wanted = {piece for pieces in split.values() for piece, to_translate in pieces if to_translate}
    resumed = len(wanted & set(progress.done))
    missing = sorted(wanted - set(progress.done), key=lambda piece: (-count(piece), piece))
    with Progress(f"translating {dataset}", len(wanted), unit="text", done=resumed) as bar:
        for start in range(0, len(missing), batch_size):
            batch = missing[start : start + batch_size]
            progress.add(
                {"source": source, "target": target.text, "cut": target.cut}
                for source, target in zip(batch, translator.translate(batch), strict=True)
            )
            bar.add(len(batch))
    done = progress.done
    whole = {
        text: "".join(done[piece]["target"] or piece if to_translate else piece for piece, to_translate in pieces)
        for text, pieces in split.items()
    }
    return Translated(
        items=[_translated(dataset, item, whole) for item in items],
        pieces=len(wanted),
        resumed=resumed,
        cut=sum(done[piece]["cut"] for piece in wanted),
        untranslated=sum(not done[piece]["target"] for piece in wanted),
    )


def _translated(dataset: Dataset, item: dict[str, Any], whole: Mapping[str, str]) -> dict[str, Any]:
    return item | {
        name: [whole[text] for text in item[name]] if name in LIST_FIELDS else whole[item[name]]
        for name in TEXT_FIELDS[dataset]
    }


def _remembered(count: Callable[[str], int]) -> Callable[[str], int]:
    known: dict[str, int] = {}

    def counted(text: str) -> int:
        if text not in known:
            known[text] = count(text)
        return known[text]

    return counted
