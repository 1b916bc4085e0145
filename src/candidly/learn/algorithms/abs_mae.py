"""ABS-MAE: the absolute error averaged over the candidates.

Departs from common code: a closed form of B q operations; the released program holds B q^2 numbers.
"""

from __future__ import annotations

from torch import Tensor

from ._algorithm import SPELLED, Algorithm, pure, spelled


def loss(logits: Tensor, candidates: Tensor) -> Tensor:
    """(1/s) sum_{j in S} sum_k |p_k - 1[k=j]| = 2 - 2 p_S / s, per example.

    Args:
        logits: float (..., q).
        candidates: bool (..., q); each row has a True.

    Returns:
        float (...), in [2 - 2/s, 2].
    """
    return 2 - 2 * (logits.softmax(-1) * candidates).sum(-1) / candidates.sum(-1)


ABS_MAE = Algorithm(
    "ABS-MAE",
    pure(loss),
    paper="Lv et al., On the robustness of average losses for partial-label learning, TPAMI 2024",
    kind="average loss",
    summary="the absolute error averaged over the candidates with equal weights",
    variants={"plench": spelled("ABS_MAE")},
    differences={"plench": SPELLED.format("ABS_MAE")},
)
