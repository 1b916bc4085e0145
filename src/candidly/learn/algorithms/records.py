"""RECORDS: weights over the candidates follow probabilities without the model's lean to classes.

Where classes are of unequal size, a model leans to the large ones, and weights that follow it make
that worse. RECORDS takes the lean out: with m the running mean of logits over batches,
w = softmax over the candidates of z - log softmax(m). The loss is PRODEN's, -sum w log p; the
weights stay uniform in the first epoch. Predictions are those of z - log softmax(m), too.
``RECORDS:corr`` does the same for two views and the losses of consistency regularisation
(``CRDPLL``, without its ramp), m being the mean over both.

Departs from the released program: m is a mean of logits, where there it is what the head makes of a
mean of features, which is the same for a head that stands still within some ten batches; and it
begins with the first batch's mean, where there it begins at a tenth of that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..nets import Net, with_more
from . import crdpll
from ._algorithm import Algorithm, Stage, epochs
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of
from ._tensors import cross_entropy, masked_softmax, uniform_over
from ._views import View

LEAST = 1e-9  # of a class's share, whose logarithm is taken


def rows(s: OneTrial):
    return {"weights": uniform_over(s.candidates, s.dtype)}


def memory(s: OneTrial):
    """The running mean of logits, (1, q)."""
    return {"mean": torch.zeros((1, s.q), dtype=s.dtype)}


def without_lean(net: Net, classes: int, hyper: Any) -> Net:
    """The network whose logits are less the lean to classes, which no gradient moves."""

    def init(rng: np.random.Generator):
        return {"lean": np.zeros((1, classes))}

    def head(p, x):
        return net.head(p, x) - p["lean"]

    parts = {"weights": tuple(net.shapes), "lean": ("lean",)}
    return with_more(net, {"lean": (1, classes)}, init, head, parts)


def log_shares(mean: Tensor) -> Tensor:
    """log softmax(m), from below at 1e-9: (..., q) -> (..., q)."""
    return (mean.softmax(-1) + LEAST).log()


def leaning(s: Trials, x: Tensor) -> Tensor:
    """Logits with the lean that predictions are without: (K, B, q)."""
    logits: Tensor = s.net(x).logits
    return logits + s.net.parameters["lean"].detach()


def moved(s: Trials, logits: Tensor) -> Tensor:
    """The running mean behind a batch with these logits: (K, B, q) -> (K, q)."""
    mine = logits.detach().mean(-2)
    kept = s.hp.momentum if s.t else 0
    return kept * s.memory["mean"] + (1 - kept) * mine


def step(s: Trials, b: Batch):
    logits = leaning(s, b.x)
    objective = cross_entropy(b.weights, logits).mean(-1)
    mean = moved(s, logits)
    seen = logits.detach() - log_shares(mean)[:, None]
    return objective, {"mean": mean, "weights": masked_softmax(seen, b.candidates)}


def step_corr(s: Trials, b: Batch):
    weak, strong = leaning(s, b.view("weak")), leaning(s, b.view("strong"))
    agree = crdpll.divergence(b.weights, weak) + crdpll.divergence(b.weights, strong)
    avoid = crdpll.supervised(weak, b.candidates) + crdpll.supervised(strong, b.candidates)
    mean = moved(s, (weak + strong) / 2)
    lean = log_shares(mean)[:, None]
    seen = crdpll.agreed(weak.detach() - lean, strong.detach() - lean, b.candidates)
    return (agree + avoid).mean(-1), {"mean": mean, "weights": seen}


def after(s: Trials, b: Batch):
    return {"net": s.net.replaced({"lean": log_shares(s.memory["mean"])[:, None]})}


def stages(step: Callable[[Any, Any], Any]) -> tuple[Stage, ...]:
    """The first epoch, whose weights stay as they are, and the rest."""

    def first(s: Trials, b: Batch):
        objective, updates = step(s, b)
        return objective, {"mean": updates["mean"]}

    trains = ("net.weights",)
    return Stage(first, after, until=epochs(1), trains=trains), Stage(step, after, trains=trains)


RECORDS = Algorithm(
    "RECORDS",
    stages(step),
    paper="Hong et al., Long-tailed partial label learning via dynamic rebalancing, ICLR 2023",
    kind="long tail",
    summary="as PRODEN, with probabilities that are less the model's lean to large classes",
    rows=rows,
    memory=memory,
    head=without_lean,
    space={"momentum": one_of(0.9, (0.8, 0.9, 0.99), within="[0, 1)")},
    variants={
        "corr": {
            "stages": stages(step_corr),
            "views": {"weak": View(), "strong": View()},
        }
    },
    differences={
        "corr": "The losses of consistency regularisation over two views, as in the paper's best "
        "rows, in place of PRODEN's."
    },
)
