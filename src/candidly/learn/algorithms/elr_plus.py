"""elr+: two networks, each pulled towards what the average of the other's weights said.

Beside each network m stands its teacher, a running mean of its weights: after update t (from 1),
teacher <- a teacher + (1 - a) weights, a = ``decay`` exp(-5 (1 - t / ``ramp``)²), and ``decay``
from update ``ramp`` on. The table t of network m keeps what the *other* network's teacher says of
each example as it is, t <- beta t + (1 - beta) p, as in elr. Each network learns from a mixture of
its own: the batch with a permutation of itself, shares l and 1 - l, l = max(b, 1 - b), b ~
Beta(``alpha``, ``alpha``); labels and the refreshed t are mixed alike. With y and t so mixed and p
of the mixed input, loss: -sum_j y_j log p_j + lam log(1 - <t, p>), lam growing as a does over its
first ``lam_ramp`` updates; 0: from the start. Predictions are the mean of both networks' logits.

``elr+:many-classes``, published for 100 classes, has y_j t_j / sum_i y_i t_i for y.

Departs from common code: both networks see the same batches, and move together; the released
program trains one for an epoch, then the other, on batches of their own, and for synthetic noise
gives the two labels that were drawn independently (D-ELR-1). There p is not clipped in the table;
here it is as in elr, so that no y t vanishes. The released ramps are of 40,000 updates, which is
half of that training.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from . import elr
from ._algorithm import Algorithm, Stage
from ._copies import copy_of
from ._mixmatch import mixed
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._tensors import cross_entropy


def rows(s: OneTrial):
    return {"target": torch.zeros((1, s.n, 2, s.q), dtype=s.dtype)}


def teacher(net, classes, hyper):
    return net


def grown(s: Trials, ramp: str, done: int) -> Tensor:
    """exp(-5 (1 - t / r)²) behind ``done`` updates, 1 from r on: (K, 1, 1)."""
    shares = [min(1.0, done / h[ramp]) if h[ramp] else 1.0 for h in s.hyper]
    values = [math.exp(-5 * (1 - share) ** 2) for share in shares]
    return torch.tensor(values, dtype=s.dtype, device=s.device)[:, None, None]


def draws(s: Trials) -> tuple[Tensor, Tensor]:
    """The share and the permutation of every network: (K, 2), int (K, 2, B)."""
    shares, orders = [], []
    for g, hyper in zip(s.rng("mixup"), s.hyper):
        alpha = float(hyper["alpha"])
        own = g.beta(alpha, alpha, 2) if alpha > 0 else np.ones(2)
        shares.append(np.maximum(own, 1 - own))
        orders.append([g.permutation(s.B) for _ in range(2)])
    share = torch.from_numpy(np.stack(shares)).to(s.device, s.dtype)
    return share, torch.from_numpy(np.stack(orders)).to(s.device)


def weighted(label: Tensor, target: Tensor) -> Tensor:
    """label times target over their sum: (..., q), (..., q) > 0 -> (..., q), rows sum to 1."""
    product = label * target
    return product / product.sum(-1, keepdim=True)


def plain(label: Tensor, target: Tensor) -> Tensor:
    return label


def losses(logits: Tensor, label: Tensor, target: Tensor, lam: Tensor) -> Tensor:
    """-sum_j y_j log p_j + lam log(1 - <t, p>) per example: (..., q) thrice, (...) -> (...)."""
    p = logits.softmax(-1).clamp(elr.CLIP, 1 - elr.CLIP)
    return cross_entropy(label, logits) + lam * torch.log1p(-(target * p).sum(-1))


def step_with(labels):
    """The step under a way to make labels of (mixed labels, mixed targets)."""

    def step(s: Trials, b: Batch):
        with torch.no_grad():
            said = s.teacher(b.x).logits.flip(1)  # network m is told by the other's teacher
            target = elr.refreshed(b.target.transpose(1, 2), said, s.hp.beta)
            share, order = draws(s)
            label = one_hot(b.given, s.q).to(s.dtype)[:, None].expand_as(target)
            x = b.x[:, None].expand(-1, 2, *b.x.shape[1:])
            of_mixture = mixed(target, order, share)
            label = labels(mixed(label, order, share), of_mixture)
        lam = s.hp.lam * grown(s, "lam_ramp", s.t + 1)
        logits = s.net.mixed(x, partial(mixed, order=order, share=share)).logits
        each = losses(logits, label, of_mixture, lam)
        return each.mean(-1), {"target": target.transpose(1, 2)}

    return step


def begin(s: Trials):
    return copy_of(s.net, "teacher")


def after(s: Trials, b: Batch):
    kept = (s.hp.decay * grown(s, "ramp", s.t + 1))[:, 0]
    return copy_of(s.net, "teacher", s.net.flat.lerp(s.teacher.flat, kept))


def stages(labels) -> tuple[Stage, ...]:
    return (Stage(step_with(labels), after, begin=begin, trains=("net",)),)


SPACE = {
    "beta": elr.ELR.space["beta"],
    "lam": elr.ELR.space["lam"],
    "alpha": one_of(1, (0.5, 1, 2), within="[0, inf)"),
    "decay": one_of(0.997, (0.99, 0.997), within="[0, 1]"),
    "ramp": one_of(5000, (1000, 5000), within="[0, inf)", whole=True),
    "lam_ramp": one_of(0, (0, 5000), within="[0, inf)", whole=True),
}

ELR_PLUS = Algorithm(
    "elr+",
    stages(plain),
    paper=elr.ELR.paper,
    kind="noisy labels",
    summary="elr with two networks that learn mixtures, each pulled towards the other's average",
    reads=("given",),
    rows=rows,
    networks=2,
    averages=True,
    modules={"teacher": teacher},
    space=SPACE,
    shortened={"ramp": 10, "lam_ramp": 10},
    variants={
        "many-classes": {
            "stages": stages(weighted),
            "space": SPACE
            | {
                "beta": one_of(0.9, (0.7, 0.9), within="[0, 1)"),
                "lam": one_of(7, (3, 7), within="[0, inf)"),
                "lam_ramp": one_of(5000, (0, 5000), within="[0, inf)", whole=True),
            },
        }
    },
    differences={
        "many-classes": "Labels are multiplied by the table's row and normalised again, as "
        "published for 100 classes; `beta`, `lam` and `lam_ramp` have that recipe's defaults."
    },
)
