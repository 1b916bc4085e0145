"""Schedules of the learning rate: what it is multiplied by at an update.

For ``Stage.rate``, and for recipes. Each makes a function of the stack, which reads the clock
there: how much of the stage's updates is done, or of all of them. A method may write its own, of
its hyper-parameters or memory.
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


def linear(start: float, clock: Clock = of_stage) -> Rate:
    """1 until the share ``start``, then along a straight line towards 0 at the end."""

    def rate(s: Any) -> float:
        return min(1.0, (1 - clock(s)) / (1 - start))

    return rate


def repeated(cycles: int) -> Clock:
    """How much of the present cycle is done, where all updates are cut into equal ones.

    >>> from types import SimpleNamespace
    >>> [repeated(3)(SimpleNamespace(t=t, T=6)) for t in range(6)]
    [0.0, 0.5, 0.0, 0.5, 0.0, 0.5]
    """

    def share(s: Any) -> float:
        return s.t * cycles % s.T / s.T

    return share


def warmed_up(share: float, then: Rate = constant, clock: Clock = of_stage) -> Rate:
    """Linearly from 0 over the first ``share``, times ``then``."""

    def rate(s: Any) -> float | Tensor:
        return min(1.0, clock(s) / share) * then(s) if share else then(s)

    return rate


def schedule(
    name: str,
    at: Sequence[float] = (0.5, 0.75),
    warm_up: float = 0.0,
    factor: float = 0.1,
    lowest: float = 0.0,
    cycles: int = 1,
) -> Rate | None:
    """A recipe's rate over all updates; None where it is 1 throughout.

    Args:
        name: ``constant``, ``cosine``, ``steps`` or ``linear``.
        at: shares of all updates, of ``steps``; of ``linear`` the first counts.
        warm_up: share of all updates over which it grows from 0.
        factor, lowest: of ``steps``, and of ``cosine``.
        cycles: how often it runs, ``at`` being shares of each.
    """
    clock = of_training if cycles == 1 else repeated(cycles)
    then = {
        "constant": constant,
        "cosine": cosine(lowest, clock),
        "steps": steps(at, factor, clock),
        "linear": linear(at[0], clock),
    }[name]
    if warm_up:
        return warmed_up(warm_up, then, of_training)
    return None if then is constant else then
