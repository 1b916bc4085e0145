"""The user's optimiser in the place of a stack's own: what stages ask of one, asked of his."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ..algorithms import Own, Rate, Stage
from ..engine.moving import Movers
from ..nets import Flat
from ._module import parameters_of

MADE: Mapping[str, Any] = {  # as ``engine.optim`` has them
    "adam": partial(torch.optim.Adam, fused=True),
    "adamw": partial(torch.optim.AdamW, fused=True),
    "sgd": partial(torch.optim.SGD, momentum=0.9),
}


class UsersMovers(Movers):
    """The optimisers that stages ask for: the user's, and those that a method has of its own.

    ``optimisers`` holds the latter as torch's, and of the former None: whose moments start afresh
    when one is made.

    Attributes:
        optimizer: the user's; None before ``drive``.
        keeps: moments are not to start afresh, as those of a saved state.
    """

    def __init__(self, flats: Mapping[str, Flat], hyper: Sequence[Mapping[str, float | int]]):
        self.optimizer: torch.optim.Optimizer | None = None
        self.keeps = False
        super().__init__(flats, hyper)

    def leaves(self, name: str) -> list[Tensor]:
        """The parameters of what a stage names, ``net`` or ``net.head``."""
        network, _, part = name.partition(".")
        return parameters_of(self.flats[network], part)

    def rate(self, stage: Stage) -> Rate | None:
        """The stage's alone: the user's schedule is the user's."""
        return stage.rate

    def take_up(self, stage: Stage) -> None:
        """Have what a stage needs, and let gradients reach what it moves alone."""
        super().take_up(stage)
        moved = {id(leaf) for name in self.trained(stage) for leaf in self.leaves(name)}
        for name in self.flats:
            for leaf in self.leaves(name):
                leaf.requires_grad_(id(leaf) in moved)
                if id(leaf) not in moved:
                    leaf.grad = None

    def _made(self, name: str, how: Own, optimiser: str | None) -> Any:
        leaves = self.leaves(name)
        if optimiser is not None:
            (hyper,) = self.hyper
            decay = float(hyper[how.weight_decay]) if how.weight_decay else 0.0
            return MADE[optimiser](leaves, lr=float(hyper[how.lr]), weight_decay=decay)
        if self.optimizer is not None and not self.keeps:
            for leaf in leaves:
                self.optimizer.state.pop(leaf, None)
        return None

    def update(self, stage, alive, everyone, factors) -> None:
        """Everything has moved by now: what was said before no longer holds."""
        for flat in self.flats.values():
            flat.forget()

    @property
    def tensors(self) -> dict[str, Tensor]:
        """Nothing: torch's optimisers keep their own."""
        return {}

    @property
    def of_method(self) -> dict[str, torch.optim.Optimizer]:
        """The optimisers that the method has of its own, by what they move."""
        optimisers: dict[str, Any] = dict(self.optimisers)
        return {name: each for name, each in optimisers.items() if each is not None}

    def step_before(self, stage: Stage, factor: float) -> None:
        """What comes before the user's step: the method's own optimisers move theirs.

        A parameter that no gradient has reached has one of zeros, as in the engine, so that its
        moments and its weight decay go on; torch alone would leave it where it is.
        """
        for name in self.trained(stage):
            leaves = self.leaves(name)
            for leaf in leaves:
                if leaf.grad is None:
                    leaf.grad = torch.zeros_like(leaf)
            own = self.of_method.get(name)
            if own is not None:
                before = multiplied(own, factor)
                own.step()
                put_back(own, before)
                own.zero_grad()  # so that the user's leaves these alone


def multiplied(optimizer: torch.optim.Optimizer, factor: float) -> list[Any]:
    """Multiply an optimiser's learning rates; returns them as they were."""
    before = [group["lr"] for group in optimizer.param_groups]
    for group in optimizer.param_groups:
        group["lr"] = group["lr"] * factor
    return before


def put_back(optimizer: torch.optim.Optimizer, rates: Sequence[Any]) -> None:
    """Set an optimiser's learning rates."""
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate
