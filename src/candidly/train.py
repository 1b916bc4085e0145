"""The one training loop: K trials of one algorithm as one stack.

A stack's trials share the algorithm, the batch size, the number of training rows and the clock;
each has its own rows, seed, hyper-parameters and state, and its numbers do not depend on its
stack-mates: losses are summed over trials and nothing else crosses that axis. A trial that turns
non-finite is frozen and recorded as diverged while the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .algorithms import Algorithm
from .examples import Examples
from .nets._module import Module
from .nets._net import Net
from .optim import Adam
from .seeds import draw

FLAGS_EVERY = 100  # updates between looks at the divergence flags on an accelerator


@dataclass(frozen=True)
class Member:
    """One trial of a stack.

    Attributes:
        seed: of initialisation, order and everything random in the trial.
        rows: int64 (n,), the trial's training rows in ``Examples``.
        hyper: values of every hyper-parameter.
        scaling: shift and factor (d,) on the inputs, or None.
    """

    seed: int
    rows: np.ndarray
    hyper: Mapping[str, float | int]
    scaling: tuple[np.ndarray, np.ndarray] | None = None


class Batch:
    """B rows of every trial. Everything but ``ids`` is gathered when first asked for.

    Attributes:
        ids: int64 (K, B), positions among the trial's own training rows.
        x: scaled inputs (K, B, d).
        logits: of the plain inputs (K, B, q), without gradient, for watchers.

    Labels that the algorithm reads (``candidates``, ``given``) and its row tables are attributes
    by name. There is no truth here, unless the algorithm is an oracle.
    """

    def __init__(self, stack: Stack, order: Tensor, place: Tensor, where: Tensor):
        self._stack, self._place, self._where = stack, place, where
        self.ids = order
        self.logits: Tensor

    def __getattr__(self, name: str) -> Tensor:
        value = self._stack._gather(name, self._place, self._where)
        self.__dict__[name] = value
        return value


class Stack:
    """K trials trained as one. What changes is a tensor in ``net``, ``adam``, ``rows``, or ``t``.

    Pages use ``net``, ``hp`` (hyper-parameters, tensors (K, 1)), ``n``, ``q``, ``B``, ``t``
    (updates done), ``T`` (updates in all), ``E`` (updates per epoch), ``dtype`` and ``rng``.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        net: Net,
        examples: Examples,
        members: Sequence[Member],
        steps: int,
    ):
        self.algorithm, self.examples, self.T = algorithm, examples, steps
        self.seeds = [m.seed for m in members]
        self.K, self.n, self.q = len(members), len(members[0].rows), examples.q
        self.B = int(members[0].hyper["batch_size"])
        if self.n < self.B:
            raise ValueError(
                f"{self.n} training rows are fewer than a batch of {self.B}: the batch size is a "
                "hyper-parameter of at most 128; use more data or smaller held-out shares."
            )
        self.E = self.n // self.B
        self.dtype, self.device = examples.inputs.dtype, examples.inputs.device
        self.hp = SimpleNamespace(
            **{name: self._per_trial(m.hyper[name] for m in members) for name in members[0].hyper}
        )
        self.net = Module(net, self.seeds, self.dtype, self.device)
        self.adam = Adam(
            self.net.flat,
            self.net.grad,
            [float(m.hyper["lr"]) for m in members],
            [float(m.hyper["weight_decay"]) for m in members],
        )
        self.index = torch.from_numpy(np.stack([m.rows for m in members])).to(self.device)
        self.scaling = self._scaling(members)
        self.rows = self._initial(algorithm.rows)
        self.constants = self._initial(algorithm.constants)
        self.t = 0
        self.alive = torch.ones(self.K, dtype=torch.bool, device=self.device)
        self.everyone = True  # alive is all True, as far as the host knows
        self.diverged_at: list[int | None] = [None] * self.K
        self.loss_sum = torch.zeros(self.K, dtype=torch.float64, device=self.device)
        self.loss_count = 0
        self.seconds = 0.0
        self._epoch = -1

    # what pages may ask

    @property
    def epoch(self) -> int:
        return self.t // self.E

    def rng(self, name: str) -> list[np.random.Generator]:
        """A generator per trial that depends on (trial seed, name, update) alone."""
        return [draw(seed, name, self.t) for seed in self.seeds]

    # building

    def _per_trial(self, values) -> Tensor:
        return torch.tensor(list(values), dtype=self.dtype, device=self.device)[:, None]

    def _scaling(self, members: Sequence[Member]) -> tuple[Tensor, Tensor] | None:
        """Shift and factor, each (K, 1, d)."""
        pairs = [m.scaling for m in members if m.scaling is not None]
        if not pairs:
            return None
        shifts, factors = zip(*pairs)
        return self._stacked(shifts), self._stacked(factors)

    def _stacked(self, rows: Sequence[np.ndarray]) -> Tensor:
        return torch.tensor(np.stack(rows), dtype=self.dtype, device=self.device)[:, None]

    def _initial(self, make: Callable[[Any], Mapping[str, Tensor]] | None) -> dict[str, Tensor]:
        """Tables made trial by trial, so that a large stack never holds two copies."""
        tables: dict[str, Tensor] = {}
        for k in range(self.K) if make else ():
            labels = {name: v[self.index[k]][None] for name, v in self.examples.labels.items()}
            trial = SimpleNamespace(n=self.n, q=self.q, dtype=self.dtype, **labels)
            for name, table in make(trial).items():  # type: ignore[misc]
                if name not in tables:
                    tables[name] = table.new_empty((self.K, *table.shape[1:]))
                tables[name][k] = table[0]
        return tables

    # batches

    def next_batch(self) -> Batch:
        epoch, j = divmod(self.t, self.E)
        if epoch != self._epoch:
            self._shuffle(epoch)
        return Batch(self, self._ids[j], self._places[j], self._wheres[j])

    def _shuffle(self, epoch: int) -> None:
        """Each trial's own permutation of this epoch; the last partial batch is dropped."""
        used = self.E * self.B
        ids = np.stack([draw(z, "order", epoch).permutation(self.n)[:used] for z in self.seeds])
        order = torch.from_numpy(ids).to(self.device)
        offsets = torch.arange(self.K, device=self.device)[:, None] * self.n

        def by_batch(values: Tensor) -> Tensor:
            return values.view(self.K, self.E, self.B).transpose(0, 1).contiguous()

        self._ids = by_batch(order)
        self._places = by_batch(order + offsets).flatten(1)  # in a (K * n, ...) table
        self._wheres = by_batch(self.index.gather(1, order)).flatten(1)  # in the shared examples
        self._epoch = epoch

    def _gather(self, name: str, place: Tensor, where: Tensor) -> Tensor:
        if name in self.rows:
            table, at = self.rows[name].flatten(0, 1), place
        elif name == "x":
            table, at = self.examples.inputs, where
        elif name in self.examples.labels:
            table, at = self.examples.labels[name], where
        else:
            raise AttributeError(
                f"{self.algorithm.name} asks its batch for {name!r}, which is no row table and "
                f"not among the labels it reads ({', '.join(self.examples.labels)})"
            )
        value = table.index_select(0, at).view(self.K, self.B, *table.shape[1:])
        if name == "x" and self.scaling:
            shift, factor = self.scaling
            value.sub_(shift).mul_(factor)
        return value

    # one update

    def update(self, watchers: Sequence[Callable[[Stack, Batch], None]] = ()) -> None:
        """One step of every live trial."""
        stage = self.algorithm.stages[0]
        batch = self.next_batch()
        self.net.grad.zero_()
        self.net.remember = bool(watchers)
        out = stage.step(self, batch)
        objective, updates = out if isinstance(out, tuple) else (out, {})
        objective.sum().backward()  # the only sum over trials
        with torch.no_grad():
            self._note(objective.detach())
            if watchers:
                batch.logits = self.net.logits_of(batch.x)
            self.adam.update(self.alive, self.everyone)
            self._write(updates, batch)
            if stage.after:
                self._write(stage.after(self, batch), batch)
        self.t += 1
        for watch in watchers:
            watch(self, batch)

    def _write(self, updates: Mapping[str, Tensor], batch: Batch) -> None:
        """Write new rows of the batch into tables, for live trials only."""
        for name, new in updates.items():
            table = self.rows[name].flatten(0, 1)
            new = new.detach().to(table.dtype)
            if not self.everyone:
                live = self.alive.view(-1, *[1] * (new.dim() - 1))
                old = table.index_select(0, batch._place).view_as(new)
                new = torch.where(live, new, old)
            table.index_copy_(0, batch._place, new.flatten(0, 1))

    # divergence

    def _note(self, objective: Tensor) -> None:
        """Add the objective to the running mean; bury trials whose objective or gradient is off."""
        self.loss_sum += objective
        self.loss_count += 1
        # a gradient whose square overflows has already killed Adam's second moment
        sound = (objective * 0 + _square_norms(self.net.grad)).isfinite()
        if self.device.type == "cpu":
            if not bool(sound.all()):
                self.bury(self.alive & ~sound)
        else:
            self.alive &= sound
            self.everyone = False  # mask writes until the flags are read
            if self.t % FLAGS_EVERY == 0:
                self.read_flags()

    def read_flags(self) -> None:
        """Bring an accelerator's divergence flags to the host."""
        alive = self.alive.tolist()
        fallen = [not a and at is None for a, at in zip(alive, self.diverged_at)]
        if any(fallen):
            self.bury(torch.tensor(fallen, device=self.device))

    def bury(self, dead: Tensor) -> None:
        """Freeze trials, bool (K,): nothing of theirs is written again.

        Their parameters become zeros and their tables finite, so that nothing downstream meets a
        NaN on their behalf.
        """
        for k in dead.nonzero().flatten().tolist():
            self.diverged_at[k] = self.t
            for tensor in (self.net.flat, self.net.grad, self.adam.mean, self.adam.square):
                tensor[k] = 0
            for table in self.rows.values():
                if table.is_floating_point():
                    table[k].nan_to_num_(0.0, 0.0, 0.0)
        self.alive = self.alive & ~dead
        self.everyone = bool(self.alive.all())

    # outside the loop

    def logits(self, k: int, rows: Tensor) -> Tensor:
        """Logits (len(rows), q) of trial ``k`` for rows of the shared examples, no gradient."""
        outs = []
        for some in rows.to(self.device).split(8192):
            x = self.examples.inputs.index_select(0, some)[None]
            if self.scaling:
                shift, factor = self.scaling
                x.sub_(shift[k]).mul_(factor[k])
            outs.append(self.net.of_trial(k, x)[0])
        return torch.cat(outs)

    def mean_loss(self) -> list[float]:
        """Each trial's mean objective since this was last asked."""
        mean = (self.loss_sum / max(self.loss_count, 1)).tolist()
        self.loss_sum.zero_()
        self.loss_count = 0
        return mean

    def state(self) -> dict[str, np.ndarray]:
        """Everything that changes, as arrays that share memory with the stack where they can."""
        tensors = {
            "net": self.net.flat,
            "adam/mean": self.adam.mean,
            "adam/square": self.adam.square,
            "loss_sum": self.loss_sum,
            **{f"rows/{name}": table for name, table in self.rows.items()},
        }
        fallen = [-1 if at is None else at for at in self.diverged_at]
        scalars = {
            "t": np.int64(self.t),
            "adam/count": np.int64(self.adam.count),
            "loss_count": np.int64(self.loss_count),
            "seconds": np.float64(self.seconds),
            "diverged_at": np.array(fallen, dtype=np.int64),
        }
        return {name: t.detach().cpu().numpy() for name, t in tensors.items()} | {
            name: np.asarray(value) for name, value in scalars.items()
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> Stack:
        """Take up a saved state; the stack must have the same members."""
        self.net.flat.copy_(torch.from_numpy(state["net"]))
        self.adam.mean.copy_(torch.from_numpy(state["adam/mean"]))
        self.adam.square.copy_(torch.from_numpy(state["adam/square"]))
        self.loss_sum.copy_(torch.from_numpy(state["loss_sum"]))
        for name, table in self.rows.items():
            table.copy_(torch.from_numpy(state[f"rows/{name}"]))
        self.t = int(state["t"])
        self.adam.count.fill_(int(state["adam/count"]))
        self.loss_count = int(state["loss_count"])
        self.seconds = float(state["seconds"])
        self.diverged_at = [None if at < 0 else int(at) for at in state["diverged_at"]]
        self.alive = torch.tensor([at is None for at in self.diverged_at], device=self.device)
        self.everyone = bool(self.alive.all())
        return self


def _square_norms(rows: Tensor) -> Tensor:
    """Squared norm of each row: (K, P) -> (K,)."""
    if rows.device.type == "cpu":  # a dot product reads a row once and allocates nothing
        return torch.stack([torch.dot(row, row) for row in rows])
    return rows.square().sum(1)


def train(
    stack: Stack,
    record_steps: Sequence[int],
    watchers: Sequence[Callable[[Stack, Batch], None]] = (),
) -> Iterator[int]:
    """Train until ``stack.T``, pausing after each of ``record_steps`` (numbers of updates done).

    Yields:
        the number of updates done; the consumer measures and saves, then asks for more.
        ``stack.seconds`` counts the time spent in here.
    """
    due = set(record_steps)
    while stack.t < stack.T:
        started = time.perf_counter()
        while True:
            stack.update(watchers)
            if stack.t in due or stack.t >= stack.T:
                break
        stack.read_flags()
        stack.seconds += time.perf_counter() - started
        yield stack.t
