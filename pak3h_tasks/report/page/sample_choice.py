"""Which items of a long log a page shows: all, or as many as have room, half drawn at random and half telling ones."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """Items to show.

    Attributes:
        ids: In the log's order.
        drawn: Those of a plain random draw; the others were picked because they are telling.
    """

    ids: tuple[str, ...]
    drawn: frozenset[str]


def choose(ids: Sequence[str], telling: Collection[str], most: int, seed: int = 0) -> Choice:
    """All items or, where they are more than `most`, a random draw and telling ones, about half and half.

    Args:
        ids: In log order, each once.
        telling: Those where results differ between languages or models, or a verdict is missing.
        most: How many have room.
        seed: Of the draw; the same ids give the same draw in any order.

    Example:
        >>> choose(["a", "b", "c", "d"], {"d"}, most=2).ids
        ('c', 'd')
        >>> choose(["a", "b"], {"b"}, most=2) == Choice(("a", "b"), frozenset("ab"))
        True
    """
    if len(ids) <= most:
        return Choice(tuple(ids), frozenset(ids))
    shuffled = sorted(ids)
    random.Random(f"pak3h page {seed}").shuffle(shuffled)
    shown = set([identifier for identifier in shuffled if identifier in telling][: most // 2])
    drawn = set()
    # the draw is the front of the shuffled ids whatever was picked, so it is a fair sample
    for identifier in shuffled:
        if identifier not in shown and len(shown) >= most:
            break
        shown.add(identifier)
        drawn.add(identifier)
    return Choice(tuple(identifier for identifier in ids if identifier in shown), frozenset(drawn))


def shares(needs: Sequence[float], room: float) -> list[float]:
    """Room for each of several logs: small ones whole, the rest in equal parts.

    Example:
        >>> shares([10, 500, 800], 610), shares([10, 20], 100)
        ([10, 300.0, 300.0], [10, 20])
    """
    found = [0.0] * len(needs)
    order = sorted(range(len(needs)), key=lambda place: needs[place])
    for done, place in enumerate(order):
        found[place] = min(needs[place], room / (len(needs) - done))
        room -= found[place]
    return found
