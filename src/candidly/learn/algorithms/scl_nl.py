"""SCL-NL: the negative log of one minus each complementary label's probability.

Averages are over the batch's (example, complementary label) pairs (D-CLL-1). A batch of full
candidate sets has no pair: its loss is 0. Up to the constant log(q - 1) and the guard of 1e-6 this
is Forward (D-CLL-2). The guard is part of the method here: it stops the loss at 13.8 and lets go of
a pair that the model has got far too wrong, where Forward keeps pushing.

Departs from common code: 1 - p is a leave-one-out sum and not a difference, in log space.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ._algorithm import SPELLED, Algorithm, pure_batch, spelled
from ._tensors import log_complement, pair_mean

GUARD = 1e-6


def loss(logits: Tensor, candidates: Tensor) -> Tensor:
    """-(1/N) sum over pairs of log(1 - p_j + 1e-6), per batch.

    Args:
        logits: float (..., B, q).
        candidates: bool (..., B, q).

    Returns:
        float (...), in [-1e-6, 13.9] when there is a pair (N > 0), else 0.
    """
    kept = log_complement(logits)
    return pair_mean(-torch.logaddexp(kept, torch.full_like(kept, math.log(GUARD))), candidates)


SCL_NL = Algorithm(
    "SCL-NL",
    pure_batch(loss),
    paper="Chou et al., Unbiased risk estimators can mislead: a case study of learning with "
    "complementary labels, ICML 2020",
    kind="complementary",
    summary="the log-loss of each non-candidate being wrong; Forward, but bounded",
    variants={"plench": spelled("SCL_NL")},
    differences={"plench": SPELLED.format("SCL_NL")},
)
