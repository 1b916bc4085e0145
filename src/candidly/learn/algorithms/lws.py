"""LWS: a leveraged sum of sigmoid losses, candidates against non-candidates.

Its logits are not log-probabilities up to a constant, so approximated accuracy (AA) does not suit
it as a criterion.

Departs from common code: the weights of each side are an exact masked softmax, all zero when the
side is empty. The released program guards the division with 1e-8 per class, so that a side's
weights vanish once its mass is far below that (D-LWS-1); ``plench`` keeps that.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._tensors import by_trial, masked_softmax

GUARD = 1e-8  # the released program's, per class


def rows(s: OneTrial):
    return {"weights": torch.full_like(s.candidates, 1 / s.q, dtype=s.dtype)}


def loss(logits, candidates, weights, beta):
    """sum_{j in S} w_j sigmoid(-z_j) + beta sum_{j not in S} w_j sigmoid(z_j), per example.

    Args:
        logits, weights: float (..., q).    candidates: bool (..., q).
        beta: leverage of the non-candidates, broadcastable to the logits.

    Returns:
        float (...), >= 0.
    """
    each = by_trial(torch.sigmoid, torch.where(candidates, -logits, logits))
    return (weights * each * torch.where(candidates, 1, beta)).sum(-1)


def step(s: Trials, b: Batch):
    return loss(s.net(b.x).logits, b.candidates, b.weights, s.hp.beta[..., None]).mean(-1)


def after(s: Trials, b: Batch):
    logits = s.net(b.x).logits
    sides = masked_softmax(logits, b.candidates) + masked_softmax(logits, ~b.candidates)
    return {"weights": sides}


def guarded(logits: Tensor, candidates: Tensor) -> Tensor:
    """The released program's weights, p_j / sum_k (p_k + 1e-8) on each side: (..., q).

    The sum runs over all q classes, with p_k = 0 on the other side.
    """
    probs = logits.softmax(-1)
    sides = (probs * candidates, probs * ~candidates)
    first, second = (side / (side + GUARD).sum(-1, keepdim=True) for side in sides)
    return first + second


def after_plench(s: Trials, b: Batch):
    return {"weights": guarded(s.net(b.x).logits, b.candidates)}


LWS = Algorithm(
    "LWS",
    (Stage(step, after),),
    paper="Wen et al., Leveraged weighted loss for partial label learning, ICML 2021",
    kind="identification",
    summary="sigmoid losses on both sides of the candidate set, weighted by the model",
    rows=rows,
    space={"beta": one_of(2, (1, 2), text="lw_weight", within="[0, inf)")},
    variants={"plench": {"stages": (Stage(step, after_plench),), "version": 2}},
    differences={
        "plench": "The weights are divided by their side's mass plus 1e-8 per class, so that a "
        "side far below that loses its weight (D-LWS-1)."
    },
)
