"""The items a task asks about, and the distinct prompts of BeaverTails: one id and one split each (docs/data.md).

The paper labels prompt-response pairs, and pairs of one prompt may carry different labels; an evaluated model sees the
prompt alone, once. Every count of prompts and every document of a task goes through `asked`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pak3h_tasks.schema import SPLITS, HarmlessItem, Item, Localization

_NUMBER = re.compile(r"([0-9]+)")


@dataclass(frozen=True)
class Prompt:
    """A distinct prompt and its pairs.

    Attributes:
        item: The pair that stands for it: the one with the smallest id, in the prompt's split.
        pairs: All its pairs, in file order.
    """

    item: HarmlessItem
    pairs: tuple[HarmlessItem, ...]

    @property
    def is_mixed(self) -> bool:
        """Whether its pairs carry different labels."""
        return len({pair.localization for pair in self.pairs}) > 1


def distinct_prompts(items: Sequence[Item]) -> tuple[Prompt, ...]:
    """The distinct prompts of beavertails items, in order of first appearance; other items are passed over.

    A prompt's id is the smallest id of its pairs (numbers inside ids count as numbers, so ``b-9`` is before ``b-10``),
    whatever the order of the file. Its split is the label of most of its pairs; of equally many, the one nearest to
    the original (dt before lc before li), since a text that was good enough as a direct translation once is one.
    """
    pairs: dict[str, list[HarmlessItem]] = {}
    for item in items:
        if isinstance(item, HarmlessItem):
            pairs.setdefault(item.prompt, []).append(item)
    return tuple(_prompt(group) for group in pairs.values())


def asked(items: Sequence[Item], localization: Localization | None = None) -> tuple[Item, ...]:
    """The items a task asks about: all of them, but of beavertails one for each distinct prompt.

    Args:
        items: Of the whole dataset, so that whole and split tasks see the same prompts: the splits partition them.
        localization: Only this split; None: all.
    """
    kept = [item for item in items if not isinstance(item, HarmlessItem)]
    kept += [prompt.item for prompt in distinct_prompts(items)]
    return tuple(item for item in kept if localization in (None, item.localization))


def _prompt(pairs: Sequence[HarmlessItem]) -> Prompt:
    labels = Counter(pair.localization for pair in pairs)
    split = max(SPLITS, key=lambda label: (labels[label], -SPLITS.index(label)))
    first = min(pairs, key=lambda pair: _natural(pair.id))
    item = first if first.localization == split else first.model_copy(update={"localization": split})
    return Prompt(item, tuple(pairs))


def _natural(name: str) -> tuple[list[tuple[int, int, str]], str]:
    # ids that differ in leading zeros alone are told apart by the text itself
    parts = [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _NUMBER.split(name) if part]
    return parts, name
