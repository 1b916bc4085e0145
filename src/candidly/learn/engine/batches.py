"""Which rows a stack sees at an update, and what of them: batches gathered when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ...ground.seeds import draw
from ..algorithms import Algorithm
from ..views import gaussian_noise
from .examples import Examples
from .viewing import MethodViews


class BatchRows(NamedTuple):
    """Row numbers of a batch.

    Attributes:
        ids: int64 (K, B), or (K, M, B) for a batch per network: positions among the trial's rows.
        table_rows: (ids.numel(),), in a (K * n, ...) table.
        data_rows: (ids.numel(),), in the shared examples.
        on_host: () -> ``data_rows`` on the host, for which an accelerator is waited for at most
            once an epoch.
    """

    ids: Tensor
    table_rows: Tensor
    data_rows: Tensor
    on_host: Callable[[], Tensor]


class StackBatch:
    """B rows of every trial. Everything but ``ids`` is gathered when first asked for.

    Attributes:
        ids: int64 (K, B), positions among the trial's own training rows; (K, M, B) where each
            network has rows of its own, and then everything else has that axis too.
        x: scaled inputs (K, B, d); of texts int64 (K, B, L), padded to the longest of the batch.
        logits, features: of ``x``, (K, B, q) and (K, B, h), without gradient, for watchers.
        name: the name of its views' random numbers.
        repeats: whether a row may be in it more than once.

    Labels that the algorithm reads (``candidates``, ``given``) and its row tables are attributes
    by name. There is no truth here, unless the algorithm is an oracle.
    """

    def __init__(
        self,
        rows: BatchRows,
        gather: Callable[[str, StackBatch], Tensor],
        change: Callable[[str, int, StackBatch], Tensor],
        name: str = "0",
        repeats: bool = False,
    ):
        self.ids, self.table_rows, self.data_rows, self.rows_on_host = rows
        self.name, self.repeats = name, repeats
        self._gather, self._change = gather, change
        self.logits: Tensor
        self.features: Tensor

    def __getattr__(self, name: str) -> Tensor:
        value = self._gather(name, self)
        self.__dict__[name] = value
        return value

    def view(self, name: str, draw: int = 0) -> Tensor:
        """The inputs as one of the algorithm's views sees them, (K, B, d).

        The same view of a batch is the same tensor; another ``draw`` has other random numbers.
        """
        key = f"view {name} {draw}"
        if key not in self.__dict__:
            self.__dict__[key] = self._change(name, draw, self)
        return self.__dict__[key]

    def grad_of(self, name: str) -> Tensor | None:
        """The gradient of learned rows; None where the objective did not ask for them."""
        rows = self.__dict__.get(name)
        return None if rows is None else rows.grad

    def summed(self, values: Tensor) -> Tensor:
        """Values (K, B, ...) with each row's sum over its repetitions in place of its own."""
        if not self.repeats:
            return values
        rows, group = self.table_rows.unique(return_inverse=True)
        flat = values.flatten(0, 1)
        total = flat.new_zeros((len(rows), *flat.shape[1:]))
        if flat.device.type == "cpu":
            total.index_add_(0, group, flat)
        else:  # which there would add in any order; this sorts first
            total.index_put_((group,), flat, accumulate=True)
        return total[group].view_as(values)

    def latest(self, values: Tensor) -> Tensor:
        """Values (K, B, ...) with those of a row's last repetition in place of all of its own."""
        if not self.repeats:
            return values
        rows, group = self.table_rows.unique(return_inverse=True)
        positions = torch.arange(len(group), device=group.device)
        last = torch.zeros_like(rows).scatter_reduce_(0, group, positions, "amax")
        return values.flatten(0, 1)[last[group]].view_as(values)


class Orders:
    """Each trial's own permutation of its rows per epoch.

    Where an epoch's batches are fewer than the rows, the last rows are left out; where they are
    more, the first ones come once more.

    Args:
        seeds: K of them.
        index: int64 (K, n), the trials' rows in the shared examples.
        batch: rows per batch.
        epoch: batches per epoch.
        name: the name of its random numbers.
    """

    def __init__(
        self, seeds: Sequence[int], index: Tensor, batch: int, epoch: int, name: str = "order"
    ):
        self.seeds, self.index, self.batch, self.name = seeds, index, batch, name
        self.used = epoch * batch
        self.epoch = -1

    def at(self, epoch: int, j: int) -> BatchRows:
        """The rows of batch ``j`` of an epoch."""
        if epoch != self.epoch:
            n = self.index.shape[1]
            every = (draw(seed, self.name, epoch).permutation(n) for seed in self.seeds)
            order = [np.resize(own, self.used) for own in every]
            self._cut = Cut(torch.from_numpy(np.stack(order)), self.index, self.batch)
            self.epoch = epoch
        return self._cut.at(j)


class Draws:
    """An epoch's rows that a method chose; arguments as for ``Orders``.

    Args:
        order: int64 (K, E * B), or (K, M, E * B) with a batch per network.
    """

    def __init__(self, order: Tensor, index: Tensor, batch: int):
        self.order = order.to(index.device)
        self._cut = Cut(self.order, index, batch)

    def at(self, j: int) -> BatchRows:
        """The rows of the epoch's batch ``j``."""
        return self._cut.at(j)


