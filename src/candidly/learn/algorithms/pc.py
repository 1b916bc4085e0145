"""PC: no complementary label should beat another class in a comparison of their logits.

Two complementary labels of one example beat each other by 1/2 on average, whatever their logits.
Hence only pairs of a complementary label and a candidate move anything, and with
sigmoid(x) - 1/2 = tanh(x / 2) / 2 the loss's constants cancel.

Departs from common code: goes over those pairs by the r-th member of the smaller side, in all
examples at once, and takes the gradient in the same pass. That is B q numbers at a time, at most
q / 2 times; the released program holds q^2 for every example.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ._algorithm import Algorithm, pure_batch
from ._tensors import by_trial


def loss(logits: Tensor, candidates: Tensor) -> Tensor:
    """(q-1)/N sum over pairs (i, j) of sum_k sigmoid(z_ij - z_ik) - q(q-1)/2 + (q-1), per batch.

    Args:
        logits: float (..., B, q).
        candidates: bool (..., B, q).

    Returns:
        float (...), > 0; q - 1 for equal logits, 0 when there is no pair (N = 0).
    """
    pairs = (~candidates).sum((-2, -1))
    won = _Won.apply(logits, candidates).sum(-1) / pairs.clamp_min(1)
    return torch.where(pairs > 0, (logits.shape[-1] - 1) * (1 + won), 0)


class _Won(torch.autograd.Function):
    """sum_{j not in S} sum_{k in S} (sigmoid(z_j - z_k) - 1/2) per example: (..., q) -> (...)."""

    @staticmethod
    def forward(ctx, logits, candidates):
        inside = candidates.sum(-1, keepdim=True)
        swap = 2 * inside > logits.shape[-1]  # go over the non-candidates; the function is odd
        few = candidates ^ swap
        rank = few.cumsum(-1).masked_fill_(~few, 0)
        won, slope = torch.zeros_like(logits), torch.zeros_like(logits)
        # the number of rounds is read by the host: a fixed q / 2 costs far more than the wait
        for r in range(1, int(rank.max()) + 1):
            chosen = rank == r
            against = chosen.any(-1, keepdim=True) & ~few
            gap = logits - (logits * chosen).sum(-1, keepdim=True)
            lost = by_trial(torch.sigmoid, gap.abs().neg_())  # at most 1/2: exact for any gap
            won += (0.5 - lost).copysign_(gap).mul_(against)
            slopes = lost.mul_(1 - lost).mul_(against)
            slope += slopes.addcmul_(
                chosen.to(slopes.dtype), slopes.sum(-1, keepdim=True), value=-1
            )
        sign = torch.where(swap, -1, 1).to(logits.dtype)
        ctx.save_for_backward(slope.mul_(sign))
        return won.mul_(sign).sum(-1)

    @staticmethod
    def backward(ctx, grad):
        (slope,) = ctx.saved_tensors
        return grad[..., None] * slope, None


PC = Algorithm(
    "PC",
    pure_batch(loss),
    paper="Ishida et al., Learning from complementary labels, NeurIPS 2017",
    kind="complementary",
    summary="candidates should win pairwise comparisons with non-candidates",
)
