"""ldam: the smaller a class, the larger the margin by which its examples have to win.

The head gives s cos(feature, weights of class j), a cosine times a scale s and no bias. A class
that is given to n_j training rows has the margin m_j proportional to n_j^(-1/4), the largest being
``margin``. Loss: cross-entropy of the logits with s m_y taken off the label's own. Predictions have
no margin.

``ldam:drw`` adds deferred re-weighting: after the share ``defer`` of the updates example i weighs
(1 - beta) / (1 - beta^n_y), and the loss is the weighted mean, sum w loss / sum w. Over the classes
these weights are scaled to sum to q.

Departs from common code: none is known. A class without a row has margin 0 and weight 0, and the
others' weights sum to q. The defaults are the paper's; NoisywikiHow finds margins of 0.2 to 0.8 and
a scale of 7 to 10 best, more margin for more noise.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from ..nets import Net, leaf, with_head
from . import ce
from ._algorithm import Algorithm, Stage
from ._classes import class_counts
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of

SHORTEST = 1e-6  # a norm that is divided by


def cosine(net: Net, classes: int, hyper) -> Net:
    """Logits are cosines times a scale, which is a parameter so that predictions have it too."""
    size = net.width

    def init(rng: np.random.Generator):
        directions = rng.uniform(-1, 1, (size, classes))
        return {"w": directions / np.linalg.norm(directions, axis=0), "scale": np.ones((1, 1))}

    def head(p, x):
        w = normalize(leaf(p["w"]), dim=-2, eps=SHORTEST)
        return p["scale"].detach() * torch.bmm(normalize(x, dim=-1, eps=SHORTEST), w)

    shapes = {"w": (size, classes), "scale": (1, 1)}
    learned = (*(name for name in net.shapes if name not in net.parts["head"]), "w")
    return with_head(net, shapes, init, head, {"weights": learned})


def margins(counts: Tensor, largest: Tensor | float) -> Tensor:
    """n^(-1/4) scaled so that the largest is ``largest``, 0 for n = 0: (..., q) -> (..., q)."""
    raw = torch.where(counts > 0, counts.clamp_min(1) ** -0.25, 0)
    return largest * raw / raw.amax(-1, keepdim=True)


def class_weights(counts: Tensor, beta: float) -> Tensor:
    """(1 - beta) / (1 - beta^n) scaled to sum to q, 0 for n = 0: (..., q) -> (..., q).

    Source: Cui et al., Class-balanced loss based on effective number of samples, CVPR 2019.
    """
    there = counts > 0
    # 1 - beta^n of a beta near 1, without cancellation; of beta = 0 it is 1
    effective = -torch.expm1(counts.clamp_min(1) * float(np.log(max(beta, 1e-300))))
    raw = torch.where(there, (1 - beta) / effective, 0)
    return raw * raw.shape[-1] / raw.sum(-1, keepdim=True)


def loss(logits: Tensor, given: Tensor, margin: Tensor) -> Tensor:
    """Cross-entropy with a margin off the label's logit, per example.

    Args:
        logits: float (..., B, q), scaled.
        given: int (..., B), in 0..q-1.
        margin: float (..., q), scaled alike.

    Returns:
        float (..., B), in nats, >= 0.
    """
    own = margin[..., None, :].expand_as(logits).gather(-1, given[..., None])
    return ce.loss(logits.scatter_add(-1, given[..., None], -own), given)


def constants(s: OneTrial):
    counts = class_counts(s.given, s.q, s.dtype)
    return {"margins": s.hp.scale * margins(counts, s.hp.margin)}


def constants_drw(s: OneTrial):
    counts = class_counts(s.given, s.q, s.dtype)
    return constants(s) | {"weights": class_weights(counts, s.hp.beta)}


def begin(s: Trials):
    return {"net": s.net.replaced({"scale": s.hp.scale})}


def step(s: Trials, b: Batch):
    return loss(s.net(b.x).logits, b.given, s.constants["margins"]).mean(-1)


def step_weighted(s: Trials, b: Batch):
    weights = s.constants["weights"].gather(1, b.given)
    each = loss(s.net(b.x).logits, b.given, s.constants["margins"])
    return (weights * each).sum(-1) / weights.sum(-1)


def until(s: Trials):
    return int(s.hp.defer * s.T)


LEARNED = ("net.weights",)
SPACE = {
    "margin": one_of(0.5, (0.2, 0.5, 0.8), within="[0, inf)"),
    "scale": one_of(30, (7, 10, 30), within="(0, inf)"),
}

LDAM = Algorithm(
    "ldam",
    (Stage(step, begin=begin, trains=LEARNED),),
    paper="Cao et al., Learning imbalanced datasets with label-distribution-aware margin loss, "
    "NeurIPS 2019",
    kind="long tail",
    summary="cosines as logits; small classes must win by a larger margin",
    reads=("given",),
    constants=constants,
    head=cosine,
    space=SPACE,
    shortened={"defer": 0.2},
    variants={
        "drw": {
            "stages": (
                Stage(step, begin=begin, trains=LEARNED, until=until),
                Stage(step_weighted, trains=LEARNED),
            ),
            "constants": constants_drw,
            "space": SPACE
            | {
                "defer": one_of(0.8, (0.8,), static=True, within="(0, 1)"),
                "beta": one_of(0.9999, (0.99, 0.999, 0.9999), within="[0, 1)"),
            },
        }
    },
    differences={
        "drw": "After the share `defer` of the updates, examples of small classes weigh more "
        "(deferred re-weighting)."
    },
)
