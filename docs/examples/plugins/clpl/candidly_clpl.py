"""CLPL: the candidates' scores are high on average, and every other score is low.

Loss: psi(mean of g over the candidates) + sum of psi(-g) over the other classes, with the squared
hinge psi(x) = max(0, 1 - x)^2 and scores g. It is convex in the scores. There is no state.
"""

from __future__ import annotations

import candidly
from candidly.learn import Algorithm, Batch, Stage, Trials


def psi(x):
    return (1 - x).clamp(min=0) ** 2


def loss(scores, candidates):
    """Per example: (..., q), bool (..., q) -> (...)."""
    inside = (scores * candidates).sum(-1) / candidates.sum(-1)
    return psi(inside) + (psi(-scores) * ~candidates).sum(-1)


def step(s: Trials, b: Batch):
    return loss(s.net(b.x).logits, b.candidates).mean(-1)


CLPL = Algorithm(
    "CLPL",
    (Stage(step),),
    paper="Cour, Sapp & Taskar, Learning from partial labels, JMLR 2011",
    kind="average",
    summary="a convex loss: candidates score high on average, all other classes low",
)
candidly.register("algorithm", CLPL)
