"""Forward: every non-candidate is a complementary label drawn by a uniform transition matrix.

Averages are over the batch's (example, complementary label) pairs, so examples with small
candidate sets weigh more (D-CLL-1). A batch of full candidate sets has no pair: its loss is 0.

Departs from common code: log(1 - p) is a leave-one-out logsumexp, exact and with a finite gradient
at any logits (D-NUM-1). Up to the constant log(q - 1) this is SCL-NL (D-CLL-2).
"""

from __future__ import annotations

import math

from torch import Tensor

from ._algorithm import Algorithm, pure_batch
from ._tensors import log_complement, pair_mean


def loss(logits: Tensor, candidates: Tensor) -> Tensor:
    """-(1/N) sum over pairs of log((1 - p_j) / (q - 1)), per batch.

    Args:
        logits: float (..., B, q).
        candidates: bool (..., B, q).

    Returns:
        float (...), >= 0 when there is a pair (N > 0), else 0.
    """
    each = math.log(max(logits.shape[-1] - 1, 1)) - log_complement(logits)
    return pair_mean(each, candidates)


FORWARD = Algorithm(
    "Forward",
    pure_batch(loss),
    paper="Yu et al., Learning with biased complementary labels, ECCV 2018",
    kind="complementary",
    summary="forward correction of a uniform complementary-label matrix",
)
