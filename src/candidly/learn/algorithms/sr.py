"""SR, sparse regularisation: normalised logits, and a penalty on probabilities that are not 0 or 1.

The penalty's weight may grow with the epochs, lam * rho^(epoch // every); by default it does not,
as in the released program. Its published schedules are for 50 to 200 epochs: with small data and
thousands of them the power knows no bound.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, Trials
from ._space import one_of
from .norm_ce import normalised

LOG_LEAST = math.log(1e-7)  # the power's slope is infinite at 0


def penalty(log_probs: Tensor, power: Tensor | float) -> Tensor:
    """sum_j max(u_j, 1e-7)^p, of log u: (..., q) -> (...), at most q^(1-p)."""
    return (power * log_probs.clamp_min(LOG_LEAST)).exp().sum(-1)


def weight(lam: Tensor, rho: Tensor, every: Tensor, epoch: int) -> Tensor:
    """lam * rho^(epoch // every), and lam itself where ``every`` is 0."""
    passed = torch.where(every > 0, epoch // every.clamp_min(1), 0)
    return lam * rho**passed


def loss(logits: Tensor, given: Tensor, tau: Tensor, power: Tensor, lam: Tensor) -> Tensor:
    """Cross-entropy plus ``lam`` times the penalty, both on normalised logits, per example.

    Args:
        logits: float (..., B, q).
        given: int (..., B), in 0..q-1.
        tau, power, lam: (..., 1).

    Returns:
        float (..., B), >= 0.
    """
    log_probs = normalised(logits, tau[..., None]).log_softmax(-1)
    own = log_probs.gather(-1, given[..., None])[..., 0]
    return lam * penalty(log_probs, power[..., None]) - own


def step(s: Trials, b: Batch):
    lam = weight(s.hp.lam, s.hp.rho, s.hp.every, s.epoch)
    return loss(s.net(b.x).logits, b.given, s.hp.tau, s.hp.power, lam).mean(-1)


SR = Algorithm(
    "sr",
    (Stage(step),),
    paper="Zhou et al., Learning with noisy labels via sparse regularization, ICCV 2021",
    kind="noisy labels",
    summary="normalised logits and a penalty that favours one-hot probabilities",
    reads=("given",),
    space={
        "tau": one_of(0.5, (0.1, 0.5, 1), within="(0, inf)"),
        "power": one_of(0.1, (0.01, 0.1), within="(0, 1)"),
        "lam": one_of(1.2, (1.2, 4, 5, 10), within="[0, inf)"),
        "rho": one_of(1.02, (1.02, 1.03), within="(0, inf)"),
        "every": one_of(0, (0,), within="[0, inf)", whole=True),
    },
)
