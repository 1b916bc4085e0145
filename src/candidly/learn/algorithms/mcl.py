"""MCL-GCE and MCL-MSE: an unbiased estimate of the supervised risk, for two bounded losses.

Let L_j be an example's loss if its label were j. Averaged over all sets of s classes that contain
the label y,

    sum_{j in S} L_j - (s - 1) / (q - s) sum_{j not in S} L_j

is L_y, whatever the losses. It may be negative. A full set cannot be estimated from: the second sum
is empty and the first remains, which favours equal probabilities.

Departs from common code: the released program has the sum over non-candidates in the denominator
(D-MCL-1), and differentiates the power of MCL-GCE at p = 0 (D-GCE-1); ``plench`` keeps both.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ._algorithm import SPELLED, Algorithm, pure, spelled
from ._tensors import by_trial

A = 0.7


def gce(logits: Tensor) -> Tensor:
    """(1 - p_j^a) / a for every class j: (..., q) -> (..., q), in [0, 1/a]."""
    return -torch.expm1(A * logits.log_softmax(-1)) / A


def gce_plench(logits: Tensor) -> Tensor:
    """The same value; its gradient is NaN once a probability underflows."""
    return (1 - by_trial(lambda p: p**A, logits.softmax(-1))) / A


def mse(logits: Tensor) -> Tensor:
    """sum_k (p_k - 1[k=j])^2 for every class j: (..., q) -> (..., q), in [0, 2]."""
    probs = logits.softmax(-1)
    return 1 - 2 * probs + probs.square().sum(-1, keepdim=True)


def estimate(losses: Tensor, candidates: Tensor) -> Tensor:
    """sum_{j in S} L_j - (s - 1) / (q - s) sum_{j not in S} L_j, per example.

    Args:
        losses: float (..., q), L_j for every class.
        candidates: bool (..., q); each row has a True.

    Returns:
        float (...); L_y for a singleton.
    """
    inside = candidates.sum(-1, keepdim=True).to(losses.dtype)
    against = (1 - inside) / (candidates.shape[-1] - inside).clamp_min(1)
    return torch.where(candidates, losses, against * losses).sum(-1)


def estimate_plench(losses: Tensor, candidates: Tensor) -> Tensor:
    """The released program's: sum_{j in S} L_j - (s - 1) / ((q - s) sum_{j not in S} L_j + 1e-20).

    In float64 from the sums on, as there: with a full set 1e-20 is all there is to divide by, and
    the derivative, 1e40 times 0, would be NaN in float32.
    """
    losses, inside = losses.double(), candidates.sum(-1)
    of_candidates = (losses * candidates).sum(-1)
    of_others = (losses * ~candidates).sum(-1)
    outside = candidates.shape[-1] - inside
    return of_candidates - (inside - 1) / (outside * of_others + 1e-20)


def loss_gce(logits: Tensor, candidates: Tensor) -> Tensor:
    """The estimate for the generalised cross-entropy, per example: (..., q), bool -> (...)."""
    return estimate(gce(logits), candidates)


def loss_mse(logits: Tensor, candidates: Tensor) -> Tensor:
    """The estimate for the squared error, per example: (..., q), bool -> (...)."""
    return estimate(mse(logits), candidates)


def loss_gce_plench(logits: Tensor, candidates: Tensor) -> Tensor:
    return estimate_plench(gce_plench(logits), candidates)


def loss_mse_plench(logits: Tensor, candidates: Tensor) -> Tensor:
    return estimate_plench(mse(logits), candidates)


PAPER = "Feng et al., Learning with multiple complementary labels, ICML 2020"
INVERTED = (
    "The sum over non-candidates is in the denominator, which is biased, unbounded below and "
    "pushes non-candidates up (D-MCL-1)"
)

MCL_GCE = Algorithm(
    "MCL-GCE",
    pure(loss_gce),
    paper=PAPER,
    kind="complementary",
    summary="an unbiased estimate of the supervised risk under the generalised cross-entropy",
    variants={"plench": {"stages": pure(loss_gce_plench), **spelled("MCL_GCE")}},
    differences={
        "plench": f"{INVERTED}; the power p^0.7 is differentiated at p = 0, so that a probability "
        "that underflows ends the run (D-GCE-1). " + SPELLED.format("MCL_GCE")
    },
)
MCL_MSE = Algorithm(
    "MCL-MSE",
    pure(loss_mse),
    paper=PAPER,
    kind="complementary",
    summary="an unbiased estimate of the supervised risk under the squared error",
    variants={"plench": {"stages": pure(loss_mse_plench), **spelled("MCL_MSE")}},
    differences={"plench": f"{INVERTED}. " + SPELLED.format("MCL_MSE")},
)
