"""t-revision: weigh examples by how far their labels can be believed, and mend the matrix.

Three stages: cross-entropy, after which T is estimated by anchors; then the loss w (-log p_y) with
w = p_y / (p T)_y held constant; then the same with T + D, where w is differentiated and D, at first
0, is learnt beside the network.

Departs from common code: the network keeps its rate in the last stage, where published recipes
let it creep at D's. One released program adds D once per example inside a batch; here it is added
once.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from . import ce
from ._algorithm import Algorithm, Own, Stage, warm_up
from ._protocol import Batch, Trials
from ._space import one_of
from ._transition import LEAST, QUANTILE, anchored, identity, rows_of

SPACE = {
    "warm_up": one_of(0.3, (0.3,), static=True, within="[0, 1)"),
    "revision_rate": one_of(5e-7, (5e-7,), within="[0, inf)"),
}


def revision(classes: int) -> np.ndarray:
    """D, (q, q)."""
    return np.zeros((classes, classes))


def importance(logits: Tensor, given: Tensor, matrix: Tensor) -> Tensor:
    """p_y / (p T)_y, per example: (..., B, q), int (..., B), (..., q, q) -> (..., B)."""
    probs = logits.softmax(-1)
    own = probs.gather(-1, given[..., None])[..., 0]
    return own / (probs * rows_of(matrix.transpose(-1, -2), given)).sum(-1).clamp_min(LEAST)


def step_weighted(s: Trials, b: Batch):
    logits = s.net(b.x).logits
    weights = importance(logits, b.given, s.memory["table"]).detach()
    return (weights * ce.loss(logits, b.given)).mean(-1)


def step_revised(s: Trials, b: Batch):
    logits = s.net(b.x).logits
    weights = importance(logits, b.given, s.memory["table"] + s.parameters["revision"])
    return (weights * ce.loss(logits, b.given)).mean(-1)


def begin(s: Trials):
    return {"table": torch.stack([anchored(s, k) for k in range(s.K)])}


def until_revised(s: Trials):
    return int((1 + s.hp.warm_up) / 2 * s.T)


T_REVISION = Algorithm(
    "t-revision",
    (
        warm_up(ce.step, trains=("net",)),
        Stage(step_weighted, begin=begin, until=until_revised, trains=("net",)),
        Stage(step_revised, own={"revision": Own("adam", lr="revision_rate")}),
    ),
    paper="Xia et al., Are anchor points really indispensable in label-noise learning?, "
    "NeurIPS 2019",
    kind="noisy labels",
    summary="importance weights from a transition matrix that is revised while training",
    reads=("given",),
    memory=identity,
    parameters={"revision": revision},
    space=QUANTILE | SPACE,
    shortened={"warm_up": 0.2},
    version=2,
)
