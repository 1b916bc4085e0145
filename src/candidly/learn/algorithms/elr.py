"""elr: pull predictions towards what the network said of the example in earlier epochs.

Networks learn right labels first. A table t, 0 at first, keeps a running mean of each example's
probabilities, t <- beta t + (1 - beta) p / sum p with p clipped to [1e-4, 1 - 1e-4] and held
constant, refreshed before the loss; loss: -log p_y + lam log(1 - <t, p>). The second part is
negative, and so may the loss be; its gradient pushes p towards t, and takes away that of labels
which contradict it.

Departs from common code: none is known. The published schedules of the learning rate are not part
of it. In the second part p is clipped too, as in the released code: where it is 1 the gradient is
0, and log 0 is never met.
"""

from __future__ import annotations

import torch
from torch import Tensor

from . import ce
from ._algorithm import Algorithm, Stage
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of

CLIP = 1e-4


def rows(s: OneTrial):
    return {"target": torch.zeros((1, s.n, s.q), dtype=s.dtype)}


def refreshed(target: Tensor, logits: Tensor, beta: Tensor) -> Tensor:
    """The running mean with this pass in it: (..., q), (..., q), (...) -> (..., q)."""
    p = logits.detach().softmax(-1).clamp(CLIP, 1 - CLIP)
    beta = beta[..., None]
    return beta * target + (1 - beta) * p / p.sum(-1, keepdim=True)


def loss(logits: Tensor, given: Tensor, target: Tensor, lam: Tensor) -> Tensor:
    """-log p_y + lam log(1 - <t, p>) per example: (..., q), int (...), (..., q), (...) -> (...).

    ``target`` is the refreshed one, a constant.
    """
    p = logits.softmax(-1).clamp(CLIP, 1 - CLIP)
    return ce.loss(logits, given) + lam * torch.log1p(-(target * p).sum(-1))


def step(s: Trials, b: Batch):
    logits = s.net(b.x).logits
    target = refreshed(b.target, logits, s.hp.beta)
    return loss(logits, b.given, target, s.hp.lam).mean(-1), {"target": target}


ELR = Algorithm(
    "elr",
    (Stage(step),),
    paper="Liu et al., Early-learning regularization prevents memorization of noisy labels, "
    "NeurIPS 2020",
    kind="noisy labels",
    summary="predictions are pulled towards what they were before wrong labels were learned",
    reads=("given",),
    rows=rows,
    space={
        "beta": one_of(0.7, (0.7, 0.9), within="[0, 1)"),
        "lam": one_of(3, (1, 3, 7), within="[0, inf)"),
    },
)
