"""co-teaching+: co-teaching among the examples that the two networks disagree on.

For ``warm_up`` epochs this is co-teaching. After that D are the batch's examples for which the two
networks predict different classes; each network hands the other the floor((1 - R) |D|) of them
with the smallest loss, one at least. So the two stay apart, where co-teaching's grow alike. R is
co-teaching's. A batch without disagreement teaches nothing.

Departs from common code: the authors find D by multiplying row numbers with a mask and dropping
zeros, which loses row 0; and where nobody disagrees they apply the cross-entropy to probabilities,
or to the whole batch during the first 5,000 updates. Neither is repeated. ``estimated`` needs no
noise rate.
"""

from __future__ import annotations

import torch
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


def disputed(logits: Tensor) -> Tensor:
    """Where two networks predict different classes: (..., 2, B, q) -> bool (..., 1, B)."""
    predicted = logits.argmax(-1)
    return predicted[..., :1, :] != predicted[..., 1:, :]


def step_with(forget: Forget):
    def step(s: Trials, b: Batch):
        logits = s.net(b.x).logits
        each = losses(logits, b.given)
        among = disputed(logits) | (s.epoch < s.hp.warm_up)
        size = among.sum(-1, keepdim=True)
        count = kept(forget(s), size).maximum(size.clamp_max(1))
        chosen = smallest(each.detach().masked_fill(~among, torch.inf), count) & among
        return masked_mean(each, chosen.flip(1))

    return step


WARM_UP = {"warm_up": one_of(20, (5, 10, 20), within="[0, inf)", whole=True)}

CO_TEACHING_PLUS = Algorithm(
    "co-teaching+",
    (Stage(step_with(forget)),),
    paper="Yu et al., How does disagreement help generalization against label corruption?, "
    "ICML 2019",
    kind="noisy labels",
    summary="co-teaching among the examples that the two networks disagree on",
    reads=("given",),
    networks=2,
    told=("noise_rate",),
    space=SPACE | WARM_UP,
    shortened={"ramp": 2, "warm_up": 1},
    variants={"estimated": {**estimated(step_with), "space": ESTIMATED_SPACE | WARM_UP}},
    differences={"estimated": NO_RATE},
)
