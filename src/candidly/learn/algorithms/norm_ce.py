"""norm-ce: cross-entropy on logits of length one, divided by a temperature.

What published tables call sparse regularisation with its penalty set to 0. An example's
probabilities then have a ceiling, so that a wrong label can only be learnt so well. Classes are
ranked as by the logits themselves.
"""

from __future__ import annotations

import torch
from torch import Tensor

from . import ce
from ._algorithm import Algorithm, pure_given
from ._space import one_of

SHORTEST = 1e-4  # logits that are all 0 have no direction, and a huge gradient


def normalised(logits: Tensor, tau: Tensor | float) -> Tensor:
    """z / (|z| tau), of Euclidean length 1 / tau.

    Args:
        logits: float (..., q).
        tau: above 0, a number or (..., 1) to go with (..., q).

    Returns:
        float (..., q).
    """
    length = torch.linalg.vector_norm(logits, dim=-1, keepdim=True)
    return logits / (length.clamp_min(SHORTEST) * tau)


def loss(logits: Tensor, given: Tensor, tau: Tensor) -> Tensor:
    """Cross-entropy on ``normalised`` logits, per example: (..., B, q), (..., B), (..., 1)."""
    return ce.loss(normalised(logits, tau[..., None]), given)


NORM_CE = Algorithm(
    "norm-ce",
    pure_given(loss, "tau"),
    paper="Zhou et al., Learning with noisy labels via sparse regularization, ICCV 2021, without "
    "its penalty",
    kind="noisy labels",
    summary="cross-entropy on logits of length one",
    reads=("given",),
    space={"tau": one_of(0.1, (0.05, 0.1, 0.5, 1), within="(0, inf)")},
)
