"""K trials of one algorithm as one stack: their state, and what pages may ask of it.

A stack's trials share the algorithm, the batch size, the number of training rows and the clock;
each has its own rows, seed, hyper-parameters and state, and its numbers do not depend on its
stack-mates. A trial that turns non-finite is buried: nothing of it is written again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..algorithms import Algorithm, Stage
from ..nets import Module, Net, Output
from ..seeds import draw
from .batches import Batch, Feed, Orders, Samplers
from .examples import Examples
from .moving import LearnedRows, Movers
from .optim import Optimiser

FLAGS_EVERY = 100  # updates between looks at the divergence flags on an accelerator
ROWS_AT_ONCE = 8192  # in a forward pass outside training


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


class Stack:
    """K trials trained as one.

    Pages use ``net`` and the algorithm's other networks by name, ``hp`` (hyper-parameters, tensors
    (K, 1), or (K, 1, 1) with several networks; plain numbers where they are static), ``rows``,
    ``memory`` and ``constants`` by name, ``n``, ``q``, ``B``, ``K``, ``t`` (updates done), ``T``
    (updates in all), ``E`` (updates per epoch), ``epoch``, ``stage_share``, ``dtype``, and the
    methods up to ``anew``.
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
        self.hyper = [m.hyper for m in members]
        self.K, self.n, self.q = len(members), len(members[0].rows), examples.q
        self.B = int(members[0].hyper["batch_size"])
        if self.n < self.B:
            raise ValueError(
                f"{self.n} training rows are fewer than a batch of {self.B}: the batch size is a "
                "hyper-parameter of at most 128; use more data or smaller held-out shares."
            )
        self.E = self.n // self.B
        self.dtype, self.device = examples.dtype, examples.device
        settings = algorithm.settings()
        self.hp = SimpleNamespace(
            **{
                name: self._shared(name) if settings[name].static else self._per_trial(name)
                for name in members[0].hyper
            }
        )
        features = examples.inputs.shape[1]
        net = algorithm.network(net, features, self.q)
        self.modules = {"net": self._module(net, "init", algorithm.networks)}
        for name, make in algorithm.modules.items():
            other = make(net, features, self.q)
            self.modules[name] = self._module(other, f"init {name}")
        self.index = torch.from_numpy(np.stack([m.rows for m in members])).to(self.device)
        self.scaling = self._scaling(members)
        self.rows = self._initial(algorithm.rows) | self._initial(self._learned)
        self.learned = LearnedRows(algorithm.learned, self.rows, self.hyper)
        self.feed = Feed(
            algorithm, examples, self.rows, self.scaling, Samplers(self.seeds, self.index, self.B)
        )
        self.memory = self._initial(algorithm.memory)
        self.constants = self._initial(algorithm.constants)
        self.t = 0
        self.ends = [stage.until(self) if stage.until else steps for stage in algorithm.stages]
        self.movers = Movers(self.modules, self.hyper)
        self.take_up(self.stage)
        self.alive = torch.ones(self.K, dtype=torch.bool, device=self.device)
        self.everyone = True  # alive is all True, as far as the host knows
        self.diverged_at: list[int | None] = [None] * self.K
        self.loss_sum = torch.zeros(self.K, dtype=torch.float64, device=self.device)
        self.loss_count = 0
        self.seconds = 0.0

    # what pages may ask

    def __getattr__(self, name: str) -> Module:
        try:
            return self.__dict__["modules"][name]
        except KeyError:
            raise AttributeError(f"a stack has no {name!r}") from None

    @property
    def epoch(self) -> int:
        return self.t // self.E

    @property
    def stage_share(self) -> float:
        """How much of the stage's updates is done, in [0, 1)."""
        number = self._number()
        start, end = self._start(number), min(self.ends[number], self.T)
        return (self.t - start) / max(1, end - start)

    def rng(self, name: str) -> list[np.random.Generator]:
        """A generator per trial that depends on (trial seed, name, update) alone."""
        return [draw(seed, name, self.t) for seed in self.seeds]

    def sample(self, name: str, draw_one: Callable[[int], Tensor]) -> Tensor:
        """``draw_one(k)`` for every trial, under that trial's own random numbers, stacked.

        For ``torch.distributions``, which draw from torch's global state; that is left as it was.
        """
        drawn = []
        devices = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices):
            for k, generator in enumerate(self.rng(name)):
                torch.manual_seed(int(generator.integers(2**63)))
                drawn.append(draw_one(k))
        return torch.stack(drawn)

    def labels(self, name: str) -> Tensor:
        """The training rows' labels, (K, n, ...)."""
        return self.examples.labels[name][self.index]

    def whole(self, k: int, network: int | None = None, view: str = "", which: int = 0) -> Output:
        """What trial ``k`` predicts for all its training rows, (n, q) and (n, h).

        Args:
            network: which of several to ask; by default as predictions are made.
            view: how the algorithm has the inputs changed; '' for as they are.
            which: another number has other random numbers.
        """
        how = self.algorithm.views[view] if view else None
        if how is None:
            return self._forward(k, self.index[k], network)
        generator = draw(self.seeds[k], f"whole {view} {which}", self.t)
        change = partial(how, rng=generator, hyper=self.hyper[k])
        return self._forward(k, self.index[k], network, change)

    def drawn(self, name: str) -> Batch:
        """B training rows of every trial, drawn uniformly and independently, with replacement.

        From the random numbers of this update called ``name``.
        """
        ids = np.stack([g.integers(0, self.n, self.B) for g in self.rng(name)])
        return self.feed.batch(self, torch.from_numpy(ids), name)

    def anew(self, name: str) -> Tensor:
        """Flat parameters of a network, or of its part (``net.head``), started again.

        With other random numbers than before; where a part is asked for, the rest stays.
        """
        network, _, part = name.partition(".")
        return self.modules[network].anew(f"{network} anew {self.t}", part)

    # building

    def _module(self, net: Net, name: str, copies: int = 1) -> Module:
        return Module(net, self.seeds, self.dtype, self.device, copies, name)

    def _per_trial(self, name: str) -> Tensor:
        values = torch.tensor([h[name] for h in self.hyper], dtype=self.dtype, device=self.device)
        return values.view(-1, *[1] * (1 if self.algorithm.networks == 1 else 2))

    def _shared(self, name: str) -> float | int:
        values = {h[name] for h in self.hyper}
        if len(values) > 1:
            raise ValueError(
                f"{self.algorithm.name}'s {name} is common to a stack; got {sorted(values)}."
            )
        return values.pop()

    def _scaling(self, members: Sequence[Member]) -> tuple[Tensor, Tensor] | None:
        """Shift and factor, each (K, 1, d)."""
        pairs = [m.scaling for m in members if m.scaling is not None]
        if not pairs:
            return None
        shifts, factors = zip(*pairs)
        return self._stacked(shifts), self._stacked(factors)

    def _stacked(self, rows: Sequence[np.ndarray]) -> Tensor:
        return torch.tensor(np.stack(rows), dtype=self.dtype, device=self.device)[:, None]

    def _learned(self, trial: Any) -> dict[str, Tensor]:
        return {name: row.make(trial) for name, row in self.algorithm.learned.items()}

    def _initial(self, make: Callable[[Any], Mapping[str, Tensor]] | None) -> dict[str, Tensor]:
        """Tables made trial by trial, so that a large stack never holds two copies."""
        tables: dict[str, Tensor] = {}
        for k in range(self.K) if make else ():
            labels = {name: v[self.index[k]][None] for name, v in self.examples.labels.items()}
            hp = SimpleNamespace(**self.hyper[k])
            rng = partial(draw, self.seeds[k])
            trial = SimpleNamespace(n=self.n, q=self.q, dtype=self.dtype, hp=hp, rng=rng, **labels)
            for name, table in make(trial).items():  # type: ignore[misc]
                if name not in tables:
                    tables[name] = table.new_empty((self.K, *table.shape[1:]), device=self.device)
                tables[name][k] = table[0]
        return tables

    # stages

    @property
    def stage(self) -> Stage:
        """The stage that the next update belongs to."""
        return self.algorithm.stages[self._number()]

    def _number(self) -> int:
        passed = (i for i, end in enumerate(self.ends) if self.t < end)
        return next(passed, len(self.ends) - 1)

    def _start(self, number: int) -> int:
        """Updates done when a stage begins."""
        return max(0, *self.ends[:number]) if number else 0

    def enters(self) -> bool:
        """Whether the next update is the first of its stage."""
        return self.t == self._start(self._number())

    def take_up(self, stage: Stage) -> None:
        """Have what a stage needs: optimisers that go on keep their state, samplers start anew."""
        self.movers.take_up(stage)
        self.feed.samplers.draws = {}

    def take_up_until(self, t: int) -> None:
        """Go to ``t`` updates done: have the optimisers that the updates before it have left."""
        self.t = max(0, t - 1)
        last = self._number()
        for number, stage in enumerate(self.algorithm.stages[: last + 1]):
            if number == last or self.ends[number] > self._start(number):
                self.take_up(stage)
        self.t = t

    @property
    def optimisers(self) -> dict[str, Optimiser]:
        """By what they move, ``net`` or ``net.head``."""
        return self.movers.optimisers

    # batches

    def next_batch(self) -> Batch:
        """The first of ``next_batches``."""
        return self.next_batches()[0]

    def next_batches(self) -> list[Batch]:
        """The next update's batches, one for each sampler of its stage."""
        return self.feed.batches(self)

    @property
    def orders(self) -> Orders:
        """The order in which all rows are taken."""
        return self.feed.samplers.uniform(0)

    # writing

    def write(self, updates: Mapping[str, Tensor], batch: Batch | None = None) -> None:
        """Write what a page returned, for live trials only; row tables by ``batch`` if given."""
        for name, new in updates.items():
            if batch is not None and name in self.rows:
                self._write_rows(self.rows[name], new, batch)
            else:
                old = self._target(name)
                new = new.detach().to(old.dtype).view_as(old)
                old.copy_(new if self.everyone else torch.where(_like(self.alive, old), new, old))

    def _write_rows(self, table: Tensor, new: Tensor, batch: Batch) -> None:
        if batch.ids.dim() == 3:
            raise ValueError(
                f"{self.algorithm.name} updates rows by a batch of which each network has its own; "
                "the step's first sampler must be common to them."
            )
        flat = table.flatten(0, 1)
        new = batch.latest(new.detach().to(table.dtype))
        if not self.everyone:
            old = flat.index_select(0, batch.table_rows).view_as(new)
            new = torch.where(_like(self.alive, new), new, old)
        flat.index_copy_(0, batch.table_rows, new.flatten(0, 1))

    def move(self, batch: Batch) -> None:
        """Move what the stage trains, and the batch's learned rows, for live trials only."""
        factors, rate = None, self.movers.rate(self.stage)
        if rate:
            each = torch.as_tensor(rate(self), dtype=torch.float64)
            factors = each.flatten().expand(self.K).tolist()
        self.movers.update(self.stage, self.alive, self.everyone, factors)
        for name in self.algorithm.learned:
            if batch.grad_of(name) is None:
                continue
            new, momentum = self.learned.step(name, batch)
            self._write_rows(self.rows[name], new, batch)
            if momentum is not None:
                self._write_rows(self.learned.momenta[name], momentum, batch)

    def _target(self, name: str) -> Tensor:
        for tensors in (self.rows, self.memory):
            if name in tensors:
                return tensors[name]
        if name in self.modules:
            self.modules[name].forget()
            return self.modules[name].flat
        raise KeyError(
            f"{self.algorithm.name} updates {name!r}, which is no row table, memory or network"
        )

    # divergence

    def note(self, objective: Tensor, batch: Batch) -> None:
        """Add the objective to the running mean; bury trials whose objective or gradient is off."""
        self.loss_sum += objective
        self.loss_count += 1
        # a gradient whose square overflows has already killed Adam's second moment
        grads = [self.modules[name].grad for name in self.movers.networks(self.stage)]
        of_rows = [batch.grad_of(name) for name in self.algorithm.learned]
        norms = [_square_norms(g.flatten(1)) for g in (*grads, *of_rows) if g is not None]
        sound = (objective * 0 + sum(norms)).isfinite()
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
        tables = [t for t in (*self.rows.values(), *self.memory.values()) if t.is_floating_point()]
        moments = [*self.movers.tensors.values(), *self.learned.momenta.values()]
        for k in dead.nonzero().flatten().tolist():
            self.diverged_at[k] = self.t
            for module in self.modules.values():
                module.forget()
                module.flat[k] = 0
                module.grad[k] = 0
            for tensor in moments:
                tensor[k] = 0
            for table in tables:
                table[k].nan_to_num_(0.0, 0.0, 0.0)
        self.alive = self.alive & ~dead
        self.everyone = bool(self.alive.all())

    # outside the loop

    def logits(self, k: int, rows: Tensor, copy: int | None = None) -> Tensor:
        """Logits (len(rows), q) of trial ``k`` for rows of the shared examples, no gradient.

        Args:
            copy: which of several networks; None: what predicts.
        """
        return self._forward(k, rows.to(self.device), copy).logits

    def _forward(
        self,
        k: int,
        rows: Tensor,
        copy: int | None = None,
        change: Callable[[Tensor], Tensor] | None = None,
    ) -> Output:
        if copy is None and self.algorithm.averages:
            each = [self._forward(k, rows, m, change) for m in range(self.algorithm.networks)]
            return Output(*(torch.stack(parts).mean(0) for parts in zip(*each)))
        outs = []
        for some in rows.split(ROWS_AT_ONCE):
            x = self.examples.take(some)[None]
            if self.scaling:
                shift, factor = self.scaling
                x.sub_(shift[k]).mul_(factor[k])
            x = change(x) if change else x
            outs.append(self.modules[self.algorithm.predicts].of_trial(k, x, copy or 0))
        return Output(*(torch.cat([part[0] for part in parts]) for parts in zip(*outs)))

    def mean_loss(self) -> list[float]:
        """Each trial's mean objective since this was last asked."""
        mean = (self.loss_sum / max(self.loss_count, 1)).tolist()
        self.loss_sum.zero_()
        self.loss_count = 0
        return mean

    def changing(self) -> dict[str, Tensor]:
        """Every tensor that training changes, by name, the trials' axis first."""
        return {
            **{f"networks/{name}": module.flat for name, module in self.modules.items()},
            **{f"moments/{name}": tensor for name, tensor in self.movers.tensors.items()},
            **{f"rows/{name}": table for name, table in self.rows.items()},
            **{f"momenta/{name}": table for name, table in self.learned.momenta.items()},
            **{f"orders/{number}": d.order for number, d in self.feed.samplers.draws.items()},
            **{f"memory/{name}": tensor for name, tensor in self.memory.items()},
            "loss_sum": self.loss_sum,
        }


def _like(flags: Tensor, values: Tensor) -> Tensor:
    """(K,) shaped to broadcast against (K, ...)."""
    return flags.view(-1, *[1] * (values.dim() - 1))


def _square_norms(rows: Tensor) -> Tensor:
    """Squared norm of each row: (K, P) -> (K,)."""
    if rows.device.type == "cpu":  # a dot product reads a row once and allocates nothing
        return torch.stack([torch.dot(row, row) for row in rows])
    return rows.square().sum(1)
