"""What moves by gradient: networks and their parts by optimisers, learned rows by SGD."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..algorithms import Own, Rate, Row, Stage, schedule
from ..nets import Flat, Module
from .batches import StackBatch
from .optim import OPTIMISERS, Optimiser, square_norms
from .recipe import ADAM, Recipe


class Movers:
    """The optimisers of a stack's networks, as its stages and its recipe ask for them.

    Attributes:
        optimisers: by what they move, ``net`` or ``net.head``.
        apart: whether a network's trials are computed one by one.
    """

    def __init__(
        self,
        flats: Mapping[str, Flat],
        hyper: Sequence[Mapping[str, float | int]],
        recipe: Recipe = ADAM,
    ) -> None:
        self.flats, self.hyper, self.recipe = flats, hyper, recipe
        self.optimisers: dict[str, Optimiser] = {}
        self.kind: tuple[str, dict[str, Any]] = "", {}  # of the stage that these are of
        self.schedule = schedule(
            *(recipe.schedule, recipe.at, recipe.warm_up),
            *(recipe.factor, recipe.lowest, recipe.cycles),
        )
        nets = [flat.net for flat in flats.values() if isinstance(flat, Module)]
        self.apart = not all(net.together for net in nets)

    def trained(self, stage: Stage) -> list[str]:
        """What a stage moves."""
        return list(self.flats if stage.trains is None else stage.trains)

    def networks(self, stage: Stage) -> list[str]:
        """The networks of which a stage moves something."""
        return list(dict.fromkeys(name.partition(".")[0] for name in self.trained(stage)))

    def rate(self, stage: Stage) -> Rate | None:
        """What learning rates are multiplied by in a stage; None: 1.

        The recipe's schedule is for the recipe's optimiser: a stage that has its own has its own
        rate, too.
        """
        return stage.rate if stage.rate or stage.optimiser else self.schedule

    def take_up(self, stage: Stage) -> None:
        """Have the optimisers that a stage needs; those that go on keep their state."""
        if stage.afresh or self._kind(stage.optimiser) != self.kind:
            self.optimisers, self.kind = {}, self._kind(stage.optimiser)
        trained, networks = self.trained(stage), self.networks(stage)
        for name in list(self.optimisers):
            if name.partition(".")[0] in networks and name not in trained:
                del self.optimisers[name]  # its moments are of what was trained together with it
        for name in trained:
            if name not in self.optimisers:
                how = stage.own.get(name, Own(weight_decay="weight_decay"))
                self.optimisers[name] = self._made(name, how, how.optimiser or stage.optimiser)

    def _kind(self, optimiser: str | None) -> tuple[str, dict[str, Any]]:
        """A kind of optimiser and its options: those of the recipe where that is its kind."""
        if optimiser:
            return optimiser, {}
        options = OPTIMISERS[self.recipe.optimiser].options
        return self.recipe.optimiser, {option: getattr(self.recipe, option) for option in options}

    def _made(self, name: str, how: Own, optimiser: str | None) -> Optimiser:
        network, _, part = name.partition(".")
        flat = self.flats[network]
        assert flat.grad is not None, f"{name} is moved by gradient"
        kind, options = self._kind(optimiser)
        return OPTIMISERS[kind](
            flat.flat,
            flat.grad,
            [float(h[how.lr]) for h in self.hyper],
            [float(h[how.weight_decay]) if how.weight_decay else 0.0 for h in self.hyper],
            flat.slices(part),
            _plain(flat) if self.recipe.decay == "weights" else (),
            self.apart,
            **options,
        )

    def update(
        self, stage: Stage, alive: Tensor, everyone: bool, factors: list[float] | None
    ) -> None:
        """Move what a stage moves by a step, for the trials in ``alive``, bool (K,).

        Args:
            factors: what each trial's learning rates are multiplied by.
        """
        if self.recipe.clip:
            self._clip(stage)
        for name in self.trained(stage):
            self.optimisers[name].update(alive, everyone, factors)
        for flat in self.flats.values():
            flat.forget()

    def _clip(self, stage: Stage) -> None:
        """Bring gradients down to the recipe's norm, each trial's over all that the recipe moves.

        As ``torch.nn.utils.clip_grad_norm_``. What a stage moves by an optimiser of its own counts
        as little as for the schedule.
        """
        grads = []
        for name in self.trained(stage):
            if not (stage.optimiser or stage.own.get(name, Own()).optimiser):
                network, _, part = name.partition(".")
                grad = self.flats[network].grad
                assert grad is not None, f"{name} is moved by gradient"
                grads += [grad[:, here] for here in self.flats[network].slices(part)]
        if not grads:
            return
        squares: Tensor = sum(square_norms(grad) for grad in grads)  # type: ignore[assignment]
        factors = (self.recipe.clip / (squares.sqrt() + 1e-6)).clamp_max(1)
        for grad in grads:
            if grad.device.type == "cpu":  # where nothing is to be done, nothing is read
                for k in (factors < 1).nonzero().flatten().tolist():
                    grad[k] *= factors[k]
            else:
                grad *= factors[:, None]

    @property
    def tensors(self) -> dict[str, Tensor]:
        """Every moment, by name."""
        return {
            f"{name}/{what}": tensor
            for name, optimiser in self.optimisers.items()
            for what, tensor in optimiser.tensors.items()
        }


def _plain(flat: Flat) -> list[slice]:
    """Where in a trial's ``flat`` norms and biases lie, of every copy, in order."""
    copies = range(0, flat.copies * flat.size, flat.size)
    inside = [flat.place(name) for name in flat.shapes if name in flat.plain]
    return [slice(copy + place.start, copy + place.stop) for copy in copies for place in inside]


class LearnedRows:
    """Rates and momenta of a stack's learned row tables.

    Attributes:
        momenta: (K, n, ...) by name, of the tables that have one.
    """

    def __init__(
        self,
        learned: Mapping[str, Row],
        tables: Mapping[str, Tensor],
        hyper: Sequence[Mapping[str, float | int]],
    ) -> None:
        self.learned = learned
        self.momenta = {
            name: torch.zeros_like(tables[name]) for name, row in learned.items() if row.momentum
        }
        self.rates = {
            name: tables[name].new_tensor([float(h[row.lr]) for h in hyper])
            for name, row in learned.items()
        }

    def step(self, name: str, batch: StackBatch) -> tuple[Tensor, Tensor | None]:
        """What the batch's rows (K, B, ...) become, and their momentum."""
        row, rows, grad = self.learned[name], getattr(batch, name).detach(), batch.grad_of(name)
        assert grad is not None
        grad, momentum = batch.summed(grad), None
        if name in self.momenta:
            before = self.momenta[name].flatten(0, 1).index_select(0, batch.table_rows)
            grad = momentum = row.momentum * before.view_as(grad) + grad
        rate = self.rates[name].view(-1, *[1] * (rows.dim() - 1))
        return (rows - rate * grad).clamp(row.low, row.high), momentum
