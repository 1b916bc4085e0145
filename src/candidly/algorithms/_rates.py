"""Schedules of the learning rate: what it is multiplied by at an update.

For ``Stage.rate``, and for recipes. Each makes a function of the stack, which reads the clock
there: how much of the stage's updates is done, or of all of them. A page may write its own, of its
hyper-parameters or memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

Rate = Callable[[Any], float | Tensor]
Clock = Callable[[Any], float]


def of_stage(s: Any) -> float:
    """How much of the stage's updates is done."""
    return s.stage_share


def of_training(s: Any) -> float:
    """How much of all updates is done."""
    return s.t / s.T


def constant(s: Any) -> float:
    """1 throughout."""
    return 1.0


def cosine(lowest: float = 0.0, clock: Clock = of_stage) -> Rate:
    """From 1 along half a cosine towards ``lowest`` at the end.

    Source: Loshchilov & Hutter, SGDR, ICLR 2017, without restarts.
    """

    def rate(s: Any) -> float:
        return lowest + (1 - lowest) * (1 + math.cos(math.pi * clock(s))) / 2

    return rate


def steps(at: Sequence[float], factor: float = 0.1, clock: Clock = of_stage) -> Rate:
    """Times ``factor`` from each of the shares ``at`` on.

    >>> from types import SimpleNamespace
    >>> rate = steps((0.5, 0.75))
    >>> [round(rate(SimpleNamespace(stage_share=share)), 3) for share in (0.4, 0.5, 0.8)]
    [1.0, 0.1, 0.01]
    """

    def rate(s: Any) -> float:
        return float(factor ** sum(clock(s) >= share for share in at))

    return rate


def warmed_up(share: float, then: Rate = constant, clock: Clock = of_stage) -> Rate:
    """Linearly from 0 over the first ``share``, times ``then``."""

    def rate(s: Any) -> float | Tensor:
        return min(1.0, clock(s) / share) * then(s) if share else then(s)

    return rate


def schedule(name: str, at: Sequence[float] = (), warm_up: float = 0.0) -> Rate | None:
    """A recipe's rate over all updates; None where it is 1 throughout.

    Args:
        name: ``constant``, ``cosine`` or ``steps``.
        at: shares of all updates, of ``steps``.
        warm_up: share of all updates over which it grows from 0.
    """
    then = {
        "constant": constant,
        "cosine": cosine(clock=of_training),
        "steps": steps(at, clock=of_training),
    }[name]
    if warm_up:
        return warmed_up(warm_up, then, of_training)
    return None if then is constant else then
