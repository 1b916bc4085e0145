"""NCE+RCE and NCE+MAE: an active loss plus a passive one, both robust.

Any loss divided by its sum over all labels is symmetric. Of the cross-entropy that is NCE, which
alone learns too little; a passive loss beside it, one that pushes the other classes down, repairs
that.
"""

from __future__ import annotations

from torch import Tensor

from . import ce, mae
from ._algorithm import Algorithm, pure_given
from ._space import one_of
from .sce import reverse_loss


def normalised_loss(logits: Tensor, given: Tensor) -> Tensor:
    """-log p_y / sum_k -log p_k, per example.

    Args:
        logits: float (..., q), q >= 2.
        given: int (...), in 0..q-1.

    Returns:
        float (...), in [0, 1]; sums to 1 over all labels.
    """
    every = logits.shape[-1] * logits.logsumexp(-1) - logits.sum(-1)
    return ce.loss(logits, given) / every


def loss_rce(logits: Tensor, given: Tensor, alpha: Tensor | float, beta: Tensor | float) -> Tensor:
    """alpha NCE + beta RCE, per example: (..., q), int (...) -> (...), >= 0."""
    return alpha * normalised_loss(logits, given) + beta * reverse_loss(logits, given)


def loss_mae(logits: Tensor, given: Tensor, alpha: Tensor | float, beta: Tensor | float) -> Tensor:
    """alpha NCE + beta MAE, per example: (..., q), int (...) -> (...), >= 0."""
    return alpha * normalised_loss(logits, given) + beta * mae.loss(logits, given)


PAPER = "Ma et al., Normalized loss functions for deep learning with noisy labels, ICML 2020"
SPACE = {
    "alpha": one_of(1, (1, 10), within="[0, inf)"),
    "beta": one_of(1, (0.1, 1, 100), within="[0, inf)"),
}

NCE_RCE = Algorithm(
    "nce+rce",
    pure_given(loss_rce, "alpha", "beta"),
    paper=PAPER,
    kind="noisy labels",
    summary="normalised cross-entropy plus the reverse cross-entropy",
    reads=("given",),
    space=SPACE,
)
NCE_MAE = Algorithm(
    "nce+mae",
    pure_given(loss_mae, "alpha", "beta"),
    paper=PAPER,
    kind="noisy labels",
    summary="normalised cross-entropy plus the absolute error",
    reads=("given",),
    space=SPACE,
)
