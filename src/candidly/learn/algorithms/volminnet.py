"""volminnet: learn the transition matrix with the network, and keep its volume small.

T has 1 on the diagonal and sigmoids beside it, rows normalised. The loss is -log (p T)_y + lam
log |det T|: of all T that explain the given labels, the one of the smallest volume. Predictions
are p's, not p T's.

Departs from common code: T's weights move with the network's rate and kind of optimiser, without
weight decay; the published recipes use SGD, at 0.01 for both.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ._algorithm import Algorithm, Own, Stage
from ._protocol import Batch, Trials
from ._space import one_of
from ._transition import forward_loss

INITIAL = -2.0  # of the weights: 0.12 for each wrong label, before rows are normalised


def transition(classes: int) -> np.ndarray:
    """The weights (q, q) that T is made of."""
    return np.full((classes, classes), INITIAL)


def matrix(weights: Tensor) -> Tensor:
    """T: 1 on the diagonal, sigmoid(w) beside it, rows normalised: (..., q, q) -> (..., q, q)."""
    diagonal = torch.eye(weights.shape[-1], dtype=torch.bool, device=weights.device)
    parts = weights.sigmoid().masked_fill(diagonal, 1)
    return parts / parts.sum(-1, keepdim=True)


def step(s: Trials, b: Batch):
    shares = matrix(s.parameters["transition"])
    volume = torch.linalg.slogdet(shares).logabsdet
    nats = forward_loss(s.net(b.x).logits, b.given, shares).mean(-1)
    return nats + s.hp.lam[:, 0] * volume


VOLMINNET = Algorithm(
    "volminnet",
    (Stage(step, own={"transition": Own()}),),
    paper="Li et al., Provably end-to-end label-noise learning without anchor points, ICML 2021",
    kind="noisy labels",
    summary="learns a transition matrix of small volume with the network",
    reads=("given",),
    parameters={"transition": transition},
    space={"lam": one_of(1e-4, (1e-4,), within="[0, inf)")},
)
