"""MAE: the absolute error between the probabilities and the given label.

Symmetric: summed over all labels it is a constant, so that uniform noise below (q - 1) / q leaves
the minimiser where it is. Slow where there are many classes: the gradient of an example scales
with its p_y.
"""

from __future__ import annotations

import torch
from torch import Tensor

from . import ce
from ._algorithm import Algorithm, pure_given


def loss(logits: Tensor, given: Tensor) -> Tensor:
    """sum_j |p_j - 1[j=y]| = 2 (1 - p_y), per example.

    Args:
        logits: float (..., q).
        given: int (...), in 0..q-1.

    Returns:
        float (...), in [0, 2].
    """
    return of_nats(ce.loss(logits, given))


def of_nats(nats: Tensor) -> Tensor:
    """The same of -log p_y: (...) -> (...)."""
    return -2 * torch.expm1(-nats)


MAE = Algorithm(
    "mae",
    pure_given(loss),
    paper="Ghosh et al., Robust loss functions under label noise for deep neural networks, "
    "AAAI 2017",
    kind="noisy labels",
    summary="the absolute error, whose minimiser uniform noise does not move",
    reads=("given",),
)
