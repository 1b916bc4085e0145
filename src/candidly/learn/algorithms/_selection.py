"""What methods that learn from small losses share: ranks, exchange, forget rates.

Everything takes leading axes. A network axis, (K, 2, B), is flipped where each network learns from
what the other has chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from . import ce
from ._algorithm import Stage, each_epoch
from ._mixture import clean_probability
from ._protocol import OneTrial, Trials
from ._space import one_of

SPACE = {
    "noise_rate": one_of(0.2, (0.1, 0.2, 0.3, 0.4, 0.5), within="[0, 1)"),
    "ramp": one_of(10, (3, 5, 8, 10), within="[1, inf)", whole=True),
}
ESTIMATED_SPACE = {"ramp": SPACE["ramp"]}
NO_RATE = (
    "Needs no noise rate: keeps everything for `ramp` epochs, then takes the mean posterior of the "
    "larger component of a mixture fitted to the training rows' losses."
)

Forget = Callable[[Any], Tensor]


def losses(logits: Tensor, given: Tensor) -> Tensor:
    """-log p_y of every network: (..., M, B, q), int (..., B) -> (..., M, B)."""
    return ce.loss(logits, given.unsqueeze(-2).expand(logits.shape[:-1]))


def smallest(values: Tensor, count: Tensor) -> Tensor:
    """Which are the ``count`` smallest of a row: (..., B), (..., 1) -> bool (..., B).

    Exactly so many, or all there are. Of equals those that come first; what is not a number last.
    """
    order = values.argsort(dim=-1, stable=True)
    places = torch.arange(values.shape[-1], device=values.device).expand_as(order)
    return torch.empty_like(order).scatter_(-1, order, places) < count


def kept(rate: Tensor, size: Tensor | int, rounded: bool = False) -> Tensor:
    """How many of ``size`` are left at a forget rate: floor((1 - R) size), or the nearest."""
    # a product that should be whole may lie below by its rounding
    return ((1 - rate) * size + (0.5 if rounded else 1e-3)).floor()


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """Mean over the True entries of the last axis; 0 where there is none: (..., B) -> (...)."""
    return torch.where(mask, values, 0).sum(-1) / mask.sum(-1).clamp_min(1)


def forget(s: Trials) -> Tensor:
    """R = noise_rate min(T / ramp, 1) in epoch T = 1, 2, ...: (K, 1, 1)."""
    return s.hp.noise_rate * ((s.epoch + 1) / s.hp.ramp).clamp_max(1)


def forget_table(s: Trials) -> Tensor:
    """R from 0 in the first epoch, linearly to noise_rate in epoch ``ramp``: (K, 1, 1)."""
    return s.hp.noise_rate * (s.epoch / (s.hp.ramp - 1).clamp_min(1)).clamp_max(1)


def forget_estimated(s: Trials) -> Tensor:
    """The estimate, and 0 until it is there: (K, 1, 1)."""
    return s.memory["rate"]


def no_rate(s: OneTrial) -> dict[str, Tensor]:
    return {"rate": torch.zeros(1, 1, 1, dtype=s.dtype)}


def label_losses(s: Trials, k: int, network: int | None = None) -> Tensor:
    """-log p_y of trial ``k``'s training rows, (n,)."""
    return ce.loss(s.whole(k, network).logits, s.labels("given")[k])


def estimate(s: Trials) -> dict[str, Tensor]:
    """The noise rate of trials whose ramp has just ended, from both networks' mean losses."""
    due = (s.hp.ramp.flatten() == s.epoch) & s.alive
    if not bool(due.any()):
        return {}
    rate = s.memory["rate"].clone()
    for k in due.nonzero().flatten().tolist():
        each = torch.stack([label_losses(s, k, m) for m in range(s.algorithm.networks)])
        rate[k] = 1 - clean_probability(each.mean(0)).mean()
    return {"rate": rate}


def estimated(step: Callable[[Forget], Callable[..., Any]]) -> Mapping[str, Any]:
    """The fields of a variant that estimates its noise rate, for ``step(forget)``."""
    return {
        "stages": (Stage(step(forget_estimated), whole=each_epoch(estimate)),),
        "memory": no_rate,
        "told": (),
    }
