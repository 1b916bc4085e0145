"""SCL-EXP: the exponential of each complementary label's probability.

Averages are over the batch's (example, complementary label) pairs (D-CLL-1). A batch of full
candidate sets has no pair: its loss is 0.
"""

from __future__ import annotations

from torch import Tensor

from ._algorithm import SPELLED, Algorithm, pure_batch, spelled
from ._tensors import pair_mean


def loss(logits: Tensor, candidates: Tensor) -> Tensor:
    """(1/N) sum over pairs of exp(p_j), per batch.

    Args:
        logits: float (..., B, q).
        candidates: bool (..., B, q).

    Returns:
        float (...), in [1, e] when there is a pair (N > 0), else 0.
    """
    return pair_mean(logits.softmax(-1).exp(), candidates)


SCL_EXP = Algorithm(
    "SCL-EXP",
    pure_batch(loss),
    paper="Chou et al., Unbiased risk estimators can mislead: a case study of learning with "
    "complementary labels, ICML 2020",
    kind="complementary",
    summary="the exponential of each non-candidate's probability",
    variants={"plench": spelled("SCL_EXP")},
    differences={"plench": SPELLED.format("SCL_EXP")},
)
