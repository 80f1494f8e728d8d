"""Which of several processes this is, under torchrun or accelerate, and what part of the work is its own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from pak3h_tasks.errors import BackendError


@dataclass(frozen=True)
class Ranks:
    """This process among its like.

    Attributes:
        rank: Its number, from 0.
        size: How many there are.
    """

    rank: int = 0
    size: int = 1

    def wait(self) -> None:
        """Until all processes have come this far.

        Raises:
            BackendError: One of them is lost.
        """
        if self.size == 1:
            return
        import torch.distributed as dist

        try:
            dist.barrier()
        except RuntimeError as error:
            raise BackendError(
                f"process {self.rank} of {self.size}: another one is lost ({str(error).splitlines()[0][:200]}); what "
                "was classified is kept, the same command goes on from there"
            ) from None

    def share(self, keys: Sequence[bytes], known: set[bytes], lengths: Sequence[int]) -> list[int]:
        """Indices of this process's items: equal keys stay together, long and short ones are dealt out evenly.

        Args:
            keys: (n,) one an item.
            known: Keys that cost nothing.
            lengths: (n,) cost of each item.

        Example:
            >>> [Ranks(rank, 2).share([b"a", b"b", b"c", b"a"], {b"c"}, [5, 9, 1, 5]) for rank in (0, 1)]
            [[1], [0, 2, 3]]
        """
        costs = {key: 0 if key in known else length for key, length in zip(keys, lengths, strict=True)}
        ordered = sorted(costs, key=lambda key: (-costs[key], key))
        # there and back again, so that nobody has the longer one of each pair
        owner = {key: place % self.size if place // self.size % 2 == 0 else self.size - 1 - place % self.size
                 for place, key in enumerate(ordered)}  # fmt: skip
        return [index for index, key in enumerate(keys) if owner[key] == self.rank]


ALONE = Ranks()


def launched_ranks() -> Ranks:
    """This process's rank, as torchrun and accelerate put it into the environment; the processes then know each other.

    Raises:
        BackendError: The environment says that there are several, and they do not find each other.
    """
    size = int(os.environ.get("WORLD_SIZE") or 1)
    if size == 1 or "RANK" not in os.environ:
        return ALONE
    import torch.distributed as dist

    try:
        # what waits here waits for the slowest process's part
        dist.init_process_group("gloo", timeout=timedelta(days=7))
    except (RuntimeError, ValueError) as error:
        raise BackendError(
            f"WORLD_SIZE is {size}, but the processes do not find each other ({str(error).splitlines()[0][:200]}); "
            "start them with torchrun or accelerate launch, or unset WORLD_SIZE"
        ) from None
    return Ranks(dist.get_rank(), dist.get_world_size())


def leave(ranks: Ranks) -> None:
    """End the acquaintance, so that torch does not complain at exit."""
    if ranks.size > 1:
        import torch.distributed as dist

        with suppress(RuntimeError, ValueError):
            dist.destroy_process_group()