class Samplers:
    """Where the batches of a stack's steps come from, by their number; arguments as for ``Orders``.

    Attributes:
        draws: the draws of the samplers that are functions, in the epoch that goes on.
    """

    def __init__(self, seeds: Sequence[int], index: Tensor, batch: int, epoch: int):
        self.seeds, self.index, self.batch, self.epoch = seeds, index, batch, epoch
        self.draws: dict[int, Draws] = {}
        self._uniform: dict[int, Orders] = {}

    def uniform(self, number: int) -> Orders:
        """Permutations of all rows, other ones for every number."""
        if number not in self._uniform:
            name = f"order {number}" if number else "order"
            self._uniform[number] = Orders(self.seeds, self.index, self.batch, self.epoch, name)
        return self._uniform[number]

    def draw(self, number: int, chances: Tensor, when: int) -> None:
        """Draw an epoch's rows.

        Args:
            chances: (K, n) or (K, M, n). bool: these rows, shuffled anew whenever all have been
                taken. float: in proportion, with replacement; what is negative or not finite
                counts as 0. Where no row is left, all are drawn from alike. int64, the last axis
                E * B long: the rows themselves.
            when: updates done.

        Raises:
            ValueError: ``chances`` has another shape, or rows that are not there.
        """
        trials, n = self.index.shape
        count = self.epoch * self.batch
        if chances.dtype == torch.int64:
            self.take(number, _checked(chances, trials, n, count))
            return
        if chances.dim() not in (2, 3) or (chances.shape[0], chances.shape[-1]) != (trials, n):
            raise ValueError(
                f"a sampler returned {tuple(chances.shape)}; it must be ({trials}, {n}), or have "
                "the networks' axis between these."
            )
        take = in_turn if chances.dtype == torch.bool else in_proportion
        each = chances.detach().cpu().reshape(trials, -1, n).numpy()
        order = [
            take(some, count, draw(seed, f"draw {number} {m}", when))
            for seed, own in zip(self.seeds, each)
            for m, some in enumerate(own)
        ]
        shape = (*chances.shape[:-1], count)
        self.take(number, torch.from_numpy(np.stack(order)).view(shape))

    def take(self, number: int, order: Tensor) -> None:
        """Go on with rows that were drawn before."""
        self.draws[number] = Draws(order, self.index, self.batch)


class Feed:
    """What a stack's batches hold.

    Args:
        rows: row tables (K, n, ...) by name, as they are when a batch is asked.
        scaling: shift and factor, each (K, 1, ...) to broadcast against a batch, or None.
        words: for texts, what each token number is, int64 (K, size + 1), or None.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        examples: Examples,
        rows: Mapping[str, Tensor],
        scaling: tuple[Tensor, Tensor] | None,
        samplers: Samplers,
        views: MethodViews,
        words: Tensor | None = None,
    ):
        self.algorithm, self.examples, self.rows = algorithm, examples, rows
        self.scaling, self.samplers, self.views = scaling, samplers, views
        self.words = words

    def batches(self, s: Any) -> list[StackBatch]:
        """The batches of the next update of the stack ``s``, one for each sampler of its stage."""
        batches = []
        for number, sampler in enumerate(s.stage.samplers):
            starts = s.t % s.E == 0 or number not in self.samplers.draws or s.enters()
            if callable(sampler) and starts:
                with torch.no_grad():
                    self.samplers.draw(number, sampler(s), s.t)
            rows = self._rows_at(s, number, s.t)
            batches.append(self._made(s, rows, str(number), callable(sampler)))
        return batches

    def rows_at(self, s: Any, t: int) -> Tensor:
        """The rows of the first batch behind ``t`` updates, (K, B) or (K, M, B).

        Args:
            t: of this epoch and stage, for which ``batches`` was called.
        """
        return self._rows_at(s, 0, t).ids

    def _rows_at(self, s: Any, number: int, t: int) -> BatchRows:
        epoch, j = divmod(t, s.E)
        if callable(s.stage.samplers[number]):
            return self.samplers.draws[number].at(j)
        return self.samplers.uniform(number).at(epoch, j)

    def batch(self, s: Any, ids: Tensor, name: str) -> StackBatch:
        """A batch of these rows, (K, B) positions among the trials' own; they may repeat."""
        index = self.samplers.index
        return self._made(s, Cut(ids, index, ids.shape[-1]).at(0), name, True)

    def _made(self, s: Any, rows: BatchRows, name: str, repeats: bool) -> StackBatch:
        return StackBatch(rows, partial(self.gather, s), partial(self.change, s), name, repeats)

    def gather(self, s: Any, name: str, batch: StackBatch) -> Tensor:
        if name == "x":
            return self._inputs(s, batch, self.views.x, f"x {batch.name}")
        if name in self.rows:
            table, at = self.rows[name].flatten(0, 1), batch.table_rows
        elif name in self.examples.labels:
            table, at = self.examples.labels[name], batch.data_rows
        else:
            raise AttributeError(
                f"{self.algorithm.name} asks its batch for {name!r}, which is no row table and "
                f"not among the labels it reads ({', '.join(self.examples.labels)})"
            )
        value = table.index_select(0, at).view(*batch.ids.shape, *table.shape[1:])
        return value.requires_grad_() if name in self.algorithm.learned else value

    def _inputs(self, s: Any, batch: StackBatch, view: str, name: str) -> Tensor:
        """The scaled inputs; but for tables, in a view whose random words have this name."""
        seeds = np.repeat(s.seeds, batch.ids[0].numel())
        change = self.views.of_rows(view, seeds, name, s.t, batch.rows_on_host)
        value = self.examples.take(batch.data_rows, change)
        value = value.view(*batch.ids.shape, *value.shape[1:])
        if self.words is not None:
            return self.words.gather(1, value.flatten(1)).view_as(value)
        if self.scaling:
            shift, factor = self.scaling
            if batch.ids.dim() == 3:
                shift, factor = shift[:, None], factor[:, None]
            value.sub_(shift).mul_(factor)
        return value

    def change(self, s: Any, name: str, which: int, batch: StackBatch) -> Tensor:
        """The batch's inputs as a view sees them, each trial under its own random numbers."""
        self.views.check(name)
        if name == self.views.x == "plain":
            return batch.x
        words = f"view {name} {batch.name} {which}"
        if self.examples.kind != "table":
            return self._inputs(s, batch, name, words)
        noise = [self.views.noise(name, hyper) for hyper in s.hyper]
        if not any(noise):
            return batch.x
        return torch.stack([gaussian_noise(*each) for each in zip(batch.x, s.rng(words), noise)])


