"""CRDPLL: two views of an example agree with what both said before, and avoid the non-candidates.

The loss is ramp (KL(C || p_weak) + KL(C || p_strong)) - sum of log(1 - p_weak) over the
non-candidates; the ramp grows from 0 to 1 over the first half of the updates. C, uniform over the
candidates at first, becomes the normalised geometric mean of both views' probabilities over the
candidates, after the update. On a table both views are the row itself.

Departs from common code: log(1 - p) without cancellation, where common code has
log(1.0000001 - p). As in the benchmark's program (D-CR), two views where the paper has three.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ._algorithm import Algorithm, Stage
from ._tensors import cross_entropy, log_complement, masked_softmax, uniform_over

RAMP = 0.5  # share of the updates over which the consistency loss grows to its weight


def rows(s):
    return {"weights": uniform_over(s.candidates, s.dtype)}


def divergence(weights: Tensor, logits: Tensor) -> Tensor:
    """KL(weights || softmax(logits)) per example, 0 log 0 = 0: (..., q) -> (...), >= 0."""
    return torch.xlogy(weights, weights).sum(-1) + cross_entropy(weights, logits)


def supervised(logits: Tensor, candidates: Tensor) -> Tensor:
    """-sum of log(1 - p_j) over the non-candidates: (..., q) -> (...), >= 0, in nats."""
    return -log_complement(logits).masked_fill(candidates, 0).sum(-1)


def agreed(weak: Tensor, strong: Tensor, candidates: Tensor) -> Tensor:
    """sqrt(p_weak p_strong) over the candidates, rows sum to 1: (..., q)."""
    return masked_softmax((weak.log_softmax(-1) + strong.log_softmax(-1)) / 2, candidates)


def _views(s, b) -> tuple[Tensor, Tensor]:
    return s.net(b.view("weak")).logits, s.net(b.view("strong")).logits


def step(s, b):
    weak, strong = _views(s, b)
    ramp = min(s.t / (RAMP * s.T), 1.0)
    consistency = divergence(b.weights, weak) + divergence(b.weights, strong)
    return (ramp * consistency + supervised(weak, b.candidates)).mean(-1)


def after(s, b):
    return {"weights": agreed(*_views(s, b), b.candidates)}


CRDPLL = Algorithm(
    "CRDPLL",
    (Stage(step, after),),
    paper="Wu et al., Revisiting consistency regularization for deep partial label learning, "
    "ICML 2022",
    kind="holistic",
    summary="views agree with what they said before, and avoid the non-candidates",
    rows=rows,
    views={"weak": None, "strong": None},  # of a table; one forward pass serves both
)
