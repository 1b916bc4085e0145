"""PRODEN: train on weights over the candidates, and move the weights to where the model points.

The weights of a batch's rows are refreshed behind the optimiser, from a second forward pass: the
benchmark's choice (D-PRODEN-1). The variant ``pre`` refreshes from the forward pass of the loss,
as the paper's program does, and costs a third less.

Departs from common code: only the batch's rows are renormalised, by a masked softmax that cannot
divide 0 by 0 (D-NUM-1); the released program divides the whole table at every update.
"""

from __future__ import annotations

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, OneTrial, Trials
from ._tensors import cross_entropy, masked_softmax, uniform_over


def rows(s: OneTrial):
    return {"weights": uniform_over(s.candidates, s.dtype)}


def step(s: Trials, b: Batch):
    return cross_entropy(b.weights, s.net(b.x).logits).mean(-1)


def after(s: Trials, b: Batch):
    return {"weights": masked_softmax(s.net(b.x).logits, b.candidates)}


def step_pre(s: Trials, b: Batch):
    logits = s.net(b.x).logits
    objective = cross_entropy(b.weights, logits).mean(-1)
    return objective, {"weights": masked_softmax(logits.detach(), b.candidates)}


PRODEN = Algorithm(
    "PRODEN",
    (Stage(step, after),),
    paper="Lv et al., Progressive identification of true labels for partial-label learning, "
    "ICML 2020",
    kind="identification",
    summary="weights over the candidates follow the model's own probabilities",
    rows=rows,
    variants={"pre": {"stages": (Stage(step_pre),)}},
    differences={
        "pre": "The weights are refreshed from the forward pass of the loss, before the update, as "
        "in the paper's program; a third cheaper (D-PRODEN-1)."
    },
)
