"""sop+: sop on one view, held to the same prediction on another, and to all classes alike.

The loss is sop's on the weak view, plus ``consistency`` KL(p, r), p the probabilities of the weak
view, held constant, and r those of the strong one, plus ``balance`` times -(1/q) sum_j log of the
batch's mean p_j. Both views go through the network as one batch. A vector has no crops: its weak
view is itself, and the strong one has Gaussian noise of standard deviation ``view_noise``, in units
of the inputs; at 0 the two are the same, and only the balance is left.

Departs from common code: the released program takes the mean of p + U - V, normalised, for the
balance; here it is what the network says.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from . import sop
from ._algorithm import Algorithm, Stage
from ._protocol import Batch, Trials
from ._space import one_of
from ._views import View


def divergence(log_p: Tensor, log_r: Tensor) -> Tensor:
    """KL(p, r) per example, p held constant: log-probabilities (..., q) twice -> (...)."""
    log_p = log_p.detach()
    return (log_p.exp() * (log_p - log_r)).sum(-1)


def imbalance(log_p: Tensor) -> Tensor:
    """-(1/q) sum_j log of the mean p_j of the rows: log-probabilities (..., B, q) -> (...)."""
    return math.log(log_p.shape[-2]) - log_p.logsumexp(-2).mean(-1)


def step(s: Trials, b: Batch):
    seen = torch.cat([b.view("weak"), b.view("strong")], 1)
    weak, strong = s.net(seen).logits.split(s.B, 1)
    nats, squares = sop.losses(weak, b.given, b.u, b.v)
    log_p, log_r = weak.log_softmax(-1), strong.log_softmax(-1)
    each = nats + squares + s.hp.consistency * divergence(log_p, log_r)
    return each.mean(-1) + s.hp.balance[:, 0] * imbalance(log_p)


SOP_PLUS = Algorithm(
    "sop+",
    (Stage(step),),
    paper=sop.SOP.paper,
    kind="noisy labels",
    summary="sop with two views that must be predicted alike, and classes that must be balanced",
    reads=("given",),
    learned=sop.SOP.learned,
    suspicion=sop.suspicion,
    views={"weak": View(), "strong": View(noise="view_noise")},
    space={
        **sop.SOP.space,
        "consistency": one_of(0.9, (0.5, 0.9), within="[0, inf)"),
        "balance": one_of(0.1, (0, 0.1), within="[0, inf)"),
        "view_noise": one_of(0.1, (0.05, 0.1, 0.2), within="[0, inf)"),
    },
)
