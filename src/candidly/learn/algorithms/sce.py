"""SCE: cross-entropy plus its reverse, which is the absolute error by another name.

The reverse cross-entropy -sum_j p_j log e_j needs a value for log 0, A = log 1e-4, and is then
-A (1 - p_y): 4.6 times the absolute error.
"""

from __future__ import annotations

import math

from torch import Tensor

from . import ce, mae
from ._algorithm import Algorithm, pure_given
from ._space import one_of

LOG_ZERO = math.log(1e-4)


def reverse_loss(logits: Tensor, given: Tensor) -> Tensor:
    """-A (1 - p_y), per example: (..., q), int (...) -> (...), in [0, 9.21]."""
    return reverse_of_nats(ce.loss(logits, given))


def reverse_of_nats(nats: Tensor) -> Tensor:
    """The same of -log p_y: (...) -> (...)."""
    return -LOG_ZERO / 2 * mae.of_nats(nats)


def loss(logits: Tensor, given: Tensor, alpha: Tensor | float, beta: Tensor | float) -> Tensor:
    """alpha times cross-entropy plus beta times its reverse, per example.

    Args:
        logits: float (..., q).
        given: int (...), in 0..q-1.
        alpha, beta: not negative.

    Returns:
        float (...), >= 0.
    """
    nats = ce.loss(logits, given)
    return alpha * nats + beta * reverse_of_nats(nats)


SCE = Algorithm(
    "sce",
    pure_given(loss, "alpha", "beta"),
    paper="Wang et al., Symmetric cross entropy for robust learning with noisy labels, ICCV 2019",
    kind="noisy labels",
    summary="cross-entropy plus the reverse cross-entropy",
    reads=("given",),
    space={
        "alpha": one_of(0.1, (0.1, 1, 6), within="[0, inf)"),
        "beta": one_of(1, (0.1, 1), within="[0, inf)"),
    },
)
