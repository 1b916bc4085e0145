"""eps-softmax: probabilities are moved towards the predicted class before the loss sees them.

With c the class of the largest logit, p' = (p + ``m`` e_c) / (1 + m): nearly one-hot for a large m,
at a distance from it that m bounds. Loss: ``alpha`` (-log p'_y) + ``beta`` |p - e_y|, the latter of
p itself. Where y is predicted there is next to nothing left to learn from the first part;
elsewhere its gradient is the cross-entropy's, which alpha makes small.

``eps-softmax:released`` has max(p', 1e-8), as the released program, of which its authors say that
it matters: with the default m a label that is not predicted, and has p below 0.001, has no gradient
in the first part (D-EPS-1).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from . import ce
from ._algorithm import Algorithm, pure_given
from ._space import one_of

GUARD = 1e-8


def parts(logits: Tensor, given: Tensor, m: Tensor) -> tuple[Tensor, Tensor]:
    """-log p'_y and 1 - p_y per example: (..., q), int (...), (...) -> (...) each."""
    nats = ce.loss(logits, given)
    left = -torch.expm1(-nats)
    predicted = logits.argmax(-1) == given
    of_predicted = -torch.log1p(-torch.where(predicted, left, 0) / (1 + m))
    return torch.where(predicted, of_predicted, nats + torch.log1p(m)), left


def loss(logits: Tensor, given: Tensor, alpha: Tensor, beta: Tensor, m: Tensor) -> Tensor:
    """alpha (-log p'_y) + 2 beta (1 - p_y), per example.

    Args:
        logits: float (..., q).
        given: int (...), in 0..q-1.
        alpha, beta, m: not negative, (...); m 0 leaves p as it is.

    Returns:
        float (...), >= 0.
    """
    moved, left = parts(logits, given, m)
    return alpha * moved + 2 * beta * left


def loss_released(logits: Tensor, given: Tensor, alpha: Tensor, beta: Tensor, m: Tensor) -> Tensor:
    """The same with max(p', 1e-8)."""
    moved, left = parts(logits, given, m)
    return alpha * moved.clamp_max(-math.log(GUARD)) + 2 * beta * left


EPS_SOFTMAX = Algorithm(
    "eps-softmax",
    pure_given(loss, "alpha", "beta", "m"),
    paper="Wang et al., epsilon-Softmax: approximating one-hot vectors for mitigating label noise, "
    "NeurIPS 2024",
    kind="noisy labels",
    summary="probabilities move towards the predicted class; cross-entropy of these, and mae",
    reads=("given",),
    space={
        "alpha": one_of(0.01, (0.01, 0.05, 0.1), within="[0, inf)"),
        "beta": one_of(5, (1, 5, 10), within="[0, inf)"),
        "m": one_of(1e5, (1e2, 1e3, 1e4, 1e5), within="[0, inf)"),
    },
    variants={"released": {"stages": pure_given(loss_released, "alpha", "beta", "m")}},
    differences={
        "released": "A moved probability is 1e-8 at least: labels that are not predicted and less "
        "probable than (1 + m) 1e-8 have no gradient in the cross-entropy (D-EPS-1)."
    },
)
