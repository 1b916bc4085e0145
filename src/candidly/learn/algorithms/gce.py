"""GCE: between cross-entropy and the absolute error, by one exponent.

``GCE:truncated`` also leaves out, for a while, what the network finds less likely than
``threshold``: from a third of the updates on, every twelfth, each training row is judged by the
network of that moment.

Departs from common code: the power is taken in log space, p^a = exp(a log p), so that a
probability that underflows has a finite gradient. The released recipe of the truncated loss judges
by the network with the best test accuracy so far, which looks at the truth; here it is today's.
Its epochs 40, 50, ... of 120 are shares of the updates here.
"""

from __future__ import annotations

import torch
from torch import Tensor

from . import ce
from ._algorithm import Algorithm, Stage, pure_given
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of

FIRST, PARTS = 4, 12  # judged after 4, 5, ..., 11 twelfths of the updates


def loss(logits: Tensor, given: Tensor, power: Tensor | float) -> Tensor:
    """(1 - p_y^a) / a, per example.

    Args:
        logits: float (..., q).
        given: int (...), in 0..q-1.
        power: a, above 0. 1 gives half the absolute error; towards 0 it is the cross-entropy.

    Returns:
        float (...), in [0, 1/a].
    """
    return -torch.expm1(-power * ce.loss(logits, given)) / power


def truncated_loss(
    logits: Tensor, given: Tensor, power: Tensor | float, threshold: Tensor | float
) -> Tensor:
    """``loss`` less its value at p_y = k, for an example that is kept: (..., q), (...) -> (...)."""
    return loss(logits, given, power) - (1 - threshold**power) / power


def rows(s: OneTrial):
    return {"kept": torch.ones(s.given.shape, dtype=torch.bool)}


def step(s: Trials, b: Batch):
    each = truncated_loss(s.net(b.x).logits, b.given, s.hp.power, s.hp.threshold)
    return (b.kept * each).mean(-1)


def whole(s: Trials):
    if not any(s.t == part * s.T // PARTS for part in range(FIRST, PARTS)):
        return {}
    nats = torch.stack([ce.loss(s.whole(k).logits, y) for k, y in enumerate(s.labels("given"))])
    return {"kept": (-nats).exp() > s.hp.threshold}


POWER = {"power": one_of(0.7, (0.3, 0.5, 0.7, 0.9), within="(0, 1]")}

GCE = Algorithm(
    "gce",
    pure_given(loss, "power"),
    paper="Zhang and Sabuncu, Generalized cross entropy loss for training deep neural networks "
    "with noisy labels, NeurIPS 2018",
    kind="noisy labels",
    summary="a bounded loss between cross-entropy and the absolute error",
    reads=("given",),
    space=POWER,
    variants={
        "truncated": {
            "stages": (Stage(step, whole=whole),),
            "rows": rows,
            "space": POWER | {"threshold": one_of(0.5, (0.3, 0.5), within="(0, 1)")},
        }
    },
    differences={
        "truncated": "From a third of the updates on, rows that the network finds less likely than "
        "`threshold` count for nothing until they are judged again, a twelfth later."
    },
)
