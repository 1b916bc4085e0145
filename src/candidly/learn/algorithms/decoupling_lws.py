"""decoupling-lws: after ordinary training, learn how much each class's logit should count.

Cross-entropy for the share ``first`` of the updates. Then trunk and head are frozen, and one
positive scale per class, 1 at first, is learned on batches in which all classes count alike
(``_classes.class_aware``): logits are f_j z_j. LWS, learned weight scaling, has nothing to do with
the algorithm ``LWS`` for candidate sets.

Departs from common code: f is learned as its logarithm, so that it stays positive; the released
program lets it change its sign. Like there, the bias is scaled too. See ``decoupling_crt`` on the
length of stages.
"""

from __future__ import annotations

import numpy as np
import torch

from ..nets import Net, leaf, with_more
from . import ce
from ._algorithm import Algorithm, Stage
from ._classes import DECOUPLED, balanced, until_second
from ._protocol import Batch, Trials


def scaled(net: Net, classes: int, hyper) -> Net:
    """The network with a factor on each logit, kept as its logarithm."""

    def init(rng: np.random.Generator):
        return {"log_scale": np.zeros((1, classes))}

    def head(p, x):
        return net.head(p, x) * leaf(p["log_scale"]).exp()

    parts = {"weights": tuple(net.shapes), "scale": ("log_scale",)}
    return with_more(net, {"log_scale": (1, classes)}, init, head, parts)


def step(s: Trials, b: Batch):
    with torch.no_grad():
        logits = s.net(b.x).logits
    log_scale = leaf(s.net.parameters["log_scale"])
    # the factor is 1, and has the gradient of the scale
    return ce.loss(logits * (log_scale - log_scale.detach()).exp(), b.given).mean(-1)


DECOUPLING_LWS = Algorithm(
    "decoupling-lws",
    (
        Stage(ce.step, until=until_second, trains=("net.weights",)),
        Stage(step, samplers=(balanced,), trains=("net.scale",)),
    ),
    paper="Kang et al., Decoupling representation and classifier for long-tailed recognition, "
    "ICLR 2020",
    kind="long tail",
    summary="cross-entropy, then one learned scale per class on equal classes",
    reads=("given",),
    head=scaled,
    space=DECOUPLED,
    shortened={"first": 0.2},
)
