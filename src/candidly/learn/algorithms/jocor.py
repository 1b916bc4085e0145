"""jocor: two networks that must agree learn from the examples with the smallest joint loss.

Joint loss of an example: (1 - lam) (-log p_y - log r_y) + lam (KL(p, r) + KL(r, p)), p and r being
the networks' probabilities; the mean of the floor((1 - R) B) smallest is minimised over both
networks at once. R is co-teaching's, and the first network predicts.

``estimated`` needs no noise rate.
"""

from __future__ import annotations

from torch import Tensor

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, Trials
from ._selection import (
    ESTIMATED_SPACE,
    NO_RATE,
    SPACE,
    Forget,
    estimated,
    forget,
    kept,
    losses,
    masked_mean,
    smallest,
)
from ._space import one_of


def joint_loss(logits: Tensor, given: Tensor, lam: Tensor) -> Tensor:
    """The joint loss per example: (..., 2, B, q), int (..., B), (..., 1) -> (..., B), in nats."""
    p, r = logits.log_softmax(-1).unbind(-3)
    apart = ((p.exp() - r.exp()) * (p - r)).sum(-1)  # both divergences added up
    return (1 - lam) * losses(logits, given).sum(-2) + lam * apart


def step_with(forget: Forget):
    def step(s: Trials, b: Batch):
        joint = joint_loss(s.net(b.x).logits, b.given, s.hp.lam[:, 0])
        return masked_mean(joint, smallest(joint.detach(), kept(forget(s)[:, 0], s.B)))

    return step


LAM = {"lam": one_of(0.9, (0.5, 0.7, 0.8, 0.9, 0.95), within="[0, 1]")}

JOCOR = Algorithm(
    "jocor",
    (Stage(step_with(forget)),),
    paper="Wei et al., Combating noisy labels by agreement: a joint training method with "
    "co-regularization, CVPR 2020",
    kind="noisy labels",
    summary="two networks that are drawn together learn from their smallest joint losses",
    reads=("given",),
    networks=2,
    told=("noise_rate",),
    space=SPACE | LAM,
    shortened={"ramp": 2},
    variants={"estimated": {**estimated(step_with), "space": ESTIMATED_SPACE | LAM}},
    differences={"estimated": NO_RATE},
)
