"""NCE+RCE and NCE+MAE: an active loss plus a passive one, both robust.

Any loss divided by its sum over all labels is symmetric. Of the cross-entropy that is NCE, which
alone learns too little; a passive loss beside it, one that pushes the other classes down, repairs
that.

Departs from the authors' program: the absolute error is 2 (1 - p_y), as in the paper, where that
has 1 - p_y; so the same beta weighs twice as much here.
"""

from __future__ import annotations

from torch import Tensor

from . import mae
from ._algorithm import Algorithm, pure_given
from ._space import one_of
from .sce import reverse_of_nats


def normalised_loss(logits: Tensor, given: Tensor) -> Tensor:
    """-log p_y / sum_k -log p_k, per example.

    Args:
        logits: float (..., q), q >= 2.
        given: int (...), in 0..q-1.

    Returns:
        float (...), in [0, 1]; sums to 1 over all labels.
    """
    nats, every = _own_and_all(logits, given)
    return nats / every


def _own_and_all(logits: Tensor, given: Tensor) -> tuple[Tensor, Tensor]:
    """-log p_y, and the sum of -log p_k over all classes."""
    log_all = logits.logsumexp(-1)
    own = log_all - logits.gather(-1, given[..., None])[..., 0]
    return own, logits.shape[-1] * log_all - logits.sum(-1)


def loss_rce(logits: Tensor, given: Tensor, alpha: Tensor | float, beta: Tensor | float) -> Tensor:
    """alpha NCE + beta RCE, per example: (..., q), int (...) -> (...), >= 0."""
    nats, every = _own_and_all(logits, given)
    return alpha * nats / every + beta * reverse_of_nats(nats)


def loss_mae(logits: Tensor, given: Tensor, alpha: Tensor | float, beta: Tensor | float) -> Tensor:
    """alpha NCE + beta MAE, per example: (..., q), int (...) -> (...), >= 0."""
    nats, every = _own_and_all(logits, given)
    return alpha * nats / every + beta * mae.of_nats(nats)


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
