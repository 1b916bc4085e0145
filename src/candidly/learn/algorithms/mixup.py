"""mixup: train on mixtures of two inputs, with the labels of both.

Each update draws one share l ~ Beta(alpha, alpha) per trial and a permutation of its batch, which
says who is mixed with whom.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from . import ce
from ._algorithm import Algorithm, Stage
from ._protocol import Batch, Trials
from ._space import one_of


def loss(logits: Tensor, first: Tensor, second: Tensor, share: Tensor | float) -> Tensor:
    """-l log p_y - (1 - l) log p_y', per example.

    Args:
        logits: float (..., B, q), of the mixed inputs.
        first, second: int (..., B), the labels of what was mixed.
        share: l, the first one's, in [0, 1], (..., 1).

    Returns:
        float (..., B), in nats, >= 0.
    """
    return share * ce.loss(logits, first) + (1 - share) * ce.loss(logits, second)


def step(s: Trials, b: Batch):
    drawn = s.rng("mixup")
    alphas = [float(hyper["alpha"]) for hyper in s.hyper]
    shares = [[g.beta(a, a) if a > 0 else 1.0] for g, a in zip(drawn, alphas)]
    share = torch.tensor(shares, dtype=s.dtype, device=b.x.device)
    partner = torch.from_numpy(np.stack([g.permutation(s.B) for g in drawn])).to(b.x.device)
    places = partner + s.B * torch.arange(s.K, device=b.x.device)[:, None]

    def mix(values: Tensor) -> Tensor:
        other = values.flatten(0, 1).index_select(0, places.flatten()).view_as(values)
        return other.lerp_(values, share.view(s.K, 1, *[1] * (values.dim() - 2)))

    logits = s.net.mixed(b.x, mix).logits
    return loss(logits, b.given, b.given.gather(1, partner), share).mean(-1)


MIXUP = Algorithm(
    "mixup",
    (Stage(step),),
    paper="Zhang et al., mixup: Beyond empirical risk minimization, ICLR 2018",
    kind="noisy labels",
    summary="cross-entropy on mixtures of two inputs and both their labels",
    reads=("given",),
    space={"alpha": one_of(1, (0.2, 0.4, 1, 8), within="[0, inf)")},
)
