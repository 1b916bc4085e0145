"""bbn: one branch learns the classes as they come, one the rare ones, and the weight moves over.

A trunk common to both, then for each branch a layer of its own, f_c and f_r, and a classifier of
its own, W_c and W_r. An update takes two batches: x_c, all rows alike, and x_r, a class drawn in
proportion to 1 / n_j, n_j the rows it is given to, and then one of its rows. With a = 1 - (t/T)^2
for update t of T the logits are z = a W_c f_c(x_c) + (1 - a) W_r f_r(x_r), and the loss is
a l(z, y_c) + (1 - a) l(z, y_r), l the cross-entropy. Predictions take both branches of the same
input at a = 1/2.

Departs from common code: the released program doubles the logits throughout, and moves a by epochs,
not by updates. The branches' layers are as wide as the trunk, ReLU(F V + v), where the paper has
residual blocks of convolutions; there is one bias, as there. An epoch trains on two batches per
update.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ..nets import Net, State, affine, linear, with_head
from . import ce
from ._algorithm import Algorithm, Stage
from ._classes import class_counts
from ._protocol import Batch, OneTrial, Trials


def mixed(p: State | dict[str, Tensor], common: Tensor, rare: Tensor, share: float) -> Tensor:
    """Logits of both branches together: trunk's features (K, B, h) twice -> (K, B, q)."""
    of_common = torch.relu(affine(common, p["w_common"], p["b_common"]))
    of_rare = torch.relu(affine(rare, p["w_rare"], p["b_rare"]))
    both = torch.cat([share * of_common, (1 - share) * of_rare], -1)
    return affine(both, p["w"], p["b"])


def branched(net: Net, classes: int, hyper) -> Net:
    """Two branches on the network's trunk, at equal shares."""
    h = net.width
    shapes = {
        "w_common": (h, h),
        "b_common": (1, h),
        "w_rare": (h, h),
        "b_rare": (1, h),
        "w": (2 * h, classes),
        "b": (1, classes),
    }

    def init(rng: np.random.Generator):
        # each branch's classifier starts as a network's own
        return {name: linear(rng, shape, h) for name, shape in shapes.items()}

    return with_head(net, shapes, init, lambda p, x: mixed(p, x, x, 0.5), {})


def constants(s: OneTrial):
    per_row = class_counts(s.given, s.q, s.dtype).gather(-1, s.given)
    return {"reversed": per_row**-2}  # a class's 1/n_j, spread over its n_j rows


def reversed_sampler(s: Trials) -> Tensor:
    return s.constants["reversed"]


def share_at(t: int, updates: int) -> float:
    """What the common branch weighs after ``t`` of so many updates: from 1 down to 0."""
    return 1 - (t / updates) ** 2


def step(s: Trials, common: Batch, rare: Batch):
    a = share_at(s.t, s.T)
    logits = mixed(s.net.parameters, s.net.trunk(common.x), s.net.trunk(rare.x), a)
    each = a * ce.loss(logits, common.given) + (1 - a) * ce.loss(logits, rare.given)
    return each.mean(-1)


BBN = Algorithm(
    "bbn",
    (Stage(step, samplers=("uniform", reversed_sampler)),),
    paper="Zhou et al., BBN: Bilateral-branch network with cumulative learning for long-tailed "
    "visual recognition, CVPR 2020",
    kind="long tail",
    summary="two branches, for rows as they are and for rare classes; the weight moves over",
    reads=("given",),
    constants=constants,
    head=branched,
)
