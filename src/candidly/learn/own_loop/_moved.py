"""Whether the user's optimiser moves all that has a gradient, watched at a stage's first step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ...ground.problem import Refusal

UNMOVED = 20  # updates in which nothing moves before that is an error


class WhatMoves:
    """Which parameters have had a gradient, and which an optimiser has taken a step with."""

    def __init__(self) -> None:
        self.stage: object = None  # in which it is, or was, watched
        self._leaves: Mapping[str, Tensor] = {}
        self._hooks: list[Any] = []
        self._touched: set[int] = set()
        self._stepped: set[int] = set()
        self._unmoved = 0

    def begin(self, stage: object, leaves: Mapping[str, Tensor]) -> None:
        """Watch these parameters, by what to call them, where the stage is another than before."""
        if self.stage is stage:
            return
        self.stop()
        self.stage, self._leaves = stage, leaves
        self._hooks = [register_optimizer_step_pre_hook(self._note_step)]
        self._hooks += [
            leaf.register_post_accumulate_grad_hook(self._note_leaf) for leaf in leaves.values()
        ]

    def stop(self) -> None:
        """Watch no longer."""
        for hook in self._hooks:
            hook.remove()
        self.stage, self._leaves, self._hooks, self._unmoved = None, {}, [], 0
        self._touched.clear()
        self._stepped.clear()

    def _note_step(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        self._stepped |= {id(leaf) for group in optimizer.param_groups for leaf in group["params"]}

    def _note_leaf(self, leaf: Tensor) -> None:
        self._touched.add(id(leaf))

    def check(self, label: str) -> None:
        """Refuse an optimiser that leaves out what has a gradient; else the watch is over.

        Raises:
            ValueError: names how many it leaves out; or nothing has moved for ``UNMOVED`` updates.
        """
        if not self._hooks:
            return
        each = {name: id(leaf) for name, leaf in self._leaves.items() if id(leaf) in self._touched}
        still = [name for name, leaf in each.items() if leaf not in self._stepped]
        if each and len(still) == len(each):  # a GradScaler may leave out the first steps
            self._unmoved += 1
            if self._unmoved >= UNMOVED:
                raise Refusal(
                    f"no parameter has moved in {UNMOVED} updates: is optimizer.step() called, on "
                    "an optimiser of method.groups()?"
                )
            return
        if still:
            raise Refusal(
                f"the optimiser does not move {len(still)} of {len(each)} parameters that "
                f"{label} trains, such as {still[0]}.",
                "make it of method.groups() in place of net.parameters()",
            )
        stage = self.stage
        self.stop()
        self.stage = stage
