"""SELC: given labels first, then a running mean of what the network says of each example.

For ``warm_up`` epochs the loss is -log p_y. Then a table t, at first the given labels, becomes
t <- alpha t + (1 - alpha) p at each visit, p held constant, and the loss is -sum_j t_j log p_j.
"""

from __future__ import annotations

from torch.nn.functional import one_hot

import candidly
from candidly.learn import Algorithm, Batch, OneTrial, Stage, Trials, cross_entropy, epochs, one_of


def rows(s: OneTrial):
    return {"target": one_hot(s.given, s.q).to(s.dtype)}


def warm_up(s: Trials, b: Batch):
    return cross_entropy(b.target, s.net(b.x).logits).mean(-1)


def corrected(s: Trials, b: Batch):
    logits = s.net(b.x).logits
    alpha = s.hp.alpha[..., None]
    target = alpha * b.target + (1 - alpha) * logits.detach().softmax(-1)
    return cross_entropy(target, logits).mean(-1), {"target": target}


SELC = Algorithm(
    "SELC",
    (Stage(warm_up, until=epochs("warm_up")), Stage(corrected)),
    paper="Lu & He, SELC: Self-ensemble label correction improves learning with noisy labels, "
    "IJCAI 2022",
    kind="noisy labels",
    summary="labels become a running mean of predictions, once the network has learned some",
    reads=("given",),
    rows=rows,
    space={
        "warm_up": one_of(10, (5, 10, 20), static=True, within="[0, inf)", whole=True),
        "alpha": one_of(0.9, (0.8, 0.9, 0.95), within="[0, 1)"),
    },
    shortened={"warm_up": 2},
)
candidly.register("algorithm", SELC)
