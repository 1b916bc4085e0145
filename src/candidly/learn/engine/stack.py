"""K trials of one algorithm as one stack: their state, and what methods may ask of it.

A stack's trials share the algorithm, the batch size, the number of training rows and the clock;
each has its own rows, seed, hyper-parameters and state, and its numbers do not depend on its
stack-mates. ``start`` makes one, ``writing`` changes it, ``divergence`` buries trials in it.
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

from ...ground.seeds import draw
from ..algorithms import Algorithm, Stage
from ..nets import Flat, Module, Output, leaf
from ..views import gaussian_noise
from .arithmetic import arithmetic
from .batches import Feed, Samplers, StackBatch
from .examples import Examples
from .forward import of_rows
from .moving import LearnedRows, Movers
from .recipe import Recipe
from .stages import Stages
from .viewing import MethodViews


@dataclass(frozen=True)
class Member:
    """One trial of a stack.

    Attributes:
        seed: the seed of initialisation, order and everything random in the trial.
        rows: int64 (n,), the trial's training rows in ``Examples``.
        hyper: values of every hyper-parameter.
        scaling: shift and factor on the inputs, of shapes that broadcast to one example's, or None.
        words: for texts, what each token number is for this trial, int64 (size + 1,), or None.
    """

    seed: int
    rows: np.ndarray
    hyper: Mapping[str, float | int]
    scaling: tuple[np.ndarray, np.ndarray] | None = None
    words: np.ndarray | None = None


@dataclass(frozen=True)
class Tables:
    """What changes beside networks, (K, ...) by name, and what never does.

    Attributes:
        rows: (K, n, ...), the learned ones among them.
        memory: (K, ...).
        constants: (K, ...), which training labels fix once and for all.
    """

    rows: dict[str, Tensor]
    memory: dict[str, Tensor]
    constants: dict[str, Tensor]


class Stack:
    """K trials trained as one; ``start`` makes it.

    Methods use what ``algorithms.Trials`` lists: ``net`` and the other networks by name,
    ``parameters``, ``hp``, ``rows``, ``memory`` and ``constants`` by name, ``n``, ``q``, ``B``,
    ``K``, ``t`` (updates done), ``T`` (updates in all), ``E`` (updates per epoch), ``seen`` (rows
    trained on), ``epoch``, ``stage_share``, ``dtype``, and the methods up to ``anew``.

    Args:
        flats: networks and parameters beside them, by name.
        index: int64 (K, n), the trials' rows in the examples.
        scaling: shift and factor, each (K, 1, ...) to broadcast against a batch, or None.
        words: for texts, what each token number is, int64 (K, size + 1), or None.
        hp: hyper-parameters as methods see them.
        epoch: updates per epoch; None: as many as have whole batches.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        examples: Examples,
        members: Sequence[Member],
        steps: int,
        flats: Mapping[str, Flat],
        index: Tensor,
        scaling: tuple[Tensor, Tensor] | None,
        hp: SimpleNamespace,
        tables: Tables,
        recipe: Recipe,
        words: Tensor | None = None,
        epoch: int | None = None,
    ):
        self.algorithm, self.examples, self.T = algorithm, examples, steps
        self.recipe = recipe
        self.seeds, self.hyper = [m.seed for m in members], [m.hyper for m in members]
        (self.K, self.n), self.q = index.shape, examples.q
        self.B = int(members[0].hyper["batch_size"])
        self.E = self.n // self.B if epoch is None else epoch
        self.dtype, self.device = examples.dtype, examples.device
        self.flats, self.index, self.scaling, self.hp = flats, index, scaling, hp
        self.words = words
        self.modules = {name: each for name, each in flats.items() if isinstance(each, Module)}
        self.rows, self.memory, self.constants = tables.rows, tables.memory, tables.constants
        self.learned = LearnedRows(algorithm.learned, self.rows, self.hyper)
        samplers = Samplers(self.seeds, index, self.B, self.E)
        self.views = self._views()
        self.feed = Feed(algorithm, examples, self.rows, scaling, samplers, self.views, words)
        self.row_weights: Tensor | None = None  # (K, n), of mean 1: how much each row counts
        self.t = 0
        ends = [stage.until(self) if stage.until else steps for stage in algorithm.stages]
        self.stages = Stages(algorithm.stages, ends, steps)
        self.movers = self._movers()
        self.take_up(self.stage)
        self.alive = torch.ones(self.K, dtype=torch.bool, device=self.device)
        self.everyone = True  # alive is all True, as far as the host knows
        self.diverged_at: list[int | None] = [None] * self.K
        self.loss_sum = torch.zeros(self.K, dtype=torch.float64, device=self.device)
        self.loss_count = 0
        self.seconds = 0.0

    def _views(self) -> MethodViews:
        return MethodViews(self.algorithm, self.examples, self.recipe)

    def _movers(self) -> Movers:
        return Movers(self.flats, self.hyper, self.recipe)

    # what methods may ask

    def __getattr__(self, name: str) -> Module:
        try:
            return self.__dict__["modules"][name]
        except KeyError:
            raise AttributeError(f"a stack has no {name!r}") from None

    @property
    def net(self) -> Module:
        """The network that is trained."""
        return self.modules["net"]

    @property
    def parameters(self) -> Mapping[str, Tensor]:
        """The algorithm's parameters beside its networks, (K, ...) by name, with gradient."""
        return {
            name: leaf(each.parameters[name])
            for name, each in self.flats.items()
            if name not in self.modules
        }

    @property
    def seen(self) -> int:
        """Rows that the updates done have trained on, repetitions counted."""
        return self.t * self.B

    @property
    def epoch(self) -> int:
        return self.t // self.E

    @property
    def stage_share(self) -> float:
        """How much of the stage's updates is done, in [0, 1)."""
        return self.stages.share(self.t)

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
            view: which of the algorithm's views of the inputs; '' for as they are.
            which: another number has other random numbers.
        """
        name, view, rows = f"whole {view} {which}", view or "plain", self.index[k]
        self.views.check(view)
        if self.examples.kind != "table":
            seen = partial(self.views.of_rows, view, self.seeds[k], name, self.t)
            return self._predicted(k, rows, network, None, seen)
        noise = self.views.noise(view, self.hyper[k])
        generator = draw(self.seeds[k], name, self.t)
        change = partial(gaussian_noise, rng=generator, deviation=noise) if noise else None
        return self._predicted(k, rows, network, change)

    def drawn(self, name: str) -> StackBatch:
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

    # the clock

    @property
    def stage(self) -> Stage:
        """The stage that the next update belongs to."""
        return self.stages.at(self.t)

    def enters(self) -> bool:
        """Whether the next update is the first of its stage."""
        return self.stages.begins_at(self.t)

    def take_up(self, stage: Stage) -> None:
        """Have what a stage needs: optimisers that go on keep their state, samplers start anew."""
        self.movers.take_up(stage)
        self.feed.samplers.draws = {}

    def take_up_until(self, t: int) -> None:
        """Go to ``t`` updates done: have the optimisers that the updates before it have left."""
        for stage in self.stages.until(t):
            self.take_up(stage)
        self.t = t

    def count(self, rows: int) -> None:
        """An update is done, of so many rows."""
        self.t += 1

    def next_batches(self) -> list[StackBatch]:
        """The next update's batches, one for each sampler of its stage."""
        return self.feed.batches(self)

    # outside the loop

    def logits(self, k: int, rows: Tensor, copy: int | None = None) -> Tensor:
        """Logits (len(rows), q) of trial ``k`` for rows of the shared examples, no gradient.

        Args:
            copy: which of several networks; None: what predicts.
        """
        return self._predicted(k, rows.to(self.device), copy).logits

    def _predicted(self, k: int, rows: Tensor, *how: Any) -> Output:
        module = self.modules[self.algorithm.predicts]
        with arithmetic(self.device, self.recipe.precision):
            prepared = self.scaling, self.words
            return of_rows(self.algorithm, module, self.examples, prepared, k, rows, *how)

    def mean_loss(self) -> list[float]:
        """Each trial's mean objective since this was last asked."""
        mean = (self.loss_sum / max(self.loss_count, 1)).tolist()
        self.loss_sum.zero_()
        self.loss_count = 0
        return mean

    def changing(self) -> dict[str, Tensor]:
        """Every tensor that training changes, by name, the trials' axis first."""
        return {
            **{f"networks/{name}": each.flat for name, each in self.flats.items()},
            **{
                f"buffers/{name}/{buffer}": tensor.view(self.K, module.copies, *tensor.shape[1:])
                for name, module in self.modules.items()
                for buffer, tensor in module.buffers.items()
            },
            **{f"moments/{name}": tensor for name, tensor in self.movers.tensors.items()},
            **{f"rows/{name}": table for name, table in self.rows.items()},
            **{f"momenta/{name}": table for name, table in self.learned.momenta.items()},
            **{f"orders/{number}": d.order for number, d in self.feed.samplers.draws.items()},
            **{f"memory/{name}": tensor for name, tensor in self.memory.items()},
            "loss_sum": self.loss_sum,
        }
