"""CC: put probability anywhere inside the candidate set.

Departs from common code: works in log space, so that a confident wrong model gives a large finite
loss and a finite gradient (D-NUM-1).
"""

from __future__ import annotations

import torch
from torch import Tensor

from ._algorithm import Algorithm, pure


def loss(logits: Tensor, candidates: Tensor) -> Tensor:
    """Negative log-probability of the candidate set, per example.

    Args:
        logits: float (..., q).
        candidates: bool (..., q); each row has a True.

    Returns:
        float (...), in nats, >= 0; 0 when all probability is inside the set.
    """
    inside = logits.masked_fill(~candidates, -torch.inf)
    return logits.logsumexp(-1) - inside.logsumexp(-1)


CC = Algorithm(
    "CC",
    pure(loss),
    paper="Feng et al., Provably consistent partial-label learning, NeurIPS 2020",
    kind="set likelihood",
    summary="maximise the probability of the candidate set",
)
