"""CAVL: the candidate with the largest class activation value is the label.

Departs from common code: candidates are chosen by a mask of -inf. The released program multiplies
the activation values by the candidate mask, so that non-candidates get 0 and win whenever all
candidate values are negative (D-CAVL-1); ``plench`` keeps that.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, OneTrial, Trials
from ._tensors import cross_entropy, uniform_over


def rows(s: OneTrial):
    return {"target": uniform_over(s.candidates, s.dtype)}


def activation_value(logits: Tensor) -> Tensor:
    """z |1 - z|, elementwise. Not monotone: on (0, 1) it rises, then falls."""
    return logits * (1 - logits).abs()


def step(s: Trials, b: Batch):
    return cross_entropy(b.target, s.net(b.x).logits).mean(-1)


def after(s: Trials, b: Batch):
    values = activation_value(s.net(b.x).logits).masked_fill(~b.candidates, -torch.inf)
    return {"target": one_hot(values.argmax(-1), s.q).to(s.dtype)}


def after_plench(s: Trials, b: Batch):
    values = activation_value(s.net(b.x).logits) * b.candidates
    return {"target": one_hot(values.argmax(-1), s.q).to(s.dtype)}


CAVL = Algorithm(
    "CAVL",
    (Stage(step, after),),
    paper="Zhang et al., Exploiting class activation value for partial-label learning, ICLR 2022",
    kind="identification",
    summary="the label is the candidate with the largest class activation value",
    rows=rows,
    variants={"plench": {"stages": (Stage(step, after_plench),)}},
    differences={
        "plench": "Activation values are multiplied by the candidate mask, so that a non-candidate "
        "is the target wherever all candidates' values are negative (D-CAVL-1)."
    },
)
