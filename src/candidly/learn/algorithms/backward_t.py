"""backward-t: losses weighted by the inverse transition matrix, whose mean is the clean loss.

sum_j (T^-1)_yj (-log p_j) averages over T[i, .] to -log p_i. It may be negative: p is kept above
1e-11 so that it has a floor. T comes as for forward-t. Its pseudo-inverse is taken: directions
that T shrinks below 1e-4 of the largest are given up, and a singular estimate does no harm.
"""

from __future__ import annotations

import math

from torch import Tensor

from ._algorithm import Algorithm
from ._protocol import Batch, Trials
from ._transition import (
    DIFFERENCES,
    QUANTILE,
    WARM_UP,
    anchored,
    estimated,
    identity,
    inverse,
    rows_of,
    variants,
)

LOG_LEAST = math.log(1e-11)


def loss(logits: Tensor, given: Tensor, inverted: Tensor) -> Tensor:
    """sum_j (T^-1)_yj (-log p_j), per example.

    Args:
        logits: float (..., B, q).
        given: int (..., B), in 0..q-1.
        inverted: float (..., q, q), T^-1.

    Returns:
        float (..., B), of any sign.
    """
    nats = -logits.log_softmax(-1).clamp_min(LOG_LEAST)
    return (rows_of(inverted, given) * nats).sum(-1)


def step(s: Trials, b: Batch):
    return loss(s.net(b.x).logits, b.given, s.memory["table"]).mean(-1)


BACKWARD_T = Algorithm(
    "backward-t",
    estimated(step, anchored, inverse),
    paper="Patrini et al., Making deep neural networks robust to label noise: a loss correction "
    "approach, CVPR 2017",
    kind="noisy labels",
    summary="losses weighted by the inverse of a transition matrix: unbiased, of any sign",
    reads=("given",),
    memory=identity,
    space=QUANTILE | WARM_UP,
    shortened={"warm_up": 0.2},
    variants=variants(step, inverse),
    version=2,
    differences=DIFFERENCES,
)
