"""LOG: CC, with more weight for examples that have more candidates.

An upper bound of the complementary risk for a bounded loss of the candidates' probability. A full
set would have infinite weight and loss 0; it says nothing and weighs 0, though it counts in the
batch's mean.

Departs from common code: works in log space (D-NUM-1).
"""

from __future__ import annotations

from torch import Tensor

from . import cc
from ._algorithm import Algorithm, pure
from ._tensors import complementary_weight


def loss(logits: Tensor, candidates: Tensor) -> Tensor:
    """-(q - 1) / (q - s) log p_S, per example.

    Args:
        logits: float (..., q).
        candidates: bool (..., q); each row has a True.

    Returns:
        float (...), >= 0; 0 for a full set.
    """
    return complementary_weight(candidates, logits.dtype) * cc.loss(logits, candidates)


LOG = Algorithm(
    "LOG",
    pure(loss),
    paper="Feng et al., Learning with multiple complementary labels, ICML 2020",
    kind="set likelihood",
    summary="CC with more weight for larger candidate sets",
)
