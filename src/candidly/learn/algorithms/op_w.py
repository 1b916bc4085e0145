"""OP-W: cross-entropy on the softmax of the negated logits, weighted by order-preserving weights.

Averages are over the batch's (example, complementary label) pairs (D-CLL-1). A batch of full
candidate sets has no pair: its loss is 0. Nothing is detached: the gradient flows through the
weights.

Departs from common code: log b is a log-softmax, kept above log 1e-18, and 1/b its exponential, so
that no derivative is formed as 1/b^2, which reaches 1e36. 1/b itself reaches 1e18: float32 or
better. The released program adds the 1e-18, which matters where b is about as small (D-OP-1);
``plench`` does.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ._algorithm import SPELLED, Algorithm, pure_batch, spelled
from ._tensors import pair_mean

LEAST = 1e-18


def loss(logits: Tensor, candidates: Tensor) -> Tensor:
    """-(1/N) sum over pairs of m_j log b_j, per batch.

    b = softmax(-z), at least 1e-18, m = (softmax(z) + 1e-18) * softmax(1 / b) + 1e-6.

    Args:
        logits: float (..., B, q).
        candidates: bool (..., B, q).

    Returns:
        float (...), >= 0; 0 when there is no pair (N = 0).
    """
    return _weighted(logits, (-logits).log_softmax(-1).clamp_min(math.log(LEAST)), candidates)


def loss_plench(logits: Tensor, candidates: Tensor) -> Tensor:
    """The released program's: b = softmax(-z) + 1e-18."""
    log_b = (-logits).log_softmax(-1)
    least = torch.full_like(log_b, math.log(LEAST))
    return _weighted(logits, torch.logaddexp(log_b, least), candidates)


def _weighted(logits: Tensor, log_b: Tensor, candidates: Tensor) -> Tensor:
    weights = (logits.softmax(-1) + LEAST) * (-log_b).exp().softmax(-1) + 1e-6
    return pair_mean(-weights * log_b, candidates)


OP_W = Algorithm(
    "OP-W",
    pure_batch(loss),
    paper="Liu et al., Consistent complementary-label learning via order-preserving losses, "
    "AISTATS 2023",
    kind="complementary",
    summary="cross-entropy on the negated logits, with order-preserving weights",
    variants={"plench": {"stages": pure_batch(loss_plench), **spelled("OP_W")}},
    differences={
        "plench": "1e-18 is added to the softmax of the negated logits, where the default keeps it "
        "above 1e-18 (D-OP-1). " + SPELLED.format("OP_W")
    },
)
