"""Focal loss: cross-entropy in which what is already well told counts less.

Meant for rare classes and not for wrong labels, which it follows more than cross-entropy does. In
tables of robust losses it is a baseline.
"""

from __future__ import annotations

from torch import Tensor

from ._algorithm import Algorithm, pure_given
from ._space import one_of
from ._tensors import log_complement


def loss(logits: Tensor, given: Tensor, gamma: Tensor | float) -> Tensor:
    """-(1 - p_y)^gamma log p_y, per example.

    Args:
        logits: float (..., q), q >= 2.
        given: int (...), in 0..q-1.
        gamma: not negative; 0 gives the cross-entropy.

    Returns:
        float (...), in nats, >= 0.
    """
    at = given[..., None]
    log_p = logits.log_softmax(-1).gather(-1, at)[..., 0]
    return -(gamma * log_complement(logits).gather(-1, at)[..., 0]).exp() * log_p


FOCAL = Algorithm(
    "focal",
    pure_given(loss, "gamma"),
    paper="Lin et al., Focal loss for dense object detection, ICCV 2017",
    kind="noisy labels",
    summary="cross-entropy in which what is already well told counts less",
    reads=("given",),
    space={"gamma": one_of(0.5, (0.5, 2), within="[0, inf)")},
)
