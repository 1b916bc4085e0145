"""What a method may ask: of the trials in training, of a batch, of a trial before it begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from ..nets import Module, Output


class Trials(Protocol):
    """K trials in training; other networks than ``net`` are attributes by name, too.

    Attributes:
        algorithm: the method itself.
        hp: hyper-parameters by name: tensors (K, 1), or (K, 1, 1) with several networks; plain
            numbers where they are static.
        hyper: each trial's, as plain numbers.
        rows: row tables (K, n, ...) by name.
        memory: what else changes, (K, ...) by name.
        constants: what training labels fix, (K, ...) by name.
        parameters: what the method trains beside its networks, (K, ...) by name, with gradient.
        K, n, q, B: trials, training rows of each, classes, rows of a batch. In somebody's own loop
            the last batch of an epoch may be shorter: within an update ``B`` is its batch's.
        t, T, E: updates done, in all, and of an epoch.
        seen: rows that the updates done have trained on, repetitions counted.
        alive: bool (K,), the trials that have not diverged; ``everyone``: all of them.
    """

    algorithm: Any
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
    def seen(self) -> int: ...

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

    def drawn(self, name: str) -> Batch:
        """A further batch, of rows drawn with replacement."""

    def anew(self, name: str) -> Tensor:
        """Flat parameters of a network, or of its part, started again."""

    def __getattr__(self, name: str) -> Module:
        """One of the method's other networks."""


class Batch(Protocol):
    """B training rows of every trial.

    Labels that the method reads (``candidates``, ``given``) and its row tables are attributes by
    name, (K, B, ...).

    Attributes:
        ids: int64 (K, B), positions among the trial's training rows; (K, M, B) where each network
            has rows of its own, and then everything else has that axis too.
        x: inputs (K, B, ...); of texts int64 (K, B, L).
        name: the name of its random numbers.
    """

    ids: Tensor
    name: str

    @property
    def x(self) -> Tensor: ...

    def view(self, name: str, draw: int = 0) -> Tensor:
        """The inputs as one of the method's views sees them; another ``draw`` is another view."""

    def summed(self, values: Tensor) -> Tensor:
        """Values (K, B, ...) with each row's sum over its repetitions in place of its own."""

    def latest(self, values: Tensor) -> Tensor:
        """Values (K, B, ...) with those of a row's last repetition in place of all of its own."""

    def __getattr__(self, name: str) -> Tensor:
        """Labels that the method reads, or one of its row tables."""


class OneTrial(Protocol):
    """One trial before it begins; its labels are attributes by name, (1, n, ...)."""

    n: int
    q: int
    dtype: torch.dtype
    hp: Any
    rng: Callable[..., np.random.Generator]

    def __getattr__(self, name: str) -> Tensor:
        """The training rows' labels of that name."""
