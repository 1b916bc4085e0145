"""ABS-GCE: the generalised cross-entropy averaged over the candidates.

Departs from common code: the power is taken in log space, p^a = exp(a log p). The released program
differentiates p^0.7 at p = 0, which kills the network as soon as one probability underflows
(D-GCE-1); ``plench`` keeps that.
"""

from __future__ import annotations

from torch import Tensor

from ._algorithm import SPELLED, Algorithm, pure, spelled
from ._tensors import by_trial

A = 0.7


def loss(logits: Tensor, candidates: Tensor) -> Tensor:
    """(1/s) sum_{j in S} (1 - p_j^a) / a, per example.

    Args:
        logits: float (..., q).
        candidates: bool (..., q); each row has a True.

    Returns:
        float (...), in [0, 1/a].
    """
    return _average((A * logits.log_softmax(-1)).exp(), candidates)


def loss_plench(logits: Tensor, candidates: Tensor) -> Tensor:
    """The same value; its gradient is NaN once a probability underflows."""
    return _average(by_trial(lambda p: p**A, logits.softmax(-1)), candidates)


def _average(powers: Tensor, candidates: Tensor) -> Tensor:
    inside = candidates.sum(-1).to(powers.dtype)  # of an integer, A * inside would be float32
    return (candidates * (1 - powers)).sum(-1) / (A * inside)


ABS_GCE = Algorithm(
    "ABS-GCE",
    pure(loss),
    paper="Lv et al., On the robustness of average losses for partial-label learning, TPAMI 2024",
    kind="average loss",
    summary="a bounded loss averaged over the candidates with equal weights",
    variants={"plench": {"stages": pure(loss_plench), **spelled("ABS_GCE")}},
    differences={
        "plench": "The power p^0.7 is differentiated at p = 0, so that a probability that "
        "underflows ends the run (D-GCE-1). " + SPELLED.format("ABS_GCE")
    },
)
