"""Schedules of the learning rate: what it is multiplied by at an update.

For ``Stage.rate``. Each makes a function of the stack, which reads the clock there: how much of
the stage's updates is done. A page may write its own, of its hyper-parameters or memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

Rate = Callable[[Any], float | Tensor]


def constant(s: Any) -> float:
    """1 throughout."""
    return 1.0


def cosine(lowest: float = 0.0) -> Rate:
    """From 1 along half a cosine towards ``lowest`` at the stage's end.

    Source: Loshchilov & Hutter, SGDR, ICLR 2017, without restarts.
    """

    def rate(s: Any) -> float:
        return lowest + (1 - lowest) * (1 + math.cos(math.pi * s.stage_share)) / 2

    return rate


def steps(at: Sequence[float], factor: float = 0.1) -> Rate:
    """Times ``factor`` from each of the shares ``at`` of the stage on.

    >>> from types import SimpleNamespace
    >>> rate = steps((0.5, 0.75))
    >>> [round(rate(SimpleNamespace(stage_share=share)), 3) for share in (0.4, 0.5, 0.8)]
    [1.0, 0.1, 0.01]
    """

    def rate(s: Any) -> float:
        return float(factor ** sum(s.stage_share >= share for share in at))

    return rate


def warmed_up(share: float, then: Rate = constant) -> Rate:
    """Linearly from 0 over the first ``share`` of the stage, times ``then``."""

    def rate(s: Any) -> float | Tensor:
        return min(1.0, s.stage_share / share) * then(s) if share else then(s)

    return rate
