"""What a page may ask of a stack, of a batch and of a trial, as types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from ..nets import Module, Output


class Asked(Protocol):
    """K trials in training; other networks than ``net`` are attributes by name, too.

    Attributes:
        hp: hyper-parameters by name: tensors (K, 1), or (K, 1, 1) with several networks; plain
            numbers where they are static.
        hyper: each trial's, as plain numbers.
        rows: row tables (K, n, ...) by name.
        memory: what else changes, (K, ...) by name.
        constants: what training labels fix, (K, ...) by name.
        parameters: of the page beside its networks, (K, ...) by name, with gradient.
        K, n, q, B: trials, training rows of each, classes, rows of a batch.
        t, T, E: updates done, in all, and of an epoch.
        alive: bool (K,), the trials that have not diverged; ``everyone``: all of them.
    """

    hp: Any
    hyper: list[Mapping[str, float | int]]
    rows: dict[str, Tensor]
    memory: dict[str, Tensor]
    constants: dict[str, Tensor]
    K: int
    n: int
    q: int
    B: int
    t: int
    T: int
    E: int
    alive: Tensor
    everyone: bool
    dtype: torch.dtype
    device: torch.device

    @property
    def net(self) -> Module:
        """The network that is trained; called, it gives logits and features."""

    @property
    def parameters(self) -> Mapping[str, Tensor]: ...

    @property
    def epoch(self) -> int: ...

    @property
    def stage_share(self) -> float:
        """How much of the stage's updates is done, in [0, 1)."""

    def rng(self, name: str) -> list[np.random.Generator]:
        """A generator per trial, of (trial seed, name, update) alone."""

    def sample(self, name: str, draw_one: Callable[[int], Tensor]) -> Tensor:
        """``draw_one(k)`` for every trial, under torch's generator seeded for it."""

    def labels(self, name: str) -> Tensor:
        """The training rows' labels, (K, n, ...)."""

    def whole(self, k: int, network: int | None = None, view: str = "", which: int = 0) -> Output:
        """What trial ``k`` predicts for all its training rows."""

    def drawn(self, name: str) -> Any:
        """A further batch, of rows drawn with replacement."""

    def anew(self, name: str) -> Tensor:
        """Flat parameters of a network, or of its part, started again."""


class AskedTrial(Protocol):
    """One trial before it begins; its labels are attributes by name, (1, n, ...)."""

    n: int
    q: int
    dtype: torch.dtype
    hp: Any
    rng: Callable[..., np.random.Generator]
