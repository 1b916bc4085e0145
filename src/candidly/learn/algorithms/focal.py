"""Focal loss: cross-entropy in which what is already well told counts less.

Meant for rare classes and not for wrong labels, which it follows more than cross-entropy does. In
tables of robust losses it is a baseline.
"""

from __future__ import annotations

import torch
from torch import Tensor

from . import ce
from ._algorithm import Algorithm, pure_given
from ._space import one_of

LEAST = 1e-30  # a power below 1 has an infinite slope at 0


def loss(logits: Tensor, given: Tensor, gamma: Tensor | float) -> Tensor:
    """-(1 - p_y)^gamma log p_y, per example.

    Args:
        logits: float (..., q), q >= 2.
        given: int (...), in 0..q-1.
        gamma: not negative; 0 gives the cross-entropy.

    Returns:
        float (...), in nats, >= 0.
    """
    nats = ce.loss(logits, given)
    return (-torch.expm1(-nats)).clamp_min(LEAST) ** gamma * nats


FOCAL = Algorithm(
    "focal",
    pure_given(loss, "gamma"),
    paper="Lin et al., Focal loss for dense object detection, ICCV 2017",
    kind="noisy labels",
    summary="cross-entropy in which what is already well told counts less",
    reads=("given",),
    space={"gamma": one_of(0.5, (0.5, 2), within="[0, inf)")},
)
