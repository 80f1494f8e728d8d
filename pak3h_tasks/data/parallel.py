"""Warnings about files of one dataset that should hold the same items in several languages and do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pak3h_tasks.data.plausibility import first_ids
from pak3h_tasks.data.prompts import distinct_prompts
from pak3h_tasks.schema import Dataset, Item, Lang


def parallel_warnings(dataset: Dataset, files: Mapping[Lang, Sequence[Item]], base: Lang = "en") -> tuple[str, ...]:
    """Compare every other language with one of them, by id.

    Args:
        dataset: Which dataset the files are of.
        files: Items of each language that is there.
        base: The language the others are compared with; where it is not there, nothing is.

    Returns:
        One line each for ids that do not pair (with counts both ways), localization labels that differ,
        and ids in another order (``--limit`` would then take other items).
    """
    if base not in files:
        return ()
    based = {item.id: item for item in files[base]}
    warnings: list[str] = []
    for lang, items in files.items():
        if lang == base:
            continue
        others = {item.id: item for item in items}
        only = {
            lang: [name for name in others if name not in based],
            base: [name for name in based if name not in others],
        }
        if any(only.values()):
            counts = (f"{len(ids):,} ids are only in {where} ({first_ids(ids)})" for where, ids in only.items() if ids)
            warnings.append(f"{dataset}: {lang} and {base} do not pair: {' and '.join(counts)}")
        shared = [name for name in others if name in based]
        differ = [name for name in shared if others[name].localization != based[name].localization]
        if differ:
            count = f"{len(differ):,} ids have another localization in {lang} than in {base}"
            warnings.append(f"{dataset}: {count} ({first_ids(differ)})")
        apart = _joined_differently(others.values(), based.values())
        if apart:
            count = f"{len(apart):,} pairs belong to a prompt with another id in {lang} than in {base}"
            warnings.append(f"{dataset}: {count} ({first_ids(apart)}); prompts are compared by id")
        if shared != [name for name in based if name in others]:
            warnings.append(f"{dataset}: {lang} and {base} hold their ids in another order; --limit takes other items")
    return tuple(warnings)


def _joined_differently(ours: Iterable[Item], theirs: Iterable[Item]) -> list[str]:
    """Ids of beavertails pairs, in both files, whose prompt has another id here than there."""
    prompts = [
        {pair.id: prompt.item.id for prompt in distinct_prompts(list(items)) for pair in prompt.pairs}
        for items in (ours, theirs)
    ]
    return [name for name, prompt in prompts[0].items() if prompts[1].get(name, prompt) != prompt]
