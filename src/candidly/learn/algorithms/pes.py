"""pes: stop early, renew the later layers, and go on with the rows whose labels they confirm.

Early in training a network has learned right labels better than wrong ones, and its first layers
for longer than its last. So:

* cross-entropy for the share ``first`` of the updates;
* the head starts anew and is trained, all before it frozen, for the share ``refine`` of what is
  left. In ``pes:deep`` this happens twice: to a residual network's last stage and the head, and
  then, for the share ``refine`` of what is left again, to the head alone. Any other network has one
  more hidden layer, which stands for the stage;
* for the rest, the whole network on the confident rows: those whose given label is the most
  probable class, by the mean probabilities of two views. They are chosen anew after every epoch.
  The loss is a weighted mean, sum w loss / sum w; class j weighs the mean number of confident rows
  of a class over its own, at most ``cap``.

Classes without a confident row do not count in that mean and weigh nothing, so that one which the
renewed layers never predict is lost for good: ``refine`` has to last until they predict all, some
hundred updates at the default rate. Where no row at all is confident, all are taken to be.

Departs from common code: Adam throughout at the trial's constant rate, where published recipes
renew layers by Adam at 1e-4 and train the rest by SGD with cosine annealing. In some programs the
renewed layers stay frozen in the last stage, because its optimiser was made before them; not here.
A vector has no crops: a view is Gaussian noise of standard deviation ``view_noise``, in units of
the inputs; at 0 the two are the same. ``pes-semi`` learns from the other rows, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..nets import Net, affine, linear, with_more
from . import ce
from ._algorithm import Algorithm, Stage, each_epoch
from ._classes import class_counts
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._views import View


def rows(s: OneTrial):
    return {"confident": torch.ones(s.given.shape, dtype=torch.bool)}


def memory(s: OneTrial):
    return {"weights": torch.ones((1, s.q), dtype=s.dtype)}


def confident(probs: Tensor, given: Tensor) -> Tensor:
    """Whether the label is the most probable class; all, if none is: (n, q), (n,) -> bool (n,)."""
    chosen = probs.argmax(-1) == given
    return chosen | ~chosen.any()


def class_weights(counts: Tensor, cap: Tensor | float) -> Tensor:
    """The mean count of the classes that have one over each class's, at most ``cap``.

    Args:
        counts: float (..., q).
        cap: above 0, (..., 1).

    Returns:
        float (..., q); 0 where the count is 0.
    """
    there = counts > 0
    mean = counts.sum(-1, keepdim=True) / there.sum(-1, keepdim=True).clamp_min(1)
    return torch.where(there, torch.minimum(mean / counts.clamp_min(1), torch.as_tensor(cap)), 0)


def select(s: Trials) -> dict[str, Tensor]:
    """Which rows are confident today, and what their classes weigh."""
    given, chosen, counts = s.labels("given"), [], []
    for k in range(s.K):
        probs = sum(s.whole(k, view="weak", which=which).logits.softmax(-1) for which in range(2))
        chosen.append(confident(probs, given[k]))  # type: ignore[arg-type]
        counts.append(class_counts(given[k][chosen[k]], s.q, s.dtype))
    weights = class_weights(torch.stack(counts), s.hp.cap)
    return {"confident": torch.stack(chosen), "weights": weights}


def confident_rows(s: Trials) -> Tensor:
    return s.rows["confident"]


def step_confident(s: Trials, b: Batch):
    weights = s.memory["weights"].gather(1, b.given)
    return (weights * ce.loss(s.net(b.x).logits, b.given)).sum(-1) / weights.sum(-1)


def deeper(net: Net, classes: int, hyper) -> Net:
    """A network with a part ``late``; else one more hidden layer makes it up with the head."""
    if "late" in net.parts:
        return net
    h = net.width

    def init(rng: np.random.Generator):
        return {"w_more": linear(rng, (h, h), h), "b_more": linear(rng, (1, h), h)}

    def head(p, x):
        return net.head(p, torch.relu(affine(x, p["w_more"], p["b_more"])))

    parts = {"late": (*net.parts["head"], "w_more", "b_more")}
    return with_more(net, {"w_more": (h, h), "b_more": (1, h)}, init, head, parts)


def until(refined: int):
    """The end of the first stage, or of that many that renew layers."""

    def ends(s: Trials) -> int:
        return round((1 - (1 - s.hp.first) * (1 - s.hp.refine) ** refined) * s.T)

    return ends


def renewed(part: str, number: int, **how: Any) -> Stage:
    """Start a part of the network anew, and train it alone; ``how``: as in ``Stage``."""

    def begin(s: Trials):
        return {"net": s.anew(part)}

    return Stage(ce.step, begin=begin, trains=(part,), until=until(number), **how)


FIRST = Stage(ce.step, until=until(0))
LAST = Stage(step_confident, begin=select, whole=each_epoch(select), samplers=(confident_rows,))

SPACE = {
    "first": one_of(0.125, (0.05, 0.125, 0.25), static=True, within="[0, 1)"),
    "refine": one_of(0.04, (0.02, 0.04, 0.08), static=True, within="[0, 1)"),
    "cap": one_of(3, (3,), within="(0, inf)"),
    "view_noise": one_of(0.1, (0.05, 0.1, 0.2), within="[0, inf)"),
}

PES = Algorithm(
    "pes",
    (FIRST, renewed("net.head", 1), LAST),
    paper="Bai et al., Understanding and improving early stopping for learning with noisy labels, "
    "NeurIPS 2021",
    kind="noisy labels",
    summary="stops early, renews the head, and trains on rows whose labels it confirms",
    reads=("given",),
    rows=rows,
    memory=memory,
    views={"weak": View(noise="view_noise")},
    space=SPACE,
    shortened={"first": 0.1, "refine": 0.2},
    variants={
        "deep": {
            "stages": (FIRST, renewed("net.late", 1), renewed("net.head", 2), LAST),
            "head": deeper,
            "version": 2,
        }
    },
    differences={
        "deep": "The last stage of a residual network, elsewhere a second hidden layer, is renewed "
        "with the head, and then the head alone."
    },
)
