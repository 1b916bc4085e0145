"""Which rows a stack sees at an update, and what of them: batches gathered when asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from .seeds import draw


class Batch:
    """B rows of every trial. Everything but ``ids`` is gathered when first asked for.

    Attributes:
        ids: int64 (K, B), positions among the trial's own training rows.
        x: scaled inputs (K, B, d).
        logits, features: of the plain inputs (K, B, q) and (K, B, h), without gradient, for
            watchers.

    Labels that the algorithm reads (``candidates``, ``given``) and its row tables are attributes
    by name. There is no truth here, unless the algorithm is an oracle.
    """

    def __init__(
        self, ids: Tensor, place: Tensor, where: Tensor, gather: Callable[[str, Batch], Tensor]
    ):
        self.ids = ids
        self.place = place  # (K * B,), in a (K * n, ...) table
        self.where = where  # (K * B,), in the shared examples
        self._gather = gather
        self.logits: Tensor
        self.features: Tensor

    def __getattr__(self, name: str) -> Tensor:
        value = self._gather(name, self)
        self.__dict__[name] = value
        return value

    def view(self, name: str) -> Tensor:
        """The inputs as ``name`` sees them (``weak``, ``strong``): a table's rows as they are."""
        return self.x


class Orders:
    """Each trial's own permutation of its rows per epoch; the last partial batch is dropped.

    Args:
        seeds: K of them.
        index: int64 (K, n), the trials' rows in the shared examples.
        batch: rows per batch.
    """

    def __init__(self, seeds: Sequence[int], index: Tensor, batch: int):
        self.seeds, self.index, self.batch = seeds, index, batch
        self.epoch = -1

    def at(self, epoch: int, j: int) -> tuple[Tensor, Tensor, Tensor]:
        """``ids``, ``place`` and ``where`` of batch ``j`` of an epoch."""
        if epoch != self.epoch:
            self._shuffle(epoch)
        return self._ids[j], self._places[j], self._wheres[j]

    def _shuffle(self, epoch: int) -> None:
        trials, n = self.index.shape
        batches = n // self.batch
        used = batches * self.batch
        permutations = [draw(seed, "order", epoch).permutation(n)[:used] for seed in self.seeds]
        order = torch.stack([torch.from_numpy(p) for p in permutations]).to(self.index.device)
        offsets = torch.arange(trials, device=self.index.device)[:, None] * n

        def by_batch(values: Tensor) -> Tensor:
            return values.view(trials, batches, self.batch).transpose(0, 1).contiguous()

        self._ids = by_batch(order)
        self._places = by_batch(order + offsets).flatten(1)
        self._wheres = by_batch(self.index.gather(1, order)).flatten(1)
        self.epoch = epoch
