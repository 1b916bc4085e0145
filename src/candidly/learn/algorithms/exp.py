"""EXP: a bounded loss of the candidate set's probability, with more weight for larger sets.

Departs from common code: a full set, which says nothing, weighs 0, though it counts in the batch's
mean. The released program divides by q - s = 0 there, and one such row ends the run (D-EXP-1);
``plench`` keeps that.
"""

from __future__ import annotations

from torch import Tensor

from ._algorithm import Algorithm, pure
from ._tensors import complementary_weight


def loss(logits: Tensor, candidates: Tensor) -> Tensor:
    """(q - 1) / (q - s) exp(-p_S), per example.

    Args:
        logits: float (..., q).
        candidates: bool (..., q); each row has a True.

    Returns:
        float (...), in (0, q - 1]; 0 for a full set.
    """
    return complementary_weight(candidates, logits.dtype) * _decay(logits, candidates)


def loss_plench(logits: Tensor, candidates: Tensor) -> Tensor:
    """The same; infinite for a full set."""
    outside = (~candidates).sum(-1)
    return (logits.shape[-1] - 1) * _decay(logits, candidates) / outside


def _decay(logits: Tensor, candidates: Tensor) -> Tensor:
    return (logits.softmax(-1) * candidates).sum(-1).neg().exp()


EXP = Algorithm(
    "EXP",
    pure(loss),
    paper="Feng et al., Learning with multiple complementary labels, ICML 2020",
    kind="set likelihood",
    summary="a bounded loss of the candidate set's probability",
    variants={"plench": {"stages": pure(loss_plench)}},
    differences={
        "plench": "The weight of a full candidate set divides by 0, so that one such set ends the "
        "run (D-EXP-1)."
    },
)
