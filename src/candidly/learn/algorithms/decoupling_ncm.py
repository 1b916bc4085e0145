"""decoupling-ncm: ordinary training for the features, and the nearest class mean to predict.

Cross-entropy trains a trunk and a linear head. Predictions do not use that head: a class's centre
is the mean feature of the training rows it is given to, and the class with the nearest centre is
predicted, by the cosine. Centres are taken anew after every epoch and at the end, each time by a
pass over all rows. ``euclidean`` goes by the distance between features and centres as they are;
``normalised`` by the distance after features have been brought to length 1, centres being means of
those.

A class without a row has no centre and is never predicted. Logits are cosines, or minus squared
distances up to what all classes share. Neither are log-probabilities: do not select models by AA.

Departs from common code: none is known; there, centres are taken once, when training is over.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from ..nets import Net, affine, linear, with_head
from . import ce
from ._algorithm import Algorithm, Stage
from ._classes import class_counts, class_means
from ._protocol import Batch, Trials

Centres = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]
NEVER = -1e30  # the logit of a class without a row
SHORTEST = 1e-6  # a norm that is divided by


def direction(x: Tensor) -> Tensor:
    """Rows at length 1, (..., h) -> (..., h); rows of zeros stay."""
    return normalize(x, dim=-1, eps=SHORTEST)


def centred(net: Net, classes: int, hyper, unit: bool = True) -> Net:
    """A linear head to train, ``w`` and ``b``, and centres that predict.

    Args:
        unit: features are brought to length 1 before they meet the centres.
    """
    h = net.width
    learned = {"w": (h, classes), "b": (1, classes)}
    shapes = learned | {"centres": (h, classes), "offsets": (1, classes)}

    def init(rng: np.random.Generator):
        first = {name: linear(rng, shape, h) for name, shape in learned.items()}
        return first | {name: np.zeros(shapes[name]) for name in ("centres", "offsets")}

    def head(p, x):
        x = direction(x) if unit else x
        return torch.baddbmm(p["offsets"], x, p["centres"])

    trunk = (name for name in net.shapes if name not in net.parts["head"])
    return with_head(net, shapes, init, head, {"weights": (*trunk, *learned)})


def cosines(features: Tensor, given: Tensor, q: int) -> tuple[Tensor, Tensor]:
    """Centres (q, h) and offsets (q,) of a linear head on unit features: cosines."""
    means = class_means(features, given, q)
    return direction(means), torch.zeros_like(means[:, 0])


def distances(features: Tensor, given: Tensor, q: int) -> tuple[Tensor, Tensor]:
    """Of a linear head on features: 2 f m - m², which is f² - |f - m|²."""
    means = class_means(features, given, q)
    return 2 * means, -means.square().sum(1)


def unit_distances(features: Tensor, given: Tensor, q: int) -> tuple[Tensor, Tensor]:
    """The same of features at length 1."""
    return distances(direction(features), given, q)


def step(s: Trials, b: Batch):
    p = s.net.parameters
    return ce.loss(affine(s.net.trunk(b.x), p["w"], p["b"]), b.given).mean(-1)


def refresh(s: Trials, centres_of: Centres) -> dict[str, Tensor]:
    """Every trial's parameters with today's centres."""
    given = s.labels("given")
    there = class_counts(given, s.q, s.dtype) > 0
    made = [centres_of(s.whole(k).features, given[k], s.q) for k in range(s.K)]
    centres, offsets = (torch.stack(parts) for parts in zip(*made))
    values = {"centres": centres.mT, "offsets": torch.where(there, offsets, NEVER)}
    return {"net": s.net.replaced(values)}


def stages(centres_of: Centres) -> tuple[Stage, ...]:
    def begin(s: Trials):
        return refresh(s, centres_of)

    def whole(s: Trials):
        return refresh(s, centres_of) if s.t % s.E == 0 or s.t == s.T else {}

    return (Stage(step, begin=begin, whole=whole, trains=("net.weights",)),)


DECOUPLING_NCM = Algorithm(
    "decoupling-ncm",
    stages(cosines),
    paper="Kang et al., Decoupling representation and classifier for long-tailed recognition, "
    "ICLR 2020",
    kind="long tail",
    summary="cross-entropy for the features; the nearest class mean predicts",
    reads=("given",),
    head=centred,
    variants={
        "euclidean": {"stages": stages(distances), "head": partial(centred, unit=False)},
        "normalised": {"stages": stages(unit_distances)},
    },
    differences={
        "euclidean": "The nearest class mean by the distance between features as they are.",
        "normalised": "The nearest class mean by the distance between features of length 1.",
    },
)