def _checked(order: Tensor, trials: int, n: int, count: int) -> Tensor:
    """An epoch's rows as a method gives them, if they can be that."""
    if order.dim() not in (2, 3) or (order.shape[0], order.shape[-1]) != (trials, count):
        raise ValueError(
            f"a sampler returned {tuple(order.shape)} rows; an epoch takes ({trials}, {count}), or "
            "with the networks' axis between these."
        )
    if order.min() < 0 or order.max() >= n:
        raise ValueError(
            f"a sampler returned rows {int(order.min())} to {int(order.max())}; a trial has 0 to "
            f"{n - 1}."
        )
    return order


def of_first(batch: StackBatch) -> StackBatch:
    """A batch of which each network has its own, as the first one's: (K, M, B) -> (K, B)."""
    shape = batch.ids.shape

    def first(part: Tensor) -> Tensor:
        return part.view(shape)[:, 0].flatten()

    rows = BatchRows(
        batch.ids[:, 0],
        first(batch.table_rows),
        first(batch.data_rows),
        lambda: first(batch.rows_on_host()),
    )
    return StackBatch(rows, batch._gather, batch._change, batch.name, batch.repeats)


class Cut:
    """An epoch's batches: each field of their rows has the batches' axis first, (E, ...).

    Args:
        order: int64 (K, E * B) or (K, M, E * B), positions among the trials' rows.
        index: int64 (K, n), the trials' rows in the shared examples.
        batch: rows per batch.
    """

    def __init__(self, order: Tensor, index: Tensor, batch: int):
        trials, n = index.shape
        order = order.to(index.device)
        lead = (trials, *[1] * (order.dim() - 1))
        offsets = torch.arange(trials, device=index.device).view(lead) * n

        def by_batch(values: Tensor) -> Tensor:
            return values.unflatten(-1, (-1, batch)).movedim(-2, 0).contiguous()

        data_rows = by_batch(index.gather(1, order.flatten(1)).view_as(order))
        self.ids, self.data_rows = by_batch(order), data_rows.flatten(1)
        self.table_rows = by_batch(order + offsets).flatten(1)

    @cached_property
    def on_host(self) -> Tensor:
        """``data_rows`` on the host."""
        return self.data_rows.cpu()

    def at(self, j: int) -> BatchRows:
        """The rows of batch ``j``."""
        return BatchRows(
            self.ids[j], self.table_rows[j], self.data_rows[j], lambda: self.on_host[j]
        )


def in_turn(chosen: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """``count`` of the True rows, bool (n,): all of them, shuffled, again and again."""
    rows = np.flatnonzero(chosen)
    if not len(rows):
        rows = np.arange(len(chosen))
    rounds = [rng.permutation(rows) for _ in range(-(-count // len(rows)))]
    return np.concatenate(rounds)[:count]


def in_proportion(weights: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """``count`` rows drawn in proportion to float (n,), with replacement."""
    weights = np.where(np.isfinite(weights) & (weights > 0), weights, 0).astype(np.float64)
    if not weights.any():
        weights = np.ones(len(weights))
    reach = np.cumsum(weights)
    found = np.searchsorted(reach, rng.random(count) * reach[-1], side="right")
    return np.minimum(found, np.flatnonzero(weights)[-1])  # a product may round up to the total
